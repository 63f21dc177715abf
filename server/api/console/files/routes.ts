/** What only the console asks of files. See docs/reference/files.md (At the console). */

import { Elysia } from 'elysia'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { fileNotFound } from '#base/errors/meetings'
import { signDownload } from '#api/http/signed-downloads/sign-download'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { findDownload, measureStorage } from './files'
import { StorageAnswer } from './schemas'

const WORKSPACE = '/console/api/workspaces/:workspace_id'

export const consoleFileRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-files' })
    .get(
      `${WORKSPACE}/storage`,
      ...guard.member({ response: StorageAnswer }, ({ member }) => measureStorage(appContext.db, member.workspaceId)),
    )
    // For links and images, which cannot name the workspace in a header. The URL is of the host that the browser uses.
    .get(
      `${WORKSPACE}/files/:file_id/content`,
      ...guard.member({ response: null }, async ({ member, params: { file_id } }) => {
        const model = await getMemberModel(appContext, member)
        const download = isUuid(file_id) ? await findDownload(appContext.db, model, file_id) : undefined
        if (download === undefined) throw fileNotFound(file_id)
        const { pathname } = new URL(appContext.settings.appUrl)
        const Location = (pathname === '/' ? '' : pathname) + (await signDownload(appContext, download))
        return new Response(null, { status: 302, headers: { Location } })
      }),
    )
