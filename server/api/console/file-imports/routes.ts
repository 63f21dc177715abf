/** The routes for imports of email and calendar files at the console. */

import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { importFile } from './import-file'
import { FileImportQuery, LargestFileAnswer } from './schemas'

const FILE_IMPORTS = '/console/api/workspaces/:workspace_id/file-imports'

export const fileImportRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-file-imports' })
    .get(
      ...guard.member(FILE_IMPORTS, { response: LargestFileAnswer }, () => ({
        data: { largest_file: appContext.settings.importLimit },
      })),
    )
    // The request body is the file.
    .post(
      ...guard.member(FILE_IMPORTS, { response: null, query: FileImportQuery }, ({ member, query, request }) =>
        importFile(appContext, member, query, request),
      ),
    )
