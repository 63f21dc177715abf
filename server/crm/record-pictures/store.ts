/** The rows of the pictures of records. A row has an uploaded picture, or what was fetched from the sources of the record. */

import { sql } from 'kysely'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { Database, Sql, Transaction } from '#db/connect'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { type Lease, type Queue, released, updateLeased } from '#engine/queue'

export interface PictureRow {
  readonly record_id: string
  readonly blob_digest: Buffer | null
  /** Null for an uploaded picture. */
  readonly sources_hash: Buffer | null
  readonly expires_at: string | null
  readonly due_at: string | null
}

interface ObjectKey {
  readonly workspaceId: string
  readonly objectId: string
}

/** Slow hosts of one workspace hold up no other workspace. */
const MAX_OF_A_WORKSPACE = 3
/** Each look for work reads the due rows of a workspace whose hosts are slow. */
export const MAX_DUE = 200

export const pictureQueue: Queue<'relata.record_pictures'> & { readonly lease: Micros } = {
  table: 'relata.record_pictures',
  id: 'record_id',
  lease: 60_000_000,
  sends: true,
  isReady: (at) => sql<boolean>`${MAX_OF_A_WORKSPACE} > (
    select count(*) from relata.record_pictures leased
    where leased.workspace_id = q.workspace_id and leased.leased_by is not null and leased.due_at > ${at}::timestamptz)`,
}

export const findPictureRows = (
  on: Sql,
  { workspaceId, objectId }: ObjectKey,
  recordIds: readonly string[],
): Promise<PictureRow[]> =>
  controlQueriesIn(on)
    .selectFrom('relata.record_pictures')
    .select(['record_id', 'blob_digest', 'sources_hash', 'expires_at', 'due_at'])
    .where(equal({ workspace_id: workspaceId, object_id: objectId, record_id: anyOf(recordIds) }))
    .execute()

export interface RequestedFetch {
  readonly recordId: string
  readonly sourcesHash: Buffer
}

/** How many more fetches of a workspace may be due. The others are requested again by later pages, so that the queue stays short. */
export async function roomForFetches(on: Sql, workspaceId: string): Promise<number> {
  const control = controlQueriesIn(on)
  const due = control
    .selectFrom('relata.record_pictures')
    .select('record_id')
    .where('workspace_id', '=', workspaceId)
    .where('due_at', 'is not', null)
    .limit(MAX_DUE)
  const { count } = await control
    .selectFrom(due.as('due'))
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return MAX_DUE - Number(count)
}

/** Makes fetches due. A picture from the same sources stays until another one is fetched. An uploaded picture stays, and so does a fetch that is due. */
export async function requestFetches(
  on: Sql,
  { workspaceId, objectId }: ObjectKey,
  fetches: readonly RequestedFetch[],
  now: Micros,
): Promise<void> {
  const at = timestampFromMicros(now)
  // In one order, so that two requests for the same records do not deadlock.
  const rows = fetches
    .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
    .map(({ recordId, sourcesHash }) => ({
      workspace_id: workspaceId,
      object_id: objectId,
      record_id: recordId,
      sources_hash: sourcesHash,
      expires_at: at,
      due_at: at,
    }))
  await controlQueriesIn(on)
    .insertInto('relata.record_pictures')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'record_id'])
        .doUpdateSet(({ eb, ref }) => ({
          sources_hash: ref('excluded.sources_hash'),
          due_at: ref('excluded.due_at'),
          attempts: 0,
          blob_digest: eb
            .case()
            .when('relata.record_pictures.sources_hash', '=', ref('excluded.sources_hash'))
            .then(ref('relata.record_pictures.blob_digest'))
            .end(),
        }))
        .where('relata.record_pictures.sources_hash', 'is not', null)
        .where('relata.record_pictures.due_at', 'is', null),
    )
    .execute()
}

export interface PictureFetchEnd {
  readonly digest: Buffer | null
  readonly sourcesHash: Buffer
  readonly expiresAt: Micros
}

/** Ends a fetch. Does nothing when another process has it, or when the record was deleted. */
export const endPictureFetch = (
  on: Sql,
  lease: Lease,
  { digest, sourcesHash, expiresAt }: PictureFetchEnd,
): Promise<unknown> =>
  updateLeased(
    on,
    pictureQueue,
    lease,
    {
      ...released(null),
      blob_digest: digest,
      sources_hash: sourcesHash,
      expires_at: timestampFromMicros(expiresAt),
    },
    'record_id',
  )

/** Replaces the picture of a record by an uploaded one. The blob must exist, and the record is locked against deletion. */
export async function storeUpload(
  tx: Transaction,
  { workspaceId, objectId }: ObjectKey,
  recordId: string,
  digest: Buffer,
): Promise<void> {
  const content = { blob_digest: digest, sources_hash: null, expires_at: null, ...released(null) }
  await controlQueriesIn(tx)
    .insertInto('relata.record_pictures')
    .values({ workspace_id: workspaceId, object_id: objectId, record_id: recordId, ...content })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'record_id']).doUpdateSet(content))
    .execute()
}

/** Stores the bytes of a picture. The caller must refer to them within the grace period of blobs. */
export async function savePicture(blobs: BlobStore, workspaceId: string, bytes: Uint8Array): Promise<Buffer> {
  const file = await blobs.receive(once(bytes), bytes.length)
  return (await blobs.save(workspaceId, file)).digest
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** Deletes an uploaded picture. One that was fetched stays. */
export async function deleteUpload(on: Sql, { workspaceId, objectId }: ObjectKey, recordId: string): Promise<void> {
  await controlQueriesIn(on)
    .deleteFrom('relata.record_pictures')
    .where(equal({ workspace_id: workspaceId, object_id: objectId, record_id: recordId }))
    .where('sources_hash', 'is', null)
    .execute()
}

/** A fetched picture that was shown since it expired was fetched again. */
const UNUSED_MICROS = 30 * 86_400_000_000

/** Deletes fetched pictures that no page showed for long. Returns the number of deleted rows. */
export async function deleteUnusedPictures({ control }: Database, now: Micros, limit: number): Promise<number> {
  const { numDeletedRows } = await control
    .deleteFrom('relata.record_pictures as p')
    .using((query) =>
      query
        .selectFrom('relata.record_pictures')
        .select(['workspace_id', 'record_id'])
        .where('expires_at', '<', timestampFromMicros(now - UNUSED_MICROS))
        .where('due_at', 'is', null)
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('unused'),
    )
    .whereRef('p.workspace_id', '=', 'unused.workspace_id')
    .whereRef('p.record_id', '=', 'unused.record_id')
    .executeTakeFirst()
  return Number(numDeletedRows)
}
