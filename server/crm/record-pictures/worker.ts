/** Fetches the pictures of records beside requests: a few at a time in each process, the one due first before the others. */

import type { Database } from '#db/connect'
import type { Clock } from '#base/timing/clock'
import type { BlobStore } from '#crm/blobs/blob-store'
import type { ModelCache } from '#engine/data-model/cache'
import { deleteTaken, leaseOf, queueWorker, type Taken, takeOne, type WorkRun } from '#engine/queue'
import { findEntities } from '#engine/storage/read-entities'
import type { PictureClient } from './picture-client'
import { hashOfSources, type PictureSource, sourceAttributes, sourcesOf } from './find-pictures'
import { endFetch, pictureQueue, savePicture } from './store'

interface PictureWorkerContext {
  readonly db: Database
  readonly now: Clock
  readonly models: ModelCache
  readonly blobs: BlobStore
  readonly pictures: PictureClient
}

const DAY = 86_400_000_000
/** A fetched picture is fetched again after this time, and one that could not be fetched. */
const EXPIRES_AFTER = 30 * DAY
const FAILED_EXPIRES_AFTER = DAY
/** A picture during whose fetch the process ended so often is not tried again before it expires. */
const MAX_ATTEMPTS = 3

export const pictureWorker = queueWorker<PictureWorkerContext>({
  name: 'pictures',
  does: 'fetches pictures of records',
  queue: pictureQueue,
  everyMs: 15_000,
  slots: 4,
  take: takeOne(pictureQueue, runFetch),
})

/** An interrupted fetch is due again when its lease ends. */
async function runFetch(
  { context, stopping }: WorkRun<PictureWorkerContext>,
  row: Taken<'relata.record_pictures'>,
): Promise<void> {
  const { db, now } = context
  const sources = await findSources(context, row)
  if (sources.length === 0) return deleteTaken(db.sql, pictureQueue, row.workspace_id, [row.record_id])
  const bytes = row.attempts > MAX_ATTEMPTS ? undefined : await fetchFirst(context, sources, stopping)
  if (stopping.aborted) return
  const sourcesHash = hashOfSources(sources)
  const earlier = row.sources_hash?.equals(sourcesHash) === true ? row.blob_digest : null
  await endFetch(db.sql, leaseOf(pictureQueue, row), {
    digest: bytes === undefined ? earlier : await savePicture(context.blobs, row.workspace_id, bytes),
    sourcesHash,
    expiresAt: now() + (bytes === undefined ? FAILED_EXPIRES_AFTER : EXPIRES_AFTER),
  })
}

/** The present sources; none when the record or its object was deleted, or when a setting was turned off. */
async function findSources(
  { db, models }: PictureWorkerContext,
  { workspace_id, object_id, record_id }: Taken<'relata.record_pictures'>,
): Promise<PictureSource[]> {
  const model = await models.reload(workspace_id)
  const object = model.entityTypesById.get(object_id)
  if (object?.kind !== 'object') return []
  const attributes = sourceAttributes(model, object)
  const record = (await findEntities(db.sql, model, object, [record_id], attributes)).get(record_id)
  return record === undefined ? [] : sourcesOf(attributes, record)
}

async function fetchFirst(
  { pictures }: PictureWorkerContext,
  sources: readonly PictureSource[],
  stopping: AbortSignal,
): Promise<Uint8Array | undefined> {
  for (const source of sources) {
    const bytes =
      'url' in source
        ? await pictures.fetchPicture(source.url, stopping)
        : await pictures.fetchLogo(source.domain, stopping)
    if (bytes !== undefined) return bytes
  }
  return undefined
}
