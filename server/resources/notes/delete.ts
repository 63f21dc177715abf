import type { ApiContext } from '../../context'
import { requireMatch } from '../../entities/read/etag'
import { noteNotFound } from '../../errors/notes'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import { noteEvent } from './events'
import { noteIdOf } from './get'
import { deleteNoteRow, lockNoteRow } from './store'

/** Throws 404, and 412 when the note has another version than `ifMatch` names. See docs/reference/notes.md (Delete). */
export async function deleteNote(context: ApiContext, noteId: string, ifMatch: string | null): Promise<object> {
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
}
