/**
 * Builds the wanted indexes of a database, one after the other, and drops those that are not used. Any number of
 * processes may have one: whoever holds the lock works.
 */

import { connect, type Database } from '../../db/connect'
import { type Clock, timestampFromMicros } from '../time'
import { buildIndex, type Building } from './build'
import { nextTask } from './store'
import { dropUnused, noteUses } from './unused'

export interface IndexWorkerOptions {
  readonly db: Database
  /** Where `db` is; the worker has a connection of its own while it works. */
  readonly url: string
  readonly now: Clock
  /** After how many days without use an index is dropped. */
  readonly unusedDays: number
}

export interface IndexWorker {
  /** Builds what is wanted most; gives its name, whatever came of it, or undefined when there is nothing to do. */
  buildNext(): Promise<string | undefined>
  /** Drops what has been unused for long; gives the names. */
  dropUnused(): Promise<readonly string[]>
  /** Ends the statement that runs, if it is about this workspace or none is named; its index is tried again later. */
  interrupt(workspaceId?: string): Promise<void>
}

const APPLICATION_NAME = 'relata indexes'
const LOCK = 'relata indexes'
/**
 * Building waits for every transaction that is open; no one but changes of the same table waits for the build. It takes
 * one processor and leaves the others to callers, who read whole tables until it is done.
 */
const LOCK_TIMEOUT = '5min'

export function createIndexWorker({ db, url, now, unusedDays }: IndexWorkerOptions): IndexWorker {
  let working: { readonly workspaceId: string | null; readonly pid: number } | undefined

  /** Undefined when another process is at work. */
  async function atWork<T>(work: (building: Building, pid: number) => Promise<T>): Promise<T | undefined> {
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
      atWork(async (building, pid) => {
        const task = await nextTask(db, timestampFromMicros(now()))
        if (!task) return undefined
        working = { workspaceId: task.workspaceId, pid }
        await buildIndex(building, task)
        return task.name
      }),
    async dropUnused() {
      const dropped = await atWork(async (building, pid) => {
        working = { workspaceId: null, pid }
        await noteUses(building)
        return dropUnused(building, unusedDays)
      })
      return dropped ?? []
    },
    async interrupt(workspaceId) {
      if (!working || (workspaceId !== undefined && working.workspaceId !== workspaceId)) return
      await db.sql`select pg_cancel_backend(${working.pid})`
    },
  }
}
