/** Makes a race come out the same each time: a change happens between the reads of an operation and its transaction. */

import type { Sql, Transaction } from '#db/connect'

/** A connection that runs `change` once, before its first transaction. */
export function beforeFirstTransaction(sql: Sql, change: () => Promise<unknown>): Sql {
  let isDone = false
  return new Proxy(sql, {
    get(target, member) {
      if (member !== 'begin' || isDone) return Reflect.get(target, member)
      isDone = true
      return async (run: (tx: Transaction) => Promise<unknown>) => {
        await change()
        return target.begin(run)
      }
    },
  })
}
