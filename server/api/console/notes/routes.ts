/** Reads the text of a note in blocks, with the version of the note as entity tag. */

import { readId } from '#base/errors/http'
import { Elysia } from 'elysia'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { NoteDocumentAnswer } from './schemas'
import { etagOf } from '#engine/entities/read/etag'
import { noteNotFound } from '#base/errors/meetings'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { JsonText } from '#api/http/response/answer'
import { findNoteRow } from '#api/resources/notes/store'
import type { AppContext } from '#context'

export const noteDocumentRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-notes' }).get(
    ...guard.member(
      '/console/api/workspaces/:workspace_id/notes/:note_id/document',
      { response: NoteDocumentAnswer },
      ({ member, params }) => getNoteDocument(appContext, member, params.note_id),
    ),
  )

/** Throws 404, and 400 when the id is not a UUID. */
async function getNoteDocument(appContext: AppContext, member: ConsoleMember, noteId: string): Promise<JsonText> {
  const model = await getMemberModel(appContext, member)
  const note = await findNoteRow(appContext.db.sql, { model }, readId('Note', noteId))
  if (note === undefined) throw noteNotFound(noteId)
  return new JsonText(['{"data":{"blocks":', note.content, '}}'], { headers: { ETag: etagOf(note.version) } })
}
