/** Renders a page as the body of a response, or as lines. A page ends by its size as well as by its limit. See docs/decisions/exports-and-large-pages.md. */

import { type RowMessage, sendForMessages } from '#db/driver/row-messages'
import { type ByteWriter, openByteWriter } from '#base/text/byte-writer'
import type { KeyTexts } from '#engine/query/compile/sort'
import type { PageStatement, QueryStatement } from '#engine/query/compile/page-statement'
import { type LongText, withMarks } from './long-texts'
import type { Sql } from '#db/connect'
import { isCancellation } from '#base/errors/database'

/** Rows behind this many bytes are not collected. */
const MAX_PAGE_BYTES = 8_000_000

/** The entities of a page. */
export interface PageRows {
  /** Has marks in place of long texts. */
  readonly writer: ByteWriter
  readonly longTexts: readonly LongText[]
  /** The number of rows, with one behind the page. */
  readonly length: number
  /** The number of entities. */
  readonly count: number
  /** Whether the page ended by its size, and at least one row is behind it. */
  readonly isCut: boolean
  /** The order keys of the last entity, if the page is full and the statement selects them. */
  readonly lastKeys?: KeyTexts | undefined
}

type Render = (message: RowMessage, writer: ByteWriter) => void

/** The text before the first row, between two rows, and after each. */
export interface Delimiters {
  readonly begin: string
  readonly between: string
  readonly after: string
}

/** The body of a response, up to its last entity. */
export const AS_BODY: Delimiters = { begin: '{"data":[', between: ',', after: '' }
/** Further entities of such a body. */
export const AS_FURTHER_ROWS: Delimiters = { begin: ',', between: ',', after: '' }
/** Each entity on a line of its own. */
export const AS_LINES: Delimiters = { begin: '', between: '', after: '\n' }

/** Collects the first `limit` rows, or fewer that have the largest size of a page. */
export function collectPage(
  render: Render,
  { begin, between, after }: Delimiters,
  limit: number,
  keysOf?: PageStatement['keysOf'],
): RowCollector<PageRows> {
  const writer = openByteWriter()
  const longTexts: LongText[] = []
  let longBytes = 0
  let length = 0
  let count = 0
  let isFull = false
  let keys: KeyTexts | undefined
  if (begin !== '') writer.text(begin)
  const renderLong = (message: RowMessage): void => {
    const known = longTexts.length
    render(withMarks(message, longTexts), writer)
    for (let index = known; index < longTexts.length; index++) longBytes += longTexts[index]?.length ?? 0
  }
  return {
    add(message) {
      length++
      if (isFull || length > limit) return
      if (++count > 1 && between !== '') writer.text(between)
      renderLong(message)
      if (after !== '') writer.text(after)
      isFull = writer.length + longBytes >= MAX_PAGE_BYTES
      if (isFull || count === limit) keys = keysOf?.(message)
    },
    isComplete: () => isFull && length > count,
    end: () => ({
      writer,
      longTexts,
      length,
      count,
      isCut: isFull && count < limit && length > count,
      lastKeys: keys,
    }),
  }
}

// Reads rows as they arrive, while PostgreSQL computes the next ones. See docs/decisions/pages.md.

/** Collects the rows of one run of a statement. */
export interface RowCollector<R> {
  /** The collector does not retain the message. */
  add(message: RowMessage): void
  /** Whether it ignores all further rows. */
  isComplete?(): boolean
  end(): R
}

/** Returns collectors of the values that `read` makes of each row. */
export const collectorsOf =
  <T>(read: (message: RowMessage) => T): (() => RowCollector<T[]>) =>
  () => {
    const results: T[] = []
    return { add: (message) => results.push(read(message)), end: () => results }
  }

interface PendingRows<R> {
  /** The driver's query, which can be cancelled. */
  readonly query: ReturnType<typeof sendForMessages>
  /** Sends the statement and returns what was collected. Throws an error of the collector after the last row has arrived. */
  collect(): Promise<R>
}

interface SendOptions {
  readonly prepare: boolean
  /** Whether the statement is cancelled when the collector is complete. The connection must have no other statement meanwhile. */
  readonly endsEarly?: boolean
}

export function sendForEach<R>(
  sql: Sql,
  statement: QueryStatement,
  { prepare, endsEarly = false }: SendOptions,
  collector: RowCollector<R>,
): PendingRows<R> {
  let failure: { readonly error: unknown } | undefined
  let isEnded = false
  const query = sendForMessages(sql, statement, { prepare }, (message) => {
    if (failure || isEnded) return
    try {
      collector.add(message)
      isEnded = collector.isComplete?.() === true
      if (isEnded && endsEarly) query.cancel()
    } catch (error) {
      // An exception inside the driver would leave the connection in an undefined state.
      failure = { error }
    }
  })
  return {
    query,
    async collect() {
      try {
        await query
      } catch (error) {
        if (!isEnded || !isCancellation(error)) throw error
      }
      if (failure) throw failure.error
      return collector.end()
    },
  }
}
