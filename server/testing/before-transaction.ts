/** Makes a race come out the same each time: a change happens between the reads of an operation and its transaction. */

import type { Sql, Transaction } from '#db/connect'

/** A connection that runs `change` once, before its first transaction. */
export const beforeFirstTransaction = (sql: Sql, change: () => Promise<unknown>): Sql =>
  beforeTransactions(sql, 1, change)

/** A connection that runs `change` before each of its first `count` transactions. */
export function beforeTransactions(sql: Sql, count: number, change: () => Promise<unknown>): Sql {
  let begun = 0
  return new Proxy(sql, {
    get(target, member) {
      if (member !== 'begin' || begun === count) return Reflect.get(target, member)
      begun++
      return async (run: (tx: Transaction) => Promise<unknown>) => {
        await change()
        return target.begin(run)
      }
    },
  })
}
