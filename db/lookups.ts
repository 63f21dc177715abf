/**
 * Where look-ups are sent: statements that give a few rows by their keys, and never wait for a lock of other rows. They
 * share few connections, each of which is sent the next before it has answered the last. Decision 0039.
 */

import type { Database, Sql } from './connect'

/** Behind so many something is in the way, which must not hold up others: a table that is being changed. */
const MOST_WAITING = 12

const waiting = new WeakMap<Sql, number>()

/** Gives what `send` gives, which sends one look-up over the connection it is given. */
export async function onLookups<T>({ lookups, sql }: Pick<Database, 'lookups' | 'sql'>, send: (on: Sql) => Promise<T>) {
  const before = waiting.get(lookups) ?? 0
  if (before >= MOST_WAITING) return send(sql)
  waiting.set(lookups, before + 1)
  try {
    return await send(lookups)
  } finally {
    waiting.set(lookups, (waiting.get(lookups) ?? 1) - 1)
  }
}
