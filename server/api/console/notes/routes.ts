import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { getNoteDocument } from './get-document'
import { NoteDocumentAnswer } from './schemas'

export const noteDocumentRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-notes' }).get(
    '/console/api/workspaces/:workspace_id/notes/:note_id/document',
    ...guard.member({ response: NoteDocumentAnswer }, ({ member, params }) =>
      getNoteDocument(appContext, member, params.note_id),
    ),
  )
