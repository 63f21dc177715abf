import type { Database } from '#db/connect'
import { runOnLookupPool } from '#db/lookup-pool'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import type { Download } from '#api/http/signed-downloads/sign-download'
import { sql } from 'kysely'
import type { StorageAnswer } from './schemas'

/** Undefined for a file that does not exist, for one of a hidden object, and for an entry without content. */
export async function findDownload(db: Database, model: DataModel, id: string): Promise<Download | undefined> {
  const workspaceId = model.workspace.id
  const row = await runOnLookupPool(db, (on) =>
    controlQueriesIn(on)
      .selectFrom('relata.files')
      .select(['object_id', 'name', 'detected_type', 'blob_digest'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  if (!row?.blob_digest || row.name === null || isHiddenObjectId(model, row.object_id)) return undefined
  const { name: fileName, blob_digest: digest, detected_type } = row
  return { workspaceId, digest, fileName, type: detected_type ?? 'application/octet-stream' }
}

/** Measures what a workspace stores. Reads the row of each of its blobs, a million in less than a second. */
export async function measureStorage(db: Database, workspaceId: string): Promise<StorageAnswer> {
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
