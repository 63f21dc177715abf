import type { Database } from '#db/connect'
import { runOnLookupPool } from '#db/lookup-pool'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import type { Download } from '#api/http/signed-downloads/sign-download'

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
