/** Stores the progress of an import twice a second, and reads with each update whether this process still has the lease. */

import type { Database } from '#db/connect'
import type { RowProblem } from '#transfer/import/problems/row-problem'
import type { RowCounts } from '#transfer/import/row-counts'
import { logError } from '#base/logging/log-error'
import type { Clock } from '#base/timing/clock'
import { type LeasedImport, type LeaseId, type LeaseState, type NumberedProblem, storeProgress } from './leases'

const EVERY_MS = 500
/** A full buffer is stored at once. */
const MAX_BUFFERED = 2000
/** Further problems are counted and not stored. */
export const MAX_STORED = 100_000

export type ProgressTracker = ReturnType<typeof trackProgress>

export function trackProgress(db: Database, now: Clock, leased: LeasedImport, leaseId: LeaseId) {
  let { counts, problems } = leased
  let bytesRead = 0
  let buffer: NumberedProblem[] = []
  let leaseState: LeaseState = leased.isCancelled ? 'cancelled' : 'ours'
  let pendingStore: Promise<void> | undefined

  /** Keeps the problems in the buffer when the update fails. */
  async function storeNow(): Promise<void> {
    const newProblems = buffer
    buffer = []
    try {
      leaseState = await storeProgress(db.sql, leased, leaseId, { counts, bytesRead, problems, newProblems }, now())
    } catch (error) {
      buffer = [...newProblems, ...buffer]
      throw error
    }
  }

  /** Runs one update at a time. A failed update does not end the import as long as its lease lasts. */
  const store = (): Promise<void> =>
    (pendingStore ??= storeNow()
      .catch((error: unknown) => logError('The progress of an import could not be stored yet.', error))
      .finally(() => (pendingStore = undefined)))

  const timer = setInterval(() => void store(), EVERY_MS)
  return {
    onRead: (bytes: number): void => {
      bytesRead = bytes
    },
    onCounts: (newCounts: RowCounts): void => {
      counts = newCounts
    },
    async onProblem({ line, outcome, column, value, reason }: RowProblem): Promise<void> {
      problems++
      if (problems <= MAX_STORED) buffer.push({ number: problems, line, outcome, column, value, reason })
      if (buffer.length >= MAX_BUFFERED) await store()
    },
    ownsLease: (): boolean => leaseState === 'ours',
    isCancelled: (): boolean => leaseState === 'cancelled',
    hasReadRows: (): boolean => counts.read > leased.counts.read,
    /** Stores the rest. */
    async finish(): Promise<void> {
      clearInterval(timer)
      await pendingStore
      await storeNow()
    },
  }
}
