/** Reads the rows of a statement page by page. PostgreSQL computes the next page when the reader requests it. */

import { cancelOnAbort } from '../../../db/driver/cancel-on-abort'
import type { RoleConnection } from '../../../db/role-connection'
import type { DescribedColumn, TextRow } from '../results/columns'
import type { RoleStatement } from './statement'

export interface RowPage {
  /** Present also when the result has no rows. */
  readonly columns: readonly DescribedColumn[]
  readonly rows: readonly TextRow[]
  readonly isLast: boolean
}

export interface PageReader {
  /** Returns the next page. There is none after the last one. */
  next(): Promise<RowPage>
  /** Ends a statement whose rows are no longer wanted, and resolves when the connection can be used again. */
  close(): Promise<void>
}

/** Few, because a page of large rows is in memory as a whole. */
const PAGE_ROWS = 200

export function readPages(
  { sql, startPage }: RoleConnection,
  { text, parameters }: RoleStatement,
  signal: AbortSignal,
): PageReader {
  const query = sql.unsafe(text, [...parameters]).values()
  const stopListening = cancelOnAbort(query, signal)
  const arrived: TextRow[][] = []
  let columns: readonly DescribedColumn[] | undefined
  let resume: (value?: object) => void = () => undefined
  let wake: () => void = () => undefined
  let last: unknown
  let isClosed = false
  let outcome: { readonly error?: unknown } | undefined

  const add = (rows: readonly unknown[]): void => {
    columns ??= columnsOf(rows)
    last = rows
    arrived.push([...rows] as TextRow[]) // all values arrive as text
  }
  const onPage = (rows: readonly unknown[]): Promise<unknown> => {
    add(rows)
    // A page that was on its way when the statement was closed.
    if (isClosed) return Promise.resolve(sql.CLOSE)
    const wanted = Promise.withResolvers<unknown>()
    resume = wanted.resolve
    wake()
    return wanted.promise
  }
  // The driver waits for the promise of the callback, which its types do not say.
  const ended = query.cursor(PAGE_ROWS, onPage as (rows: unknown[]) => void).then(
    (result) => {
      // The driver passes the last page of EXPLAIN only here.
      if (result !== last) add(result)
      outcome = {}
    },
    (error: unknown) => void (outcome = { error }),
  )
  void ended.then(() => {
    stopListening()
    wake()
  })

  return {
    async next() {
      startPage()
      resume()
      const isWaiting = () => arrived.length === 0 && outcome === undefined
      while (isWaiting()) await new Promise<void>((resolve) => (wake = resolve))
      if (arrived.length === 0 && outcome?.error !== undefined) throw outcome.error
      const rows = arrived.shift() ?? []
      return { columns: columns ?? [], rows, isLast: rows.length < PAGE_ROWS }
    },
    async close() {
      isClosed = true
      resume(sql.CLOSE)
      await ended
    },
  }
}

/** The first page has the description, which is part of what the driver calls a statement. */
const columnsOf = (result: unknown): readonly DescribedColumn[] =>
  (result as { statement: { columns: DescribedColumn[] } }).statement.columns
