/**
 * Builds the wanted indexes of a database, one after the other, and drops those that are not used. Any number of
 * processes may have one: whoever holds the lock works.
 */

import { connect, type Database, type Sql } from '../../db/connect'
import { TABLE_NEEDED_CHANNEL } from '../data-model/change'
import { type Clock, timestampFromMicros } from '../time'
import { buildIndex, type Building } from './build'
import { INDEXES_CHANNEL, nextTask } from './store'
import { dropUnused, noteUses } from './unused'

export interface IndexWorkerOptions {
  readonly db: Database
  /** Where `db` is; the worker opens a connection of its own while it works. */
  readonly url: string
  readonly now: Clock
  /** After how long without use an index is dropped. */
  readonly unusedDays: number
}

export interface IndexWorker {
  /** Builds what is wanted most; gives its name, whatever came of it, or undefined when there is nothing to do. */
  buildNext(): Promise<string | undefined>
  /** Drops what has been unused for long; gives the names. */
  dropUnused(): Promise<string[]>
  /** Works whenever there is something to do, until stopped. */
  start(): Promise<void>
  /** What is being built is left for the next start. */
  stop(): Promise<void>
}

const APPLICATION_NAME = 'relata indexes'
const LOCK = 'relata indexes'
/** Building waits for every transaction that is open; no one else waits for the build. */
const LOCK_TIMEOUT = '5min'
const LOOK_EVERY_MS = 60_000
const DROP_EVERY_MS = 3_600_000

export function createIndexWorker({ db, url, now, unusedDays }: IndexWorkerOptions): IndexWorker {
  let isStopped = false
  let working: { readonly workspaceId: string; readonly sql: Sql } | undefined
  let pass: Promise<void> | undefined
  let lookAgain = false

  /** Undefined when another process is at work. */
  async function atWork<T>(work: (building: Building) => Promise<T>): Promise<T | undefined> {
    const own = connect(url, { max: 1, applicationName: APPLICATION_NAME })
    try {
      const [lock] = await own.sql<{ taken: boolean }[]>`
        select pg_try_advisory_lock(hashtextextended(${LOCK}, 0)) as taken,
          set_config('lock_timeout', ${LOCK_TIMEOUT}, false), set_config('statement_timeout', '0', false)`
      return lock?.taken === true ? await work({ db, sql: own.sql, now }) : undefined
    } finally {
      await own.close()
    }
  }

  const buildNext = () =>
    atWork(async (building) => {
      const task = await nextTask(db, timestampFromMicros(now()))
      if (!task || isStopped) return undefined
      working = { workspaceId: task.workspaceId, sql: building.sql }
      await buildIndex(building, task).finally(() => (working = undefined))
      return task.name
    })

  const dropUnusedOnes = async () =>
    (await atWork(async (building) => {
      await noteUses(building)
      return dropUnused(building, unusedDays)
    })) ?? []

  return { buildNext, dropUnused: dropUnusedOnes, start, stop }
}
