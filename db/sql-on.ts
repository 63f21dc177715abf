/** The driver's interface on a transaction, with a say in how each statement is sent. */

import type { Transaction } from './connect'

/** Sends a statement when it is time; resolves with what it gave. */
export type Sending = (send: () => Promise<unknown>) => Promise<unknown>

/** The driver's query. It asks its handler to send it when somebody first waits for it, and is told what came of it. */
interface Sendable extends Promise<unknown> {
  handler(query: Sendable): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** The transaction's functions, each of whose statements `sending` sends; with members added or replaced. */
export function sqlOn<M extends object>(tx: Transaction, sending: Sending, members: M): Transaction & M {
  const statement = (...args: Parameters<Transaction>) => steered(tx(...args), sending)
  const unsafe = (...args: Parameters<Transaction['unsafe']>) => steered(tx.unsafe(...args), sending)
  return Object.assign(statement, tx, { unsafe }, members) as never // `statement` is as generic as the driver's own
}

/** Whoever waits for the query hears of it only when `sending` is done with it. */
function steered<Q>(query: Q, sending: Sending): Q {
  if (!isSendable(query)) return query
  const { handler, resolve, reject } = query
  query.handler = () => {
    const send = () =>
      new Promise((...outcome) => {
        ;[query.resolve, query.reject] = outcome
        unheard(query, handler)
      })
    void sending(send).then(resolve, reject)
  }
  return query
}

/** The driver ends a transaction with the first failure in it, also when that was dealt with. This one it does not hear. */
function unheard(query: Sendable, handler: Sendable['handler']): void {
  query.catch = () => query
  handler(query)
  delete (query as Partial<Sendable>).catch // its own, above; what it has as a promise is there again
}

/** Identifiers and lists of values, which the driver makes with the same function, are never sent. */
const isSendable = (query: unknown): query is Sendable => query instanceof Promise && 'handler' in query
