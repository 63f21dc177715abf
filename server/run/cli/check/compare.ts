/** Finds the differences between the tables of a workspace and its data model, with statements that repair them. */

import { addColumns, createIndex, createTable, type Column, type Table } from '#engine/data-model/tables'
import type { Database } from '#db/connect'

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

// Reads the tables of a workspace's schema from the catalogue of PostgreSQL.

interface ActualColumn {
  readonly name: string
  readonly type: string
  readonly not_null: boolean
}

interface ActualIndex {
  readonly name: string
  /** The part of the definition after the name of the table. */
  readonly definition: string
  /** False after a concurrent build that failed. */
  readonly is_valid: boolean
}

export interface ActualTable {
  readonly name: string
  readonly columns: readonly ActualColumn[]
  readonly primaryKey: readonly string[]
  /** Without the index of the primary key. */
  readonly indexes: readonly ActualIndex[]
}

export async function readTables(db: Database, schema: string): Promise<ActualTable[]> {
  const rows = await db.sql<
    { name: string; columns: string | null; primary_key: string | null; indexes: string | null }[]
  >`
    select c.relname as name,
      (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod), 'not_null', attnotnull)
          order by attnum)
        from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
      (select json_agg(a.attname order by array_position(p.conkey, a.attnum))
        from pg_constraint p join pg_attribute a on a.attrelid = c.oid and a.attnum = any (p.conkey)
        where p.conrelid = c.oid and p.contype = 'p') as primary_key,
      (select json_agg(json_build_object('name', i.relname, 'is_valid', x.indisvalid,
          'definition', substring(pg_get_indexdef(x.indexrelid) from 'USING .*')) order by i.relname)
        from pg_index x join pg_class i on i.oid = x.indexrelid
        where x.indrelid = c.oid and not x.indisprimary) as indexes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relkind in ('r', 'p') order by c.relname`
  return rows.map(({ name, columns, primary_key, indexes }) => ({
    name,
    columns: parseList<ActualColumn>(columns),
    primaryKey: parseList<string>(primary_key),
    indexes: parseList<ActualIndex>(indexes),
  }))
}

/** `json_agg` gives null for no rows. */
const parseList = <T>(json: string | null): T[] => (json === null ? [] : JSON.parse(json))
