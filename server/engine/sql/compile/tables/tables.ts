/** The tables that a query may name, from the data model and what the caller may read. */

import { type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'
import { visibleAttributes } from '#engine/data-model/find'
import { getPartner } from '#engine/storage/layout'
import {
  columnSql,
  type ColumnType,
  columnTypeOf,
  NANOSECONDS,
  nanosecondsColumn,
  type StatementParameters,
} from './column-sql'

export interface SqlScope {
  readonly model: DataModel
  /** The objects and lists that the caller may read. */
  readonly entityTypes: readonly EntityType[]
}

export function tablesOf({ model, entityTypes }: SqlScope): SqlTable[] {
  const tables = entityTypes.map((entityType) => entityTable(model, entityType))
  return [...tables, tablesTable(tables), columnsTable(tables)]
}

/** A data model has entity types of its own, so the cached table belongs to one data model. */
const cache = new WeakMap<EntityType, SqlTable>()

function entityTable(model: DataModel, entityType: EntityType): SqlTable {
  const table = cache.get(entityType) ?? makeTable(model, entityType)
  cache.set(entityType, table)
  return table
}

/** The schema that texts name the tables of a kind of entity type with. */
const SCHEMAS = { object: 'objects', list: 'lists', activity: 'activities' } as const satisfies Record<
  EntityType['kind'],
  SqlTable['schema']
>

function makeTable(model: DataModel, entityType: EntityType): SqlTable {
  const { kind, number, api_slug, table } = entityType
  const attributes = visibleAttributes(model, entityType).filter(
    (attribute) => attribute.stored_in !== 'partner' || hasRecords(getPartner(model, attribute).entityType),
  )
  return {
    schema: SCHEMAS[kind],
    name: api_slug,
    // The number, because names in PostgreSQL are shorter than a slug with its schema.
    cte: `${SCHEMAS[kind]}.${number}`,
    entityType,
    columns: new Map(attributes.map((attribute) => [attribute.api_slug, columnTypeOf(attribute)])),
    body({ all, rows, names, whole, conditions, nanoseconds }, parameters) {
      const body = { model, parameters, joins: [] as string[] }
      const used = attributes.filter(({ api_slug: slug }) => all || names.has(slug))
      const items = used.map((attribute) => {
        const { api_slug: slug } = attribute
        const isNamed = names.has(slug)
        // Beside `*`, a column of which a condition reads a field stays one of which the planner takes the fields. The response
        // shows it as null if all of its fields are null.
        const isWhole = !isNamed || rows || whole.has(slug) || (all && !conditions.has(slug))
        const sql = columnSql(body, attribute, { isNamed, isWhole })
        return `${sql} as "${slug}"`
      })
      // Behind all others, because `*` has them too.
      for (const attribute of nanoseconds ? used : []) {
        const column = nanosecondsColumn(attribute)
        if (column !== null) items.push(`h.${column} as "${NANOSECONDS}${attribute.number}"`)
      }
      return `select ${items.join(', ')} from ${[`${table} h`, ...body.joins].join(' ')}`
    },
  }
}

/** The tables of `information_schema`, with exactly the tables and columns that the caller may read. */
type Row = Readonly<Record<string, string | number>>

const CATALOG = 'relata'

const tablesTable = (tables: readonly SqlTable[]): SqlTable =>
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

const columnsTable = (tables: readonly SqlTable[]): SqlTable =>
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

// A table that a query may name.

/** The columns of tables that a query can mean. */
export interface ColumnUsage {
  /** Whether the query has `*` or another form that reads every column of a table. */
  readonly all: boolean
  readonly names: ReadonlySet<string>
  /** The columns that the query reads as a whole, not only fields of them. */
  readonly whole: ReadonlySet<string>
  /** Whether it reads rows as values, such as `to_json(people)`. */
  readonly rows: boolean
  /** Whether it also reads the nanoseconds of timestamps. */
  readonly nanoseconds: boolean
  /** The names in conditions. */
  readonly conditions: ReadonlySet<string>
}

export interface SqlTable {
  readonly schema: 'objects' | 'lists' | 'activities' | 'information_schema'
  readonly name: string
  /** The name of its common table expression. */
  readonly cte: string
  /** Null for the tables of `information_schema`. */
  readonly entityType: EntityType | null
  readonly columns: ReadonlyMap<string, ColumnType>
  /** The query that reads the used columns. */
  body(usage: ColumnUsage, parameters: StatementParameters): string
}
