/** Deletes expired answers of idempotent requests, expired invitations and old dismissals of duplicates in the background, in batches. */

import type { Database } from '../../db/connect'
import { deleteExpiredInvitations } from '../access/members/invitations'
import { deleteOldDismissals } from '../console/dismissed-duplicates/store'
import { deleteExpiredResponses } from '../http/idempotency/store'
import type { Clock } from '../timing/clock'
import { runPeriodically, type PeriodicTask } from '../timing/run-periodically'

const INTERVAL_MS = 600_000
const BATCH_SIZE = 1000

/** Several processes may run this: each skips the rows that another one has locked. */
export const runExpiry = (db: Database, now: Clock): PeriodicTask =>
  runPeriodically(
    INTERVAL_MS,
    async (stopping) => {
      for (const deleteBatch of [deleteExpiredResponses, deleteExpiredInvitations, deleteOldDismissals])
        while (!stopping.aborted && (await deleteBatch(db, now(), BATCH_SIZE)) === BATCH_SIZE);
    },
    'Expired answers, invitations and dismissals could not be deleted yet.',
  )
