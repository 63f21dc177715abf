/**
 * Sends look-ups over the pool `lookups`. A look-up is a statement that returns a few rows by their keys and never waits
 * for a lock of other rows. The pool has few connections, over which the driver pipelines statements.
 * See docs/decisions/plans-and-pools.md.
 */

import type { Database, Sql } from './connect'

/** More look-ups wait only while a statement ahead of them is blocked, for example by a change of its table. */
const MAX_WAITING = 12

const waitingOn = new WeakMap<Sql, number>()

/** Calls `send` with the pool to use: `lookups`, or `sql` while too many look-ups wait. */
export async function runOnLookupPool<T>(
  { lookups, sql }: Pick<Database, 'lookups' | 'sql'>,
  send: (on: Sql) => Promise<T>,
) {
  const waiting = waitingOn.get(lookups) ?? 0
  if (waiting >= MAX_WAITING) return send(sql)
  waitingOn.set(lookups, waiting + 1)
  try {
    return await send(lookups)
  } finally {
    waitingOn.set(lookups, (waitingOn.get(lookups) ?? 1) - 1)
  }
}
