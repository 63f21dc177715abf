/** CSV files imported by members of a workspace; only admins' imports make attributes and options. */

import { Elysia } from 'elysia'
import { isUuid } from '../../attribute-types/formats/uuids'
import { importNotFound } from '../../errors/errors'
import type { ConsoleContext } from '../console-context'
import { beginImport, forgetImport, showImport, showImports, showPreview, stopImport } from './ask'
import { exportProblems } from './problems'
import { ImportsQuery, PlanBody, UploadQuery } from './schemas'
import { getImport } from './store'
import { uploadFile } from './upload'

const IMPORTS = '/console/api/workspaces/:workspace_id/imports'
const IMPORT = `${IMPORTS}/:import_id`

interface Named {
  readonly params: { readonly import_id: string }
}

export const importRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-imports' })
    .get(
      IMPORTS,
      ...guard.member({ query: ImportsQuery }, async ({ member, query }) => ({
        data: await showImports(appContext, member, query.object),
        largest_file: appContext.settings.importLimit,
      })),
    )
    // The body is the file.
    .post(
      IMPORTS,
      ...guard.member({ query: UploadQuery }, async ({ member, query, request }) => ({
        data: await uploadFile(appContext, member, query, request.body),
      })),
    )
    .get(
      IMPORT,
      ...guard.member({}, async (visit) => ({ data: await showImport(appContext, visit.member, idOf(visit)) })),
    )
    .post(
      `${IMPORT}/preview`,
      ...guard.member({ body: PlanBody }, async (visit) => ({
        data: await showPreview(appContext, visit.member, idOf(visit), visit.body),
      })),
    )
    .post(
      `${IMPORT}/start`,
      ...guard.member({ body: PlanBody }, async (visit) => ({
        data: await beginImport(appContext, visit.member, idOf(visit), visit.body),
      })),
    )
    .post(
      `${IMPORT}/cancel`,
      ...guard.member({}, async (visit) => ({ data: await stopImport(appContext, visit.member, idOf(visit)) })),
    )
    .delete(
      IMPORT,
      ...guard.member({}, async (visit) => ({ data: await forgetImport(appContext, visit.member, idOf(visit)) })),
    )
    .get(
      `${IMPORT}/problems`,
      ...guard.member({}, async (visit) => {
        const { id, file_name } = await getImport(appContext.db.sql, visit.member, idOf(visit))
        return exportProblems(appContext.db.sql, { workspaceId: visit.member.workspaceId, id }, file_name)
      }),
    )

function idOf({ params: { import_id } }: Named): string {
  if (!isUuid(import_id)) throw importNotFound(import_id)
  return import_id
}
