/** The columns of a result, and the rendering of its rows. */

import { type DescribedColumn, locateColumns } from '../../../db/driver/row-messages'
import { csvText, doubleQuotes, isFormula } from '../../text/csv-line'
import { PART_LENGTH } from './literals'
import { isAnonymousRecord, rendererOf, type ValueRenderer } from './renderers'
import type { SqlTypes } from './types'

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
}

/** `shown` has the types that the caller sees, where PostgreSQL made JSON of some. */
export function resultColumns(
  types: SqlTypes,
  described: readonly DescribedColumn[],
  shown: readonly DescribedColumn[] = described,
): ResultColumns {
  const names = uniqueNames(shown.map(({ name }) => name))
  const columns = described.map(({ type }, index) => ({
    index,
    name: names[index] ?? '',
    key: `${index === 0 ? '' : ','}${JSON.stringify(names[index])}:`,
    renderer: rendererOf(types, type),
  }))
  const indexes = new Int32Array(2 * described.length)
  return {
    list: columns.map(({ name, index }) => ({ name, type: types.get(shown[index]?.type ?? 0)?.name ?? 'text' })),
    hasAnonymous: described.some(({ type }) => isAnonymousRecord(type)),
    json: (row) => rowJson(columns, row, indexes),
    csv: (row, raw) => rowCsv(columns, row, { indexes, raw }),
  }
}

function* rowJson(columns: readonly OutputColumn[], row: Buffer, indexes: Int32Array): RowParts {
  locateColumns(row, indexes)
  let json = '{'
  for (const { key, index, renderer } of columns) {
    const text = textAt(row, indexes, index)
    json += key
    if (text === null) json += 'null'
    else if (text.length <= PART_LENGTH) json += renderer.json(text)
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
  for (const [position, { index, renderer }] of columns.entries()) {
    const text = textAt(row, indexes, index)
    if (position > 0) csv += ','
    if (text !== null && text.length > PART_LENGTH) {
      yield csv
      yield* longCell(renderer, text, raw)
      csv = ''
    } else if (text !== null) csv += shortCell(renderer, text, raw)
    if (csv.length < PART_LENGTH) continue
    yield csv
    csv = ''
  }
  yield `${csv}\r\n`
}

function shortCell({ plain, isText }: ValueRenderer, text: string, raw: boolean): string {
  const cell = plain(text)
  return cell === '' && isText ? '""' : csvText(cell, { raw: raw || !isText })
}

function* longCell({ plainParts, isText }: ValueRenderer, text: string, raw: boolean): RowParts {
  yield isText && !raw && isFormula(text) ? `"'` : '"'
  for (const part of plainParts(text)) yield doubleQuotes(part)
  yield '"'
}

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
export function uniqueNames(names: readonly string[]): string[] {
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
