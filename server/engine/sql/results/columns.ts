/** The columns of a result, and the rendering of its rows. */

import { type DescribedColumn, locateColumns } from '#db/driver/row-messages'
import { csvText, doubleQuotes, isFormula } from '#base/text/csv-line'
import { isAnonymousRecord, PART_LENGTH, sqlRendererOf, type SqlTypes, type ValueRenderer } from './renderers'
import { NANOSECONDS } from '#engine/sql/compile/tables/column-sql'

/** Parts of a row. The computation pauses after each, which may be empty. */
export type RowParts = Generator<string, void>

export interface ResultColumns {
  /** Unique names with PostgreSQL's names of the types. */
  readonly list: readonly { readonly name: string; readonly type: string }[]
  /** Whether a column's text does not name its fields, so that PostgreSQL has to make JSON of it. */
  readonly hasAnonymous: boolean
  /** Renders a row as an object. */
  json(row: Buffer): RowParts
  /** Renders a row as a line of CSV. `raw` leaves formulas unescaped. */
  csv(row: Buffer, raw: boolean): RowParts
}

interface OutputColumn {
  readonly index: number
  readonly name: string
  readonly key: string
  readonly renderer: ValueRenderer
  /** The index of the column with the nanoseconds of a timestamp. */
  readonly nanoseconds: number | undefined
}

interface Described {
  readonly described: readonly DescribedColumn[]
  /** Has the types that the caller sees, where PostgreSQL made JSON of some. */
  readonly shown: readonly DescribedColumn[]
  /** As in `CompiledSql`. */
  readonly timestamps: readonly number[] | undefined
}

export function resultColumns(types: SqlTypes, { described, shown, timestamps }: Described): ResultColumns {
  const nanoseconds = timestamps === undefined ? NO_NANOSECONDS : findNanoseconds(shown, timestamps)
  const visible = shown
    .keys()
    .filter((index) => !nanoseconds.hidden.has(index))
    .toArray()
  const names = uniqueNames(visible.map((index) => shown[index]?.name ?? ''))
  const columns = visible.map((index, position) => ({
    index,
    name: names[position] ?? '',
    key: `${position === 0 ? '' : ','}${JSON.stringify(names[position])}:`,
    renderer: sqlRendererOf(types, described[index]?.type ?? 0),
    nanoseconds: nanoseconds.ofTimestamp.get(index),
  }))
  const indexes = new Int32Array(2 * described.length)
  return {
    list: columns.map(({ name, index }) => ({ name, type: types.get(shown[index]?.type ?? 0)?.name ?? 'text' })),
    hasAnonymous: described.some(({ type }) => isAnonymousRecord(type)),
    json: (row) => rowJson(columns, row, indexes),
    csv: (row, raw) => rowCsv(columns, row, { indexes, raw }),
  }
}

interface Nanoseconds {
  /** The indexes of the columns with nanoseconds. */
  readonly hidden: ReadonlySet<number>
  /** Their indexes by those of the timestamps. */
  readonly ofTimestamp: ReadonlyMap<number, number>
}

const NO_NANOSECONDS: Nanoseconds = { hidden: new Set(), ofTimestamp: new Map() }

/**
 * The first columns are the nanoseconds of `timestamps`. Those that `*` selects come behind the timestamps of the same table,
 * the nearest of which is theirs. PostgreSQL describes of which column of a table each of them is, and both are neighbors in it.
 */
function findNanoseconds(columns: readonly DescribedColumn[], timestamps: readonly number[]): Nanoseconds {
  const hidden = new Set<number>()
  const ofTimestamp = new Map<number, number>()
  for (const [index, { name, table, number }] of columns.entries()) {
    if (table === 0 || !name.startsWith(NANOSECONDS)) continue
    hidden.add(index)
    const isItsTimestamp = (at: number) => columns[at]?.table === table && columns[at].number === number - 1
    const given = timestamps[index]
    const behindStar = () => columns.findLastIndex((_, at) => at < index && isItsTimestamp(at) && !ofTimestamp.has(at))
    const at = given === undefined ? behindStar() : given < 0 ? columns.length + given : given
    if (isItsTimestamp(at)) ofTimestamp.set(at, index)
  }
  return { hidden, ofTimestamp }
}

function* rowJson(columns: readonly OutputColumn[], row: Buffer, indexes: Int32Array): RowParts {
  locateColumns(row, indexes)
  let json = '{'
  for (const { key, index, renderer, nanoseconds } of columns) {
    const text = textAt(row, indexes, index)
    json += key
    if (text === null) json += 'null'
    else if (text.length <= PART_LENGTH) json += renderer.json(text, nanosecondsAt(row, indexes, nanoseconds))
    else {
      yield json
      yield* renderer.jsonParts(text)
      json = ''
    }
    if (json.length < PART_LENGTH) continue
    yield json
    json = ''
  }
  yield `${json}}`
}

interface CsvOptions {
  readonly indexes: Int32Array
  readonly raw: boolean
}

/** Null is an empty cell, an empty text is `""`. */
function* rowCsv(columns: readonly OutputColumn[], row: Buffer, { indexes, raw }: CsvOptions): RowParts {
  locateColumns(row, indexes)
  let csv = ''
  for (const [position, { index, renderer, nanoseconds }] of columns.entries()) {
    const text = textAt(row, indexes, index)
    if (position > 0) csv += ','
    if (text !== null && text.length > PART_LENGTH) {
      yield csv
      yield* longCell(renderer, text, raw)
      csv = ''
    } else if (text !== null) {
      const cell = renderer.plain(text, nanosecondsAt(row, indexes, nanoseconds))
      csv += shortCell(renderer, cell, raw)
    }
    if (csv.length < PART_LENGTH) continue
    yield csv
    csv = ''
  }
  yield `${csv}\r\n`
}

const shortCell = ({ isText }: ValueRenderer, cell: string, raw: boolean): string =>
  cell === '' && isText ? '""' : csvText(cell, { raw: raw || !isText })

function* longCell({ plainParts, isText }: ValueRenderer, text: string, raw: boolean): RowParts {
  yield isText && !raw && isFormula(text) ? `"'` : '"'
  for (const part of plainParts(text)) yield doubleQuotes(part)
  yield '"'
}

const nanosecondsAt = (row: Buffer, indexes: Int32Array, column: number | undefined): string | null =>
  column === undefined ? null : textAt(row, indexes, column)

/** Returns the text of the only column. */
export function firstText(row: Buffer): string {
  const indexes = new Int32Array(2)
  locateColumns(row, indexes)
  return textAt(row, indexes, 0) ?? ''
}

function textAt(row: Buffer, indexes: Int32Array, column: number): string | null {
  const start = indexes[2 * column] ?? -1
  return start < 0 ? null : row.toString('utf8', start, indexes[2 * column + 1])
}

/** A name that occurs again gets a number: `name`, `name_2`. */
function uniqueNames(names: readonly string[]): string[] {
  const given = new Set(names)
  const used = new Set<string>()
  const numbers = new Map<string, number>()
  return names.map((name) => {
    let unique = name
    let number = numbers.get(name) ?? 1
    while (used.has(unique)) {
      number++
      const numbered = `${name}_${number}`
      if (!given.has(numbered)) unique = numbered
    }
    numbers.set(name, number)
    used.add(unique)
    return unique
  })
}

/** The columns of the same rows when PostgreSQL made JSON of the anonymous ones. */
export const afterJson = (described: readonly DescribedColumn[]): DescribedColumn[] =>
  described.map((column) => (isAnonymousRecord(column.type) ? { ...column, type: JSON_TYPE } : column))

const JSON_TYPE = 114
