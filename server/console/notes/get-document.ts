/** Reads the text of a note in blocks, with the version of the note as entity tag. */

import { etagOf } from '../../entities/read/etag'
import { noteNotFound } from '../../errors/notes'
import { JsonText } from '../../http/response/answer'
import { noteIdOf } from '../../resources/notes/get'
import { findNoteDocument } from '../../resources/notes/store'
import type { AppContext } from '../../context'

/** Throws 404, and 400 when the id is not a UUID. */
export async function getNoteDocument({ db }: AppContext, workspaceId: string, noteId: string): Promise<JsonText> {
  const note = await findNoteDocument(db.sql, workspaceId, noteIdOf(noteId))
  if (note === undefined) throw noteNotFound(noteId)
  return new JsonText(['{"data":{"blocks":', note.content, '}}'], { headers: { ETag: etagOf(note.version) } })
}
