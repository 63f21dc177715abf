/** What only the console asks of files. See docs/reference/files.md (At the console). */

import { Elysia } from 'elysia'
import { isUuid } from '#vocabulary/uuids'
import { fileNotFound } from '#base/errors/meetings'
import { type Download, signDownload } from '#api/http/signed-downloads/sign-download'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { StorageAnswer } from './schemas'
import { type Database, runOnLookupPool } from '#db/connect'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import { sql } from 'kysely'

const WORKSPACE = '/console/api/workspaces/:workspace_id'

export const consoleFileRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-files' })
    .get(
      ...guard.member(`${WORKSPACE}/storage`, { response: StorageAnswer }, ({ member }) =>
        measureStorage(appContext.db, member.workspaceId),
      ),
    )
    // For links and images, which cannot name the workspace in a header. The URL is of the host that the browser uses.
    .get(
      ...guard.member(
        `${WORKSPACE}/files/:file_id/content`,
        { response: null },
        async ({ member, params: { file_id } }) => {
          const model = await getMemberModel(appContext, member)
          const download = isUuid(file_id) ? await findDownload(appContext.db, model, file_id) : undefined
          if (download === undefined) throw fileNotFound(file_id)
          const { pathname } = new URL(appContext.settings.appUrl)
          const Location = (pathname === '/' ? '' : pathname) + (await signDownload(appContext, download))
          return new Response(null, { status: 302, headers: { Location } })
        },
      ),
    )

/** Undefined for a file that does not exist, for one of a hidden object, and for an entry without content. */
async function findDownload(db: Database, model: DataModel, id: string): Promise<Download | undefined> {
  const workspaceId = model.workspace.id
  const row = await runOnLookupPool(db, (on) =>
    controlQueriesIn(on)
      .selectFrom('relata.files')
      .select(['object_id', 'name', 'detected_type', 'blob_digest'])
      .where(equal({ workspace_id: workspaceId, id }))
      .executeTakeFirst(),
  )
  if (!row?.blob_digest || row.name === null || isHiddenObjectId(model, row.object_id)) return undefined
  const { name: fileName, blob_digest: digest, detected_type } = row
  return { workspaceId, digest, fileName, type: detected_type ?? 'application/octet-stream' }
}

/** Measures what a workspace stores. Reads the row of each of its blobs, a million in less than a second. */
async function measureStorage(db: Database, workspaceId: string): Promise<StorageAnswer> {
  const row = await controlQueriesIn(db.queries)
    .selectFrom('relata.blobs')
    .select([
      sql<string>`coalesce(sum(references_count), 0)`.as('files'),
      sql<string>`coalesce(sum(size), 0)`.as('bytes'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('references_count', '>', 0)
    .executeTakeFirstOrThrow()
  return { data: { files: Number(row.files), bytes: Number(row.bytes) } }
}
