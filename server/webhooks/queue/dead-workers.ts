/**
 * Finds dead workers, so that their leases can be taken before they expire. Every connection of a process carries the
 * name of the process. A process that holds a lease and has no connection was killed, or is about to connect again.
 * Decision 0062.
 */

import type { Database } from '../../../db/connect'
import { connectionName } from '../../../db/process-name'

export interface DeadWorkerCheck {
  /** The names of the processes that had no connection now and at the call before. */
  find(): Promise<string[]>
}

/** Never finds the process `self`. */
export function createDeadWorkerCheck(db: Database, self: string): DeadWorkerCheck {
  let disconnected = new Set<string>()
  return {
    async find() {
      const rows = await db.sql<{ worker: string }[]>`
        select distinct leased_by as worker from relata.webhooks
        where due_at is not null and leased_by is not null and leased_by <> ${self} and not exists (
          select 1 from pg_stat_activity where application_name = ${connectionName('')} || leased_by)`
      const before = disconnected
      disconnected = new Set(rows.map(({ worker }) => worker))
      return [...disconnected].filter((worker) => before.has(worker))
    },
  }
}
