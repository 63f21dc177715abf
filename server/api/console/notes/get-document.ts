/** Reads the text of a note in blocks, with the version of the note as entity tag. */

import { etagOf } from '#engine/entities/read/etag'
import { noteNotFound } from '#base/errors/meetings'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { JsonText } from '#api/http/response/answer'
import { noteIdOf } from '#api/resources/notes/read'
import { findNoteRow } from '#api/resources/notes/store'
import type { AppContext } from '#context'
import { getMemberModel } from '#api/console/console-context'

/** Throws 404, and 400 when the id is not a UUID. */
export async function getNoteDocument(
  appContext: AppContext,
  member: ConsoleMember,
  noteId: string,
): Promise<JsonText> {
  const model = await getMemberModel(appContext, member)
  const note = await findNoteRow(appContext.db.sql, { model }, noteIdOf(noteId))
  if (note === undefined) throw noteNotFound(noteId)
  return new JsonText(['{"data":{"blocks":', note.content, '}}'], { headers: { ETag: etagOf(note.version) } })
}
