/** Writes many new entities as lines of text. See docs/decisions/import.md. */

import { CELL_SEPARATOR, NULL_CELL, renderArray, ROW_SEPARATOR } from '#db/connect'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Stored } from '#engine/attribute-types/define'
import type { Attribute } from '#engine/data-model/model'
import { type Parent, parentValues } from './read-entities'

// oxlint-disable-next-line no-control-regex -- the pattern is to find them
const RESERVED = /[\x1d-\x1f]/

/** A value has a character that separates lines or cells. Its entity must be inserted alone. */
export class ReservedCharacterError extends Error {}

/** Whether a value has a character that separates lines or cells. */
export const hasReservedCharacter = ({ contents }: NewRow): boolean =>
  contents.some(({ values }) =>
    values.some((stored) =>
      Object.values(stored).some((scalar) => typeof scalar === 'string' && RESERVED.test(scalar)),
    ),
  )

export interface NewRow {
  readonly id: string
  readonly contents: readonly { readonly attribute: Attribute; readonly values: readonly Stored[] }[]
  /** Only of an entry. */
  readonly parent?: Parent
}

/** One line per entity: the id, the columns of the parent, then those of the attributes in their order. Throws `ReservedCharacterError`. */
export function rowsText(attributes: readonly Attribute[], rows: readonly NewRow[]): string {
  const writers = new Map<Attribute, CellWriter>()
  const empty: string[] = []
  for (const [at, attribute] of attributes.entries()) {
    const cells = cellsOf(attribute)
    writers.set(attribute, { at, write: cells.write })
    empty.push(cells.empty)
  }
  const lines: string[] = []
  for (const { id, contents, parent } of rows) {
    const cells = empty.slice()
    for (const { attribute, values } of contents) {
      const writer = writers.get(attribute)
      if (writer) cells[writer.at] = writer.write(values)
    }
    const head = parent === undefined ? id : [id, ...Object.values(parentValues(parent))].join(CELL_SEPARATOR)
    lines.push(head + CELL_SEPARATOR + cells.join(CELL_SEPARATOR))
  }
  return lines.join(ROW_SEPARATOR)
}

/** Returns the cells of an attribute that has values. */
type Write = (values: readonly Stored[]) => string

/** Writes the cells of an attribute, at a position of the line. */
interface CellWriter {
  readonly at: number
  readonly write: Write
}

/** How the cells of an attribute are written with values, and without. */
interface Cells {
  readonly write: Write
  readonly empty: string
}

/** An attribute object belongs to one version of the data model. */
const cells = new WeakMap<Attribute, Cells>()

function cellsOf(attribute: Attribute): Cells {
  let found = cells.get(attribute)
  if (found === undefined) {
    const empty = columnsOf(attribute).map(() => NULL_CELL)
    found = { write: compileWrite(attribute), empty: empty.join(CELL_SEPARATOR) }
    cells.set(attribute, found)
  }
  return found
}

function compileWrite(attribute: Attribute): Write {
  const [first, ...others] = columnsOf(attribute).map(({ member }) =>
    attribute.is_multiselect ? arrayCell(member) : singleCell(member),
  )
  if (!first) return () => ''
  if (others.length === 0) return first
  return (values) => {
    let text = first(values)
    for (const write of others) text += CELL_SEPARATOR + write(values)
    return text
  }
}

const singleCell =
  (member: string): Write =>
  ([value]) => {
    const scalar = value?.[member] ?? null
    return scalar === null ? NULL_CELL : cellOf(scalar)
  }

/** The first branch is rare: most multiselects have one value. */
const arrayCell =
  (member: string): Write =>
  (values) => {
    const scalar = values[0]?.[member] ?? null
    if (values.length > 1) return cellOf(renderArray(values.map((stored) => stored[member] ?? null)))
    return scalar === null ? '{NULL}' : cellOf(renderArray([scalar]))
  }

function cellOf(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value)
  if (RESERVED.test(value)) throw new ReservedCharacterError('A value has a character that separates cells.')
  return value
}
