/** Converts the cells of a row to assignments. A value that cannot be read becomes a problem; the other values are imported. */

import { findAttribute } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import type { Assignment } from '#engine/entities/write/parse-values'
import type { Binding } from '#transfer/import/binding'
import type { CsvRow } from '#transfer/import/csv/split-rows'
import type { CellProblem } from '#transfer/import/row-outcomes'
import { oneValue } from './conversion'
import { type CellContext, compileCellReader } from './read-cells'
import { NO_OTHER_ATTRIBUTES, type StoredCells, storeValues } from './store-cells'

export interface ConvertedRow {
  readonly line: number
  readonly assignments: readonly Assignment[]
  /** Assignments that the import makes only where the record has no value yet. */
  readonly fillIfEmpty: readonly Assignment[]
  readonly problems: readonly CellProblem[]
}

export interface RowContext extends CellContext {
  readonly object: ObjectType
  readonly bindings: readonly Binding[]
}

/** Returns a promise only for a row whose references are not cached. */
export type ConvertRow = (row: CsvRow) => ConvertedRow | Promise<ConvertedRow>

/** Chooses the readers of all cells once for the whole file. */
export function compileRow(context: RowContext): ConvertRow {
  const readers = context.bindings.map((binding) => compileCellReader(context, binding))
  return (row) => {
    const { cells } = row
    const read: (StoredCells | Promise<StoredCells> | undefined)[] = []
    let isPending = false
    for (const reader of readers) {
      const stored = reader(cells)
      if (stored instanceof Promise) isPending = true
      read.push(stored)
    }
    if (isPending) return settle(read).then((settled) => composeRow(context, row, settled))
    return composeRow(context, row, read as SettledCells) // no promise is among them
  }
}

/** Awaits only the promises, which are few among the cells of a row. */
async function settle(read: readonly (StoredCells | Promise<StoredCells> | undefined)[]): Promise<SettledCells> {
  const settled = await Promise.all(read.filter((stored) => stored instanceof Promise))
  let next = 0
  return read.map((stored) => (stored instanceof Promise ? settled[next++] : stored))
}

type SettledCells = readonly (StoredCells | undefined)[]

const NONE: readonly never[] = []

function composeRow(context: RowContext, { line, cells }: CsvRow, settled: SettledCells): ConvertedRow {
  const assignments: Assignment[] = []
  let problems: CellProblem[] | undefined
  let forOtherAttributes = NO_OTHER_ATTRIBUTES
  for (let index = 0; index < settled.length; index++) {
    const stored = settled[index]
    if (stored === undefined) continue
    if (stored.problems.length > 0) (problems ??= []).push(...problemsOf(context.bindings[index], cells, stored))
    if (stored.forOtherAttributes !== NO_OTHER_ATTRIBUTES)
      forOtherAttributes = { ...forOtherAttributes, ...stored.forOtherAttributes }
    if (stored.values.length > 0) assignments.push(stored)
  }
  const fillIfEmpty =
    forOtherAttributes === NO_OTHER_ATTRIBUTES ? NONE : assignOthers(context, assignments, forOtherAttributes)
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

/** Assigns texts found in the column of another attribute. An attribute that has a column of its own keeps its value. */
function assignOthers(
  context: RowContext,
  assignments: readonly Assignment[],
  forOtherAttributes: Readonly<Record<string, string>>,
): Assignment[] {
  return Object.entries(forOtherAttributes).flatMap(([slug, text]) => {
    const attribute = findAttribute(context.object, slug)
    const isAssigned = assignments.some((assignment) => assignment.attribute === attribute)
    if (!attribute || attribute.is_archived || isAssigned) return []
    const stored = storeValues(context, attribute, oneValue(text))
    return stored.values.length > 0 ? [stored] : []
  })
}
