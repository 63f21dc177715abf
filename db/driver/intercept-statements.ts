/**
 * Runs code around each statement that a transaction sends.
 *
 * Internals used: `handler`, `resolve` and `reject` of the driver's query object (class `Query` in `src/query.js`). The
 * query calls `handler` to have itself sent when its promise is first awaited; the connection calls `resolve` or `reject`
 * with the outcome.
 * Reason: the driver has no hook around a statement, and it fails a transaction with the first statement that failed in
 * it, even when a savepoint has undone that statement (porsager/postgres 455).
 */

import type { Transaction } from '../connect'

/** Calls `send` to send the statement. The promise it returns settles the statement. */
export type StatementInterceptor = (send: () => Promise<unknown>) => Promise<unknown>

/** The members of the driver's query object that this file uses. */
interface Query extends Promise<unknown> {
  handler(query: Query): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** The interface of `tx`, with `members` added or replaced. Each of its statements goes through `interceptor`. */
export function interceptStatements<M extends object>(
  tx: Transaction,
  interceptor: StatementInterceptor,
  members: M,
): Transaction & M {
  const statement = (...args: Parameters<Transaction>) => intercept(tx(...args), interceptor)
  const unsafe = (...args: Parameters<Transaction['unsafe']>) => intercept(tx.unsafe(...args), interceptor)
  return Object.assign(statement, tx, { unsafe }, members) as never // `statement` is as generic as the driver's own
}

/** Replaces the query's handler. The query's promise settles when the interceptor's promise settles. */
function intercept<Q>(query: Q, interceptor: StatementInterceptor): Q {
  if (!isQuery(query)) return query
  const { handler, resolve, reject } = query
  query.handler = () => {
    const send = () =>
      new Promise((...outcome) => {
        ;[query.resolve, query.reject] = outcome
        sendUnobserved(query, handler)
      })
    void interceptor(send).then(resolve, reject)
  }
  return query
}

/** Sends the query without the error listener that the transaction's handler adds with `query.catch`. */
function sendUnobserved(query: Query, handler: Query['handler']): void {
  query.catch = () => query
  handler(query)
  delete (query as Partial<Query>).catch // uncovers the method of Promise
}

/** The driver makes identifiers and lists of values with the same function as queries; those are never sent. */
const isQuery = (made: unknown): made is Query => made instanceof Promise && 'handler' in made
