/** Finds the differences between the tables of a workspace and its data model, with statements that repair them. */

import { addColumns, createIndex, createTable, type Column, type Table } from '#engine/data-model/tables'
import type { ActualTable } from './actual-tables'

export interface Difference {
  readonly message: string
  /** The commands that repair it. Absent when the repair could lose data. */
  readonly repair?: readonly string[]
}

/** Additional indexes are not a difference, since the index advisor builds them. */
export function compareTables(
  schema: string,
  expected: readonly Table[],
  actual: readonly ActualTable[],
): Difference[] {
  const differences = expected.flatMap((table) => {
    const found = actual.find(({ name }) => name === table.name)
    if (found) return compareTable(schema, table, found)
    return [{ message: `table ${schema}.${table.name} is missing`, repair: createTable(`"${schema}"`, table) }]
  })
  const extra = without(actual, expected).map(({ name }) => ({ message: `table ${schema}.${name} is too much` }))
  return [...differences, ...extra]
}

function compareTable(schema: string, expected: Table, actual: ActualTable): Difference[] {
  const path = `"${schema}"."${expected.name}"`
  const label = `${schema}.${expected.name}`
  return [
    ...without(expected.columns, actual.columns).map((column) => missingColumn(path, label, column)),
    ...without(actual.columns, expected.columns).map(({ name }) => ({
      message: `column ${label}.${name} is too much`,
    })),
    ...wrongColumns(label, expected, actual),
    ...comparePrimaryKeys(path, label, expected, actual),
    ...compareIndexes(schema, expected, actual),
  ]
}

function missingColumn(path: string, label: string, column: Column): Difference {
  const message = `column ${label}.${column.name} is missing`
  // Existing rows have no value for a column that allows no null and has no default.
  if (column.constraint === 'not null') return { message }
  return { message, repair: addColumns(path, [{ columns: [column], indexes: [] }]) }
}

function wrongColumns(label: string, expected: Table, actual: ActualTable): Difference[] {
  return expected.columns.flatMap((column) => {
    const found = actual.columns.find(({ name }) => name === column.name)
    if (!found) return []
    const name = `column ${label}.${column.name}`
    if (found.type !== column.type) return [{ message: `${name} is ${found.type} instead of ${column.type}` }]
    const isNotNull = isRequired(column) || expected.primaryKey.includes(column.name)
    if (found.not_null === isNotNull) return []
    return [{ message: `${name} ${isNotNull ? 'allows null' : 'does not allow null'}` }]
  })
}

const isRequired = ({ constraint = '' }: Column): boolean => constraint.includes('not null')

function comparePrimaryKeys(path: string, label: string, expected: Table, actual: ActualTable): Difference[] {
  const columns = expected.primaryKey.join(', ')
  if (columns === actual.primaryKey.join(', ')) return []
  if (actual.primaryKey.length > 0) return [{ message: `the primary key of ${label} is not (${columns})` }]
  return [
    { message: `the primary key of ${label} is missing`, repair: [`alter table ${path} add primary key (${columns})`] },
  ]
}

function compareIndexes(schema: string, expected: Table, actual: ActualTable): Difference[] {
  return expected.indexes.flatMap((index) => {
    const create = createIndex(`"${schema}"."${expected.name}"`, index)
    const found = actual.indexes.find(({ name }) => name === index.name)
    if (!found) return [{ message: `index ${schema}.${index.name} is missing`, repair: [create] }]
    if (found.is_valid && found.definition === index.definition) return []
    const repair = [`drop index "${schema}"."${index.name}"`, create]
    return [{ message: `index ${schema}.${index.name} is not as it should be`, repair }]
  })
}

/** Items of `some` whose name no item of `others` has. */
function without<T extends { name: string }>(some: readonly T[], others: readonly { name: string }[]): T[] {
  const names = new Set(others.map(({ name }) => name))
  return some.filter(({ name }) => !names.has(name))
}
