/** The routes for imports of CSV files at the console. Only imports of admins create attributes and options. */

import { Elysia } from 'elysia'
import { isUuid } from '#vocabulary/uuids'
import { importNotFound } from '#base/errors/imports'
import type { ConsoleContext } from '#api/console/console-context'
import {
  cancelImport,
  exportProblems,
  removeImport,
  showImport,
  showImports,
  showPreview,
  startImport,
} from './operations'
import {
  ImportAnswer,
  ImportsAnswer,
  ImportsQuery,
  PlanBody,
  PreviewAnswer,
  UndoPreviewAnswer,
  UploadQuery,
} from './schemas'
import { previewUndo, undoImport } from './undo'
import { uploadImport } from './upload'
import { Done } from '#api/console/schemas'

const IMPORTS = '/console/api/workspaces/:workspace_id/imports'
const IMPORT = `${IMPORTS}/:import_id`

interface ImportRequest {
  readonly params: { readonly import_id: string }
}

export const importRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-imports' })
    .get(
      ...guard.member(IMPORTS, { response: ImportsAnswer, query: ImportsQuery }, async ({ member, query }) => ({
        data: await showImports(appContext, member, query.object),
        largest_file: appContext.settings.importLimit,
      })),
    )
    // The request body is the file.
    .post(
      ...guard.member(IMPORTS, { response: ImportAnswer, query: UploadQuery }, async ({ member, query, request }) => ({
        data: await uploadImport(appContext, member, query, request.body),
      })),
    )
    .get(
      ...guard.member(IMPORT, { response: ImportAnswer }, async (request) => ({
        data: await showImport(appContext, request.member, idOf(request)),
      })),
    )
    .post(
      ...guard.member(`${IMPORT}/preview`, { response: PreviewAnswer, body: PlanBody }, async (request) => ({
        data: await showPreview(appContext, request.member, idOf(request), request.body),
      })),
    )
    .post(
      ...guard.member(`${IMPORT}/start`, { response: ImportAnswer, body: PlanBody }, async (request) => ({
        data: await startImport(appContext, request.member, idOf(request), request.body),
      })),
    )
    .post(
      ...guard.member(`${IMPORT}/cancel`, { response: ImportAnswer }, async (request) => ({
        data: await cancelImport(appContext, request.member, idOf(request)),
      })),
    )
    .get(
      ...guard.member(`${IMPORT}/undo`, { response: UndoPreviewAnswer }, async (request) => ({
        data: await previewUndo(appContext, request.member, idOf(request)),
      })),
    )
    .post(
      ...guard.member(`${IMPORT}/undo`, { response: ImportAnswer }, async (request) => ({
        data: await undoImport(appContext, request.member, idOf(request)),
      })),
    )
    .delete(
      ...guard.member(IMPORT, { response: Done }, async (request) => ({
        data: await removeImport(appContext, request.member, idOf(request)),
      })),
    )
    .get(
      ...guard.member(`${IMPORT}/problems`, { response: null }, async (request) => {
        const { id, file_name } = await showImport(appContext, request.member, idOf(request))
        return exportProblems(appContext.db.sql, { workspaceId: request.member.workspaceId, id }, file_name)
      }),
    )

function idOf({ params: { import_id } }: ImportRequest): string {
  if (!isUuid(import_id)) throw importNotFound(import_id)
  return import_id
}
