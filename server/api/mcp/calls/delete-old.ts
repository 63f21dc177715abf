/** Deletes old calls of tools in the background, in batches. */

import type { Database } from '#db/connect'
import type { Clock } from '#base/timing/clock'
import { periodicWorker } from '#base/timing/run-periodically'
import { deleteToolCallsBefore } from './store'

const BATCH_SIZE = 1000
const DAY_MICROS = 24 * 3600 * 1_000_000

interface DeletionContext {
  readonly db: Database
  readonly now: Clock
  /** For how many days calls are kept. */
  readonly eventsDays: number
}

export const oldToolCallDeletion = periodicWorker<DeletionContext>({
  name: 'old calls of tools',
  does: 'deletes old calls of tools',
  everyMs: 600_000,
  async work({ db, now, eventsDays }, stopping) {
    const deleteBatch = () => deleteToolCallsBefore(db, now() - eventsDays * DAY_MICROS, BATCH_SIZE)
    while (!stopping.aborted && (await deleteBatch()) === BATCH_SIZE);
  },
})
