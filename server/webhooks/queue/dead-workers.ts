/**
 * Which processes that hold leases are no more, so that nobody waits for their leases to end. Every connection of a process
 * carries its name; one that holds a lease and has no connection was killed, or is about to connect again. Decision 0062.
 */

import type { Database } from '../../../db/connect'

/** The name that all connections of a process go by. */
export const connectionName = (process: string): string => `relata ${process}`

export interface DeadWorkerCheck {
  /** Those that were missing the last time already. */
  findGone(): Promise<string[]>
}

/** `self` is never gone. */
export function createDeadWorkerCheck(db: Database, self: string): DeadWorkerCheck {
  let missing = new Set<string>()
  return {
    async findGone() {
      const rows = await db.sql<{ holder: string }[]>`
        select distinct leased_by as holder from relata.webhooks
        where due_at is not null and leased_by is not null and leased_by <> ${self} and not exists (
          select 1 from pg_stat_activity where application_name = ${connectionName('')} || leased_by)`
      const before = missing
      missing = new Set(rows.map(({ holder }) => holder))
      return [...missing].filter((holder) => before.has(holder))
    },
  }
}
