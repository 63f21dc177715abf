/**
 * The index worker: builds the wanted indexes of a database, one after the other, and drops unused ones. Every process may
 * run a worker; an advisory lock lets one of them work.
 */

import { connect, type Database } from '#db/connect'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { buildIndex, type IndexBuildContext } from './build-index'
import { correctEstimates } from './correct-estimates'
import { findNextTask } from './store'
import { replaceHashIndexes } from './replace-hash-indexes'
import { deleteOldRequests, dropUnusedIndexes, recordIndexUse } from './drop-unused'

export interface IndexWorkerOptions {
  readonly db: Database
  /** The address of `db`. The worker opens a connection of its own while it works. */
  readonly url: string
  readonly now: Clock
  /** After this many days without use, an index is dropped. */
  readonly unusedDays: number
}

export interface IndexWorker {
  /** Builds the most wanted index. Returns its name, also after a failure, or undefined when none is wanted. */
  buildNext(): Promise<string | undefined>
  /** Creates statistics over columns that mislead the planner, and returns their names. */
  correctEstimates(): Promise<readonly string[]>
  /** Drops unused indexes and returns their names. */
  dropUnused(): Promise<readonly string[]>
  /** Cancels the running statement, if it is for this workspace or no workspace is given. The build is retried later. */
  interrupt(workspaceId?: string): Promise<void>
}

const APPLICATION_NAME = 'relata indexes'
const LOCK = 'relata indexes'
/**
 * A build waits for all open transactions, while only schema changes of the same table wait for the build. It runs without
 * parallel workers, so that the other processors serve the queries, which scan whole tables until the index is ready.
 */
const LOCK_TIMEOUT = '5min'

export function createIndexWorker({ db, url, now, unusedDays }: IndexWorkerOptions): IndexWorker {
  let working: { readonly workspaceId: string | null; readonly pid: number } | undefined

  /** Runs `work` with the lock. Returns undefined when another process has the lock. */
  async function withLock<T>(work: (building: IndexBuildContext, pid: number) => Promise<T>): Promise<T | undefined> {
    const own = connect(url, { max: 1, applicationName: APPLICATION_NAME })
    try {
      const [lock] = await own.sql<{ is_taken: boolean; pid: number }[]>`
        select pg_try_advisory_lock(hashtextextended(${LOCK}, 0)) as is_taken, pg_backend_pid() as pid,
          set_config('lock_timeout', ${LOCK_TIMEOUT}, false), set_config('statement_timeout', '0', false),
          set_config('max_parallel_maintenance_workers', '0', false)`
      return lock?.is_taken === true ? await work({ db, sql: own.sql, now }, lock.pid) : undefined
    } finally {
      working = undefined
      await own.close()
    }
  }

  return {
    buildNext: () =>
      withLock(async (building, pid) => {
        working = { workspaceId: null, pid }
        await replaceHashIndexes(building)
        const task = await findNextTask(db, timestampFromMicros(now()))
        if (!task) return undefined
        working = { workspaceId: task.workspaceId, pid }
        await buildIndex(building, task)
        return task.name
      }),
    async correctEstimates() {
      const created = await withLock((building, pid) =>
        correctEstimates(building, (workspaceId) => (working = { workspaceId, pid })),
      )
      return created ?? []
    },
    async dropUnused() {
      const dropped = await withLock(async (building, pid) => {
        working = { workspaceId: null, pid }
        await recordIndexUse(building)
        await deleteOldRequests(building, unusedDays)
        return dropUnusedIndexes(building, unusedDays)
      })
      return dropped ?? []
    },
    async interrupt(workspaceId) {
      if (!working || (workspaceId !== undefined && working.workspaceId !== workspaceId)) return
      await db.sql`select pg_cancel_backend(${working.pid})`
    },
  }
}
