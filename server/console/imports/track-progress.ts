/** Notes how far an import is, now and then, and hears there whether it is to go on. */

import type { ImportListener } from '../../import/run-import'
import { logError } from '../../logging/log-error'
import type { Surroundings } from './run-leased-import'
import { type ClaimedImport, type Lease, type NotedProblem, noteProgress } from './leases'

const EVERY_MS = 500
/** So many wait in memory until they are noted. */
const MOST_WAITING = 2000
/** Further ones are counted and not kept. */
export const MOST_KEPT = 100_000

type Problem = Parameters<ImportListener['onProblem']>[0]

export function createNotes({ db, now, stopping }: Surroundings, claimed: ClaimedImport, lease: Lease) {
  let { counts, problems } = claimed
  let bytesRead = 0
  let waiting: NotedProblem[] = []
  let last: 'ours' | 'cancelled' | 'lost' = claimed.isCancelled ? 'cancelled' : 'ours'
  let noting: Promise<void> | undefined

  /** What could not be noted waits for the next note. */
  async function write(): Promise<void> {
    const newProblems = waiting
    waiting = []
    try {
      last = await noteProgress(db.sql, claimed, lease, { counts, bytesRead, problems, newProblems }, now())
    } catch (error) {
      waiting = [...newProblems, ...waiting]
      throw error
    }
  }

  /** One at a time; a note that fails is no reason to end the import before its lease does. */
  const note = (): Promise<void> =>
    (noting ??= write()
      .catch((error: unknown) => logError('How far an import is could not be noted yet.', error))
      .finally(() => (noting = undefined)))

  const timer = setInterval(() => void note(), EVERY_MS)
  return {
    onRead: (bytes: number): void => {
      bytesRead = bytes
    },
    onCounts: (counted: ClaimedImport['counts']): void => {
      counts = counted
    },
    async onProblem({ line, outcome, column, value, reason }: Problem): Promise<void> {
      problems++
      if (problems <= MOST_KEPT) waiting.push({ number: problems, line, outcome, column, value, reason })
      if (waiting.length >= MOST_WAITING) await note()
    },
    isToStop: (): boolean => last !== 'ours' || stopping.aborted,
    isCancelled: (): boolean => last === 'cancelled',
    hasMoved: (): boolean => counts.read > claimed.counts.read,
    /** Notes what is left. */
    async finish(): Promise<void> {
      clearInterval(timer)
      await noting
      await write()
    },
  }
}
