/**
 * Hands the rows of a statement over as PostgreSQL sent them, so that a caller can copy bytes without decoding them.
 *
 * Internal used: the option `onrow` of a statement, which the patch adds. The connection calls it with the bytes that arrived,
 * the index of each `DataRow` message in them, the columns of the statement and its socket, instead of decoding the row.
 * Reason: to decode each column, and to make an array for each row, takes longer than to copy the bytes of a page. And the driver
 * reads as fast as PostgreSQL sends, whatever the size of a result; a reader that is slower pauses the socket.
 *
 * Internals used: the members `args` and `parameters` of a query. The driver fills `parameters` from `args` when it sends the query, unless it has a value.
 * Reason: where there are arguments, the driver asks for the types of the parameters and waits before it sends them. Texts are sent as they are.
 */

import type { Sql } from '../connect'
import { PRIVATE_TEXT } from './measure-statements'

/** A row as PostgreSQL sent it. It is valid only during the call that gets it, because the next row replaces its content. */
export interface RowMessage {
  /** Bytes that include the message, in which the columns are UTF-8 text. */
  readonly bytes: Uint8Array
  /** The number of bytes of the message. */
  readonly size: number
  /** The number of columns. */
  readonly width: number
  /** The index of the first byte of each column. */
  readonly starts: Int32Array
  /** The number of bytes of each column, and -1 for null. */
  readonly lengths: Int32Array
  /** The value of a column as the driver decodes it. */
  value(column: number): unknown
  /** Whether the driver decodes the column as text and nothing else. */
  isText(column: number): boolean
}

/** Returns all values of a row. */
export const rowOf = (message: RowMessage): unknown[] =>
  Array.from({ length: message.width }, (_, column) => message.value(column))

type StatementOptions = NonNullable<Parameters<Sql['unsafe']>[2]>
interface Column {
  readonly parser?: (text: string) => unknown
}

/** Returns the driver's query, which sends the statement when it is awaited. `onRow` must not throw. */
export function sendForMessages(
  sql: Sql,
  { text, parameters }: { readonly text: string; readonly parameters: readonly string[] },
  options: StatementOptions,
  onRow: (message: RowMessage) => void,
): ReturnType<Sql['unsafe']> {
  const onrow: RowHandler = (bytes, start, columns) => onRow(readMessage(bytes, start, columns))
  const withRows = { ...options, onrow } as StatementOptions // the driver's type lacks `onrow`
  const query = sql.unsafe(text, [...parameters], withRows)
  // A statement that is prepared waits at its first run only, and must not be sent again before it has its name.
  return options.prepare === true ? query : Object.assign(query, { args: [], parameters: [...parameters] })
}

/** The socket of a connection. While it is paused, PostgreSQL waits; a few rows that have arrived already still follow. */
export interface RowFlow {
  pause(): unknown
  resume(): unknown
}

/** A column of a result: its type, and the column of a table whose value it has, with zeros for an expression. */
export interface DescribedColumn {
  readonly name: string
  readonly type: number
  readonly table: number
  readonly number: number
}

/** Like `sendForMessages`, for a text of a caller of the API, and for rows that are decoded later: each is a message that stays valid. */
export function sendForRows(
  sql: Sql,
  { text, parameters }: { readonly text: string; readonly parameters: readonly (string | null)[] },
  onRow: (row: Buffer, columns: readonly DescribedColumn[], flow: RowFlow) => void,
): ReturnType<Sql['unsafe']> {
  const onrow: RowHandler = (bytes, start, columns, flow) =>
    onRow(bytes.subarray(start, start + 1 + bytes.readUInt32BE(start + 1)), columns, flow)
  // Without `simple`, a text without parameters could contain several statements. The driver's type lacks these options.
  return sql.unsafe(text, [...parameters], { simple: false, onrow, ...PRIVATE_TEXT } as StatementOptions)
}

/** Writes where the columns of such a row begin and end: a pair of indexes for each, -1 for null. */
export function locateColumns(row: Buffer, indexes: Int32Array): void {
  let at = FIRST_COLUMN
  for (let column = 0; column < indexes.length / 2; column++) {
    const length = row.readInt32BE(at)
    at += 4
    indexes[2 * column] = length < 0 ? -1 : at
    if (length > 0) at += length
    indexes[2 * column + 1] = at
  }
}

/** Returns the columns of a statement of `sendForRows` that had no rows. */
export const columnsOfResult = (result: unknown): readonly DescribedColumn[] =>
  (result as { statement: { columns: readonly DescribedColumn[] } }).statement.columns // the driver's type lacks numbers

/** Gets the bytes that PostgreSQL sent, and the index at which the message of the row begins. */
type RowHandler = (bytes: Buffer, start: number, columns: readonly (Column & DescribedColumn)[], flow: RowFlow) => void

/** The type of message, its length and the number of columns are before the first column. */
const FIRST_COLUMN = 7

let content: { bytes: Buffer; columns: readonly Column[] } = { bytes: Buffer.alloc(0), columns: [] }
let starts = new Int32Array(64)
let lengths = new Int32Array(64)

function readMessage(bytes: Buffer, start: number, columns: readonly Column[]): RowMessage {
  const width = columns.length
  if (width > starts.length) {
    starts = new Int32Array(2 * width)
    lengths = new Int32Array(2 * width)
  }
  let at = start + FIRST_COLUMN
  for (let column = 0; column < width; column++) {
    const length = bytes.readInt32BE(at)
    at += 4
    starts[column] = at
    lengths[column] = length
    if (length > 0) at += length
  }
  content = { bytes, columns }
  return { bytes, size: at - start, width, starts, lengths, value: valueOf, isText }
}

const isText = (column: number): boolean => content.columns[column]?.parser === undefined

function valueOf(column: number): unknown {
  const start = starts[column] ?? 0
  const length = lengths[column] ?? -1
  if (length < 0) return null
  const text = content.bytes.toString('utf8', start, start + length)
  const parser = content.columns[column]?.parser
  return parser === undefined ? text : parser(text)
}
