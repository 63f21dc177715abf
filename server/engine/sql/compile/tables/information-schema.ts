/** The tables of `information_schema`, with exactly the tables and columns that the caller may read. */

import type { ColumnType } from './column-type'
import type { SqlTable } from './sql-table'

type Row = Readonly<Record<string, string | number>>

const CATALOG = 'relata'

export const tablesTable = (tables: readonly SqlTable[]): SqlTable =>
  rowsTable('tables', ['table_catalog', 'table_schema', 'table_name', 'table_type'], () =>
    tables.map(({ schema, name }) => ({
      table_catalog: CATALOG,
      table_schema: schema,
      table_name: name,
      table_type: 'VIEW',
    })),
  )

const COLUMNS = [
  'table_catalog',
  'table_schema',
  'table_name',
  'column_name',
  'ordinal_position',
  'is_nullable',
  'data_type',
  'udt_schema',
  'udt_name',
]

export const columnsTable = (tables: readonly SqlTable[]): SqlTable =>
  rowsTable('columns', COLUMNS, () =>
    tables.flatMap(({ schema, name, columns }) =>
      [...columns].map(([column, type], index) => ({
        table_catalog: CATALOG,
        table_schema: schema,
        table_name: name,
        column_name: column,
        ordinal_position: index + 1,
        is_nullable: 'YES',
        ...describe(type),
      })),
    ),
  )

/** The names of types in `data_type` and `udt_name`, where they differ. */
const TYPE_NAMES: Readonly<Record<string, readonly [dataType: string, udtName: string]>> = {
  boolean: ['boolean', 'bool'],
  timestamptz: ['timestamp with time zone', 'timestamptz'],
}

function describe({ name, isArray, fields }: ColumnType): Row {
  const [dataType, udtName] = TYPE_NAMES[name] ?? [name, name]
  return {
    data_type: isArray ? 'ARRAY' : fields === null ? dataType : 'USER-DEFINED',
    udt_schema: fields === null ? 'pg_catalog' : 'relata_sql',
    udt_name: isArray ? `_${udtName}` : udtName,
  }
}

const INTEGERS: ReadonlySet<string> = new Set(['ordinal_position'])

function rowsTable(name: string, columns: readonly string[], rows: () => readonly Row[]): SqlTable {
  return {
    schema: 'information_schema',
    name,
    cte: `information_schema.${name}`,
    entityType: null,
    columns: new Map(
      columns.map((column) => [
        column,
        { name: INTEGERS.has(column) ? 'integer' : 'text', isArray: false, fields: null },
      ]),
    ),
    body(_usage, parameters) {
      const arrays = columns.map((column) =>
        parameters.addArray(`${name} ${column}`, INTEGERS.has(column) ? 'int' : 'text', () =>
          rows().map((row) => row[column] ?? null),
        ),
      )
      return `select * from unnest(${arrays.join(', ')}) as t(${columns.join(', ')})`
    },
  }
}
