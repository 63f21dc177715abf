/** Deletes blobs without references, and the temporary files of dead processes, in the background. */

import type { Database } from '#db/connect'
import { logError } from '#base/logging/log-error'
import { periodicWorker } from '#base/timing/run-periodically'
import type { BlobStore } from './blob-store'
import { deleteExpired, listExpired } from './store'

const BATCH_SIZE = 100

/** Longer than an upload needs from the storing of its bytes to its commit. */
const GRACE_SECONDS = 3600

interface BlobContext {
  readonly db: Database
  readonly blobs: BlobStore
}

/** Several processes may run this: each skips the rows that another one has locked. */
export const blobDeletion = periodicWorker<BlobContext>({
  name: 'blobs',
  does: 'deletes blobs without references',
  everyMs: 600_000,
  work: (context, stopping) => deleteUnreferenced(context, GRACE_SECONDS, stopping),
})

export const temporaryFileDeletion = periodicWorker<Pick<BlobContext, 'blobs'>>({
  name: 'temporary files',
  does: 'removes the temporary files of dead processes',
  // A temporary file is removed after two runs.
  everyMs: 30_000,
  work: ({ blobs }) => blobs.removeDeadTemporaryFiles(),
})

/** Deletes the blobs that have had no reference for `graceSeconds`. A blob that cannot be deleted holds up no other. */
export async function deleteUnreferenced(
  { db, blobs }: BlobContext,
  graceSeconds: number,
  stopping?: AbortSignal,
): Promise<void> {
  for (;;) {
    const expired = await listExpired(db.sql, graceSeconds, BATCH_SIZE)
    let deleted = 0
    for (const key of expired) {
      if (stopping?.aborted) return
      try {
        if (await deleteExpired(db.sql, key, graceSeconds, () => blobs.bytes.remove(key))) deleted++
      } catch (error) {
        logError('A blob could not be deleted yet.', error, { workspace_id: key.workspaceId })
      }
    }
    // A further batch would begin with the blobs that were not deleted.
    if (deleted < BATCH_SIZE) return
  }
}
