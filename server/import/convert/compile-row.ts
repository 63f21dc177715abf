/** From the cells of a row to what it writes, cell by cell: what cannot be read is left out and told. */

import { findAttribute } from '../../data-model/find'
import type { ObjectType } from '../../data-model/model'
import type { Assignment } from '../../entities/write/parse-values'
import { one } from './conversion'
import type { CsvRow } from '../csv/csv'
import type { Binding } from '../mapping/bind-columns'
import { compileReader, type CellContext } from './read-cells'
import { NO_OTHER_ATTRIBUTES, store, type StoredCells } from './store-cells'

/** Something of a row that was left out. */
export interface CellProblem {
  readonly column: string
  readonly value: string
  readonly reason: string
}

export interface ConvertedRow {
  readonly line: number
  readonly assignments: readonly Assignment[]
  /** Written only where the record has no value yet. */
  readonly fillIfEmpty: readonly Assignment[]
  readonly problems: readonly CellProblem[]
}

export interface RowContext extends CellContext {
  readonly object: ObjectType
  readonly bindings: readonly Binding[]
}

/** Converts a row. Waits only when the row refers to records that none before it did. */
export type ConvertRow = (row: CsvRow) => ConvertedRow | Promise<ConvertedRow>

/** What to do with every cell is decided once. */
export function compileRow(context: RowContext): ConvertRow {
  const readers = context.bindings.map((binding) => compileReader(context, binding))
  return (row) => {
    const { cells } = row
    const read: (StoredCells | Promise<StoredCells> | undefined)[] = []
    let waits = false
    for (const reader of readers) {
      const stored = reader(cells)
      if (stored instanceof Promise) waits = true
      read.push(stored)
    }
    if (waits) return settle(read).then((settled) => composeRow(context, row, settled))
    return composeRow(context, row, read as Settled) // no promise is among them
  }
}

/** Waits for what has to be waited for, which of the cells of a row is little. */
async function settle(read: readonly (StoredCells | Promise<StoredCells> | undefined)[]): Promise<Settled> {
  const found = await Promise.all(read.filter((stored) => stored instanceof Promise))
  let next = 0
  return read.map((stored) => (stored instanceof Promise ? found[next++] : stored))
}

type Settled = readonly (StoredCells | undefined)[]

const NONE: readonly never[] = []

function composeRow(context: RowContext, { line, cells }: CsvRow, read: Settled): ConvertedRow {
  const assignments: Assignment[] = []
  let problems: CellProblem[] | undefined
  let forOtherAttributes = NO_OTHER_ATTRIBUTES
  for (let index = 0; index < read.length; index++) {
    const stored = read[index]
    if (stored === undefined) continue
    if (stored.problems.length > 0) (problems ??= []).push(...problemsOf(context.bindings[index], cells, stored))
    if (stored.forOtherAttributes !== NO_OTHER_ATTRIBUTES) forOtherAttributes = { ...forOtherAttributes, ...stored.forOtherAttributes }
    if (stored.values.length > 0) assignments.push(stored)
  }
  const fillIfEmpty = forOtherAttributes === NO_OTHER_ATTRIBUTES ? NONE : fillIfEmptyFrom(context, assignments, forOtherAttributes)
  return { line, assignments, fillIfEmpty, problems: problems ?? NONE }
}

function problemsOf(
  { columns }: Pick<Binding, 'columns'> = { columns: NONE },
  cells: readonly string[],
  { problems }: StoredCells,
): CellProblem[] {
  const column = columns.map(({ name }) => name).join(', ')
  const value = columns.map(({ index }) => cells[index] ?? '').join(', ')
  return problems.map((reason) => ({ column, value, reason }))
}

/** Values that stood in another attribute's column; a column of their own wins. */
function fillIfEmptyFrom(
  context: RowContext,
  assignments: readonly Assignment[],
  forOtherAttributes: Readonly<Record<string, string>>,
): Assignment[] {
  return Object.entries(forOtherAttributes).flatMap(([slug, text]) => {
    const attribute = findAttribute(context.object, slug)
    const isTaken = assignments.some((assignment) => assignment.attribute === attribute)
    if (!attribute || attribute.is_archived || isTaken) return []
    const stored = store(context, attribute, one(text))
    return stored.values.length > 0 ? [stored] : []
  })
}
