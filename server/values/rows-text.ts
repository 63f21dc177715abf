/**
 * Many holders as one text: lines of cells, apart by characters that are in no text people write. Nothing is cheaper for
 * PostgreSQL to take apart, and for us to put together. docs/decisions/0026.
 */

import { arrayLiteral } from '../../db/connect'
import { columnsOf } from '../attribute-types/columns'
import type { Stored } from '../attribute-types/define'
import type { Attribute } from '../data-model/model'
import type { At, TypedColumns } from './statement'

/** ASCII's own: record, unit and group separator. */
const [LINE, CELL, NOTHING] = ['\x1e', '\x1f', '\x1d'] as const
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const RESERVED = /[\x1d-\x1f]/

/** A value has one of the characters between lines and cells, so that its holder has to be written by itself. */
export class Reserved extends Error {}

export interface NewRow {
  readonly id: string
  readonly contents: readonly { readonly attribute: Attribute; readonly values: readonly Stored[] }[]
}

/** A line for each: the id, then the columns of the attributes in their order. Throws `Reserved`. */
export function rowsText(attributes: readonly Attribute[], rows: readonly NewRow[]): string {
  const places = new Map<Attribute, Place>()
  let width = 1
  for (const attribute of attributes) {
    const members = columnsOf(attribute).map(({ member }) => member)
    places.set(attribute, { first: width, members })
    width += members.length
  }
  const empty = Array.from({ length: width }, (): string => NOTHING)
  const lines: string[] = []
  for (const { id, contents } of rows) {
    const cells = empty.slice()
    cells[0] = id
    for (const { attribute, values } of contents) fillCells(cells, places.get(attribute), attribute, values)
    lines.push(cells.join(CELL))
  }
  return lines.join(LINE)
}

/** Where the columns of an attribute are in a line, and the members of a value that stand in them. */
interface Place {
  readonly first: number
  readonly members: readonly string[]
}

function fillCells(
  cells: string[],
  place: Place | undefined,
  { is_multiselect }: Attribute,
  values: readonly Stored[],
): void {
  const [value] = values
  if (!place || !value) return
  const { first, members } = place
  for (let index = 0; index < members.length; index++) {
    const member = members[index] ?? ''
    const scalar = value[member] ?? null
    if (is_multiselect) cells[first + index] = cellOf(arrayOf(values, scalar, member))
    else if (scalar !== null) cells[first + index] = cellOf(scalar)
  }
}

/** Most have a single value. */
const arrayOf = (values: readonly Stored[], first: Stored[string], member: string): string =>
  arrayLiteral(values.length === 1 ? [first] : values.map((stored) => stored[member] ?? null))

function cellOf(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  if (RESERVED.test(value)) throw new Reserved('A value has a character that stands between others.')
  return value
}

/** The SQL of such a text: rows of the name `r`, whose `c` are the cells. */
export const linesOf = (at: At, name: string): string =>
  `(select string_to_array(line, E'\\x1f', E'\\x1d') as c from string_to_table(${at(name)}::text, E'\\x1e') as line offset 0) as r`

/** The cells of such a row as values of the columns. */
export const cellsAs = (columns: TypedColumns): string =>
  columns.map(([, type], index) => `r.c[${index + 1}]::${type}`).join(', ')
