/** Compares the rows of blobs with the stored bytes, in both directions. */

import { sql } from 'kysely'
import type { Database } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { ByteStorage } from './byte-storage'
import type { BlobKey } from './store'

interface BlobRow extends BlobKey {
  readonly size: number
  readonly references: number
}

const BATCH_SIZE = 500

/** Yields the blobs whose bytes are missing or of another size. */
export async function* findBlobsWithoutBytes(db: Database, bytes: ByteStorage): AsyncGenerator<BlobRow> {
  for (let after: BlobKey | undefined; ;) {
    const batch = await listBlobs(db, after)
    for (const row of batch) if ((await bytes.findSize(row)) !== row.size) yield row
    after = batch.at(-1)
    if (batch.length < BATCH_SIZE) return
  }
}

async function listBlobs(db: Database, after: BlobKey | undefined): Promise<BlobRow[]> {
  const rows = await controlQueriesIn(db.sql)
    .selectFrom('relata.blobs')
    .select(['workspace_id', 'digest', 'size', 'references_count'])
    .$if(after !== undefined, (some) =>
      some.where(sql<boolean>`(workspace_id, digest) > (${after?.workspaceId}, ${after?.digest})`),
    )
    .orderBy('workspace_id')
    .orderBy('digest')
    .limit(BATCH_SIZE)
    .execute()
  return rows.map(({ workspace_id, digest, size, references_count }) => ({
    workspaceId: workspace_id,
    digest,
    size: Number(size),
    references: references_count,
  }))
}

/** Yields the keys of stored bytes that have no row. Bytes are stored after their row is committed, so no upload is among them. */
export async function* findBytesWithoutBlob(db: Database, bytes: ByteStorage): AsyncGenerator<BlobKey> {
  for await (const key of bytes.list()) {
    const row = await controlQueriesIn(db.sql)
      .selectFrom('relata.blobs')
      .select('size')
      .where(equal({ workspace_id: key.workspaceId, digest: key.digest }))
      .executeTakeFirst()
    // The worker may have deleted both since the storage was listed.
    if (row === undefined && (await bytes.findSize(key)) !== undefined) yield key
  }
}

/**
 * Gives the bytes a row without references, so that the worker deletes them after the grace period and an upload of the same
 * bytes at this moment loses nothing. Bytes of a workspace that does not exist are removed at once.
 */
export async function adoptBytes(db: Database, bytes: ByteStorage, key: BlobKey): Promise<void> {
  const control = controlQueriesIn(db.sql)
  const size = await bytes.findSize(key)
  if (size === undefined) return
  const workspace = await control
    .selectFrom('relata.all_workspaces')
    .select('id')
    .where('id', '=', key.workspaceId)
    .executeTakeFirst()
  if (workspace === undefined) return bytes.remove(key)
  await control
    .insertInto('relata.blobs')
    .values({ workspace_id: key.workspaceId, digest: key.digest, size: String(size) })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'digest']).doNothing())
    .execute()
}
