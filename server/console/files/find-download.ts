import type { Database } from '../../../db/connect'
import { runOnLookupPool } from '../../../db/lookup-pool'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import type { Download } from '../../http/signed-downloads/sign-download'

/** Undefined for a file that does not exist, and for an entry without content. */
export async function findDownload(db: Database, workspaceId: string, id: string): Promise<Download | undefined> {
  const row = await runOnLookupPool(db, (on) =>
    controlQueriesIn(on)
      .selectFrom('relata.files')
      .select(['name', 'detected_type', 'blob_digest'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst(),
  )
  if (!row?.blob_digest || row.name === null) return undefined
  const { name: fileName, blob_digest: digest, detected_type } = row
  return { workspaceId, digest, fileName, type: detected_type ?? 'application/octet-stream' }
}
