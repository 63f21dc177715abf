/** The columns of a result, and the rendering of its rows. */

import { isAnonymousRecord, rendererOf, type ValueRenderer } from './renderers'
import type { SqlTypes } from './types'

/** A column as the driver describes it. */
export interface DescribedColumn {
  readonly name: string
  readonly type: number
}

/** A row: PostgreSQL's texts. */
export type TextRow = readonly (string | null)[]

export interface ResultColumns {
  /** Unique names with PostgreSQL's names of the types. */
  readonly list: readonly { readonly name: string; readonly type: string }[]
  /** Whether a column's text does not name its fields, so that PostgreSQL has to make JSON of it. */
  readonly hasAnonymous: boolean
  /** Renders a row as an object. */
  json(row: TextRow): string
  /** Renders a row as a line of CSV. */
  csv(row: TextRow): string
}

/** `shown` has the types that the caller sees, where PostgreSQL made JSON of some. */
export function resultColumns(
  types: SqlTypes,
  described: readonly DescribedColumn[],
  shown: readonly DescribedColumn[] = described,
): ResultColumns {
  const names = uniqueNames(shown.map(({ name }) => name))
  const renderers = described.map(({ type }) => rendererOf(types, type))
  const keys = names.map((name, index) => `${index === 0 ? '' : ','}${JSON.stringify(name)}:`)
  return {
    list: shown.map(({ type }, index) => ({
      name: names[index] ?? '',
      type: types.get(type)?.name ?? 'text',
    })),
    hasAnonymous: described.some(({ type }) => isAnonymousRecord(type)),
    json: (row) => rowJson(row, keys, renderers),
    csv: (row) => csvRecord(row.map((text, index) => (text === null ? null : (renderers[index]?.plain(text) ?? null)))),
  }
}

function rowJson(row: TextRow, keys: readonly string[], renderers: readonly ValueRenderer[]): string {
  let json = '{'
  for (let index = 0; index < keys.length; index++) {
    const text = row[index] ?? null
    json += keys[index] + (text === null ? 'null' : (renderers[index]?.json(text) ?? 'null'))
  }
  return `${json}}`
}

/**
 * A record of RFC 4180. Null is an empty cell, an empty text is `""`. Programs read this file, so a text that a spreadsheet would
 * take for a formula is not changed.
 */
export const csvRecord = (cells: readonly (string | null)[]): string => `${cells.map(csvCell).join(',')}\r\n`

const csvCell = (cell: string | null): string =>
  cell === null ? '' : cell === '' || NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
const NEEDS_QUOTES = /[",\r\n]/

/** A name that occurs again gets a number: `name`, `name_2`. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names)
  const used = new Set<string>()
  return names.map((name) => {
    let unique = name
    for (let number = 2; used.has(unique); number++) {
      const numbered = `${name}_${number}`
      if (!taken.has(numbered)) unique = numbered
    }
    used.add(unique)
    return unique
  })
}

/** The columns of the same rows when PostgreSQL made JSON of the anonymous ones. */
export const afterJson = (described: readonly DescribedColumn[]): DescribedColumn[] =>
  described.map(({ name, type }) => ({ name, type: isAnonymousRecord(type) ? JSON_TYPE : type }))

const JSON_TYPE = 114
