/** CSV files imported by members of a workspace; only admins' imports make attributes and options. */

import { Elysia } from 'elysia'
import { isUuid } from '../../attribute-types/formats/uuids'
import { importNotFound } from '../../errors/errors'
import type { Console } from '../console'
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

export const importRoutes = ({ door, platform }: Console) =>
  new Elysia({ name: 'console-imports' })
    .get(
      IMPORTS,
      ...door.member({ query: ImportsQuery }, async ({ member, query }) => ({
        data: await showImports(platform, member, query.object),
        largest_file: platform.settings.importLimit,
      })),
    )
    // The body is the file.
    .post(
      IMPORTS,
      ...door.member({ query: UploadQuery }, async ({ member, query, request }) => ({
        data: await uploadFile(platform, member, query, request.body),
      })),
    )
    .get(IMPORT, ...door.member({}, async (visit) => ({ data: await showImport(platform, visit.member, idOf(visit)) })))
    .post(
      `${IMPORT}/preview`,
      ...door.member({ body: PlanBody }, async (visit) => ({
        data: await showPreview(platform, visit.member, idOf(visit), visit.body),
      })),
    )
    .post(
      `${IMPORT}/start`,
      ...door.member({ body: PlanBody }, async (visit) => ({
        data: await beginImport(platform, visit.member, idOf(visit), visit.body),
      })),
    )
    .post(
      `${IMPORT}/cancel`,
      ...door.member({}, async (visit) => ({ data: await stopImport(platform, visit.member, idOf(visit)) })),
    )
    .delete(
      IMPORT,
      ...door.member({}, async (visit) => ({ data: await forgetImport(platform, visit.member, idOf(visit)) })),
    )
    .get(
      `${IMPORT}/problems`,
      ...door.member({}, async (visit) => {
        const { id, file_name } = await getImport(platform.db.sql, visit.member, idOf(visit))
        return exportProblems(platform.db.sql, { workspaceId: visit.member.workspaceId, id }, file_name)
      }),
    )

function idOf({ params: { import_id } }: Named): string {
  if (!isUuid(import_id)) throw importNotFound(import_id)
  return import_id
}
