import type { ApiContext } from '#context'
import { requireMatch } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { noteNotFound } from '#base/errors/notes'
import { appendToOutbox, eventOriginOf } from '#engine/outbox/outbox'
import { noteEvent } from './events'
import { noteIdOf } from './get'
import { deleteNoteRow, lockNoteRow } from './store'

/** Throws 404, and 412 when the note has another version than `ifMatch` names. See docs/reference/notes.md (Delete). */
export const deleteNote = (context: ApiContext, noteId: string, ifMatch: string | null): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const id = noteIdOf(noteId)
    const isDeleted = await context.db.sql.begin(async (tx) => {
      const note = await lockNoteRow(tx, context, id)
      if (!note) return false
      requireMatch(note, ifMatch)
      await deleteNoteRow(tx, context, id)
      await appendToOutbox(tx, eventOriginOf(context), [noteEvent('note.deleted', note)])
      return true
    })
    if (!isDeleted) throw noteNotFound(noteId)
    return {}
  })
