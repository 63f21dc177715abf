/**
 * The rows of blobs, and their comparison with the stored bytes. Triggers count the references; see
 * `db/migrations/0170_base/15_blobs_and_files.sql`.
 */

import { sql } from 'kysely'
import type { Sql, Database } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { BlobKey, ByteStorage } from './byte-storage'

/** Inserts the row of a blob whose bytes are stored next. The row of an unreferenced blob gets a new grace period. */
export async function insertBlob(on: Sql, { workspaceId, digest }: BlobKey, size: number): Promise<void> {
  await controlQueriesIn(on)
    .insertInto('relata.blobs')
    .values({ workspace_id: workspaceId, digest, size: String(size) })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'digest'])
        .doUpdateSet({ unreferenced_at: sql`clock_timestamp()` })
        .where('relata.blobs.references_count', '=', 0),
    )
    .execute()
}

export interface StoredBlob {
  readonly size: number
  readonly references: number
}

export async function findBlob(on: Sql, { workspaceId, digest }: BlobKey): Promise<StoredBlob | undefined> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.blobs')
    .select(['size', 'references_count'])
    .where(equal({ workspace_id: workspaceId, digest }))
    .executeTakeFirst()
  return row && { size: Number(row.size), references: row.references_count }
}

/** A copy of the database may share the bytes with its original, so it deletes none while it is held. */
const isExpired = (graceSeconds: number) =>
  sql<boolean>`unreferenced_at <= now() - make_interval(secs => ${graceSeconds})
    and not exists (select from relata.installation where held_at is not null)`

/** Lists blobs of a workspace. */
export async function listBlobs(on: Sql, workspaceId: string, limit: number): Promise<BlobKey[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.blobs')
    .select('digest')
    .where('workspace_id', '=', workspaceId)
    .limit(limit)
    .execute()
  return rows.map(({ digest }) => ({ workspaceId, digest }))
}

/** Lists blobs that have had no reference for the grace period, the oldest first. */
export async function listExpired(on: Sql, graceSeconds: number, limit: number): Promise<BlobKey[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.blobs')
    .select(['workspace_id', 'digest'])
    .where(isExpired(graceSeconds))
    .orderBy('unreferenced_at')
    .limit(limit)
    .execute()
  return rows.map(({ workspace_id, digest }) => ({ workspaceId: workspace_id, digest }))
}

/**
 * Deletes the row of an expired blob, and its bytes with `removeBytes` before the deletion commits. The lock of the row makes
 * uploads of the same bytes wait. Returns false when the blob has expired no longer, or when another process deletes it.
 */
export async function deleteExpired(
  on: Sql,
  { workspaceId, digest }: BlobKey,
  graceSeconds: number,
  removeBytes: () => Promise<void>,
): Promise<boolean> {
  const done = await on.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    const locked = await control
      .selectFrom('relata.blobs')
      .select('digest')
      .where(equal({ workspace_id: workspaceId, digest }))
      .where(isExpired(graceSeconds))
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (locked === undefined) return { isDeleted: false }
    await control
      .deleteFrom('relata.blobs')
      .where(equal({ workspace_id: workspaceId, digest }))
      .execute()
    await removeBytes()
    return { isDeleted: true }
  })
  return (done as { isDeleted: boolean }).isDeleted // the driver's type for the callback's result is wider
}

// Compares the rows of blobs with the stored bytes, in both directions.

interface BlobRow extends BlobKey {
  readonly size: number
  readonly references: number
}

const BATCH_SIZE = 500

/** Yields the blobs whose bytes are missing or of another size. */
export async function* findBlobsWithoutBytes(db: Database, bytes: ByteStorage): AsyncGenerator<BlobRow> {
  for (let after: BlobKey | undefined; ;) {
    const batch = await listBlobsOfAll(db, after)
    for (const row of batch) if ((await bytes.findSize(row)) !== row.size) yield row
    after = batch.at(-1)
    if (batch.length < BATCH_SIZE) return
  }
}

async function listBlobsOfAll(db: Database, after: BlobKey | undefined): Promise<BlobRow[]> {
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
