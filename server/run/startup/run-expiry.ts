/** Deletes expired answers of idempotent requests, invitations, dismissals of duplicates and records in the trash in the background, in batches. */

import type { Database } from '#db/connect'
import { deleteExpiredInvitations } from '#access/members/invitations'
import { deleteOldDismissals } from '#api/console/dismissed-duplicates/dismissals'
import { deleteExpiredTrash } from '#engine/entities/trash/delete-expired'
import { erasureWith } from '#api/erasure/erase-records'
import { deleteExpiredResponses } from '#api/http/idempotency/idempotent-request'
import type { Clock } from '#base/timing/clock'
import { runPeriodically, type PeriodicTask } from '#base/timing/run-periodically'

const INTERVAL_MS = 600_000
const BATCH_SIZE = 1000
/** A record has more rows than an answer. */
const TRASH_BATCH_SIZE = 100

/** Several processes may run this: each skips the rows that another one has locked. */
export const runExpiry = (db: Database, now: Clock): PeriodicTask =>
  runPeriodically(
    INTERVAL_MS,
    async (stopping) => {
      for (const deleteBatch of [deleteExpiredResponses, deleteExpiredInvitations, deleteOldDismissals])
        while (!stopping.aborted && (await deleteBatch(db, now(), BATCH_SIZE)) === BATCH_SIZE);
      const prepareErasure = erasureWith({ now })
      const expiry = () => ({ now: now(), batchSize: TRASH_BATCH_SIZE, prepareErasure })
      while (!stopping.aborted && (await deleteExpiredTrash(db, expiry())));
    },
    'Expired answers, invitations, dismissals and records in the trash could not be deleted yet.',
  )
