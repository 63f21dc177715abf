import { runOnLookupPool } from '#db/lookup-pool'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidRequest } from '#base/errors/http'
import { noteNotFound } from '#base/errors/notes'
import { type AnsweredNote, answerNote } from './render'
import { findNoteRow } from './store'

/** Throws 404, and 400 when the id is not a UUID. See docs/reference/notes.md (Get). */
export async function getNote(context: ApiContext, noteId: string): Promise<AnsweredNote> {
  const id = noteIdOf(noteId)
  return retryOnConflict(context, async (context) => {
    const note = await runOnLookupPool(context.db, (sql) => findNoteRow(sql, context, id))
    if (!note) throw noteNotFound(noteId)
    return answerNote(context, note)
  })
}

/** The id in a path, in lower case. Throws 400 when it is not a UUID. */
export function noteIdOf(text: string): string {
  if (!isUuid(text)) throw invalidRequest(`Note ID "${text}" is not a UUID.`)
  return text.toLowerCase()
}
