/**
 * The tables of a workspace, as plain descriptions and as the statements that make them so. What columns an attribute
 * has is handed in: the attribute types know it. `db/migrations` makes all other tables.
 */

import { holderTable } from './names'
import type { Owner } from './model'

export interface Column {
  readonly name: string
  /** As PostgreSQL's `format_type` prints it. */
  readonly type: string
  /** What follows the type: `not null`, a default. Empty for attributes' columns. */
  readonly constraint?: string
}

export interface Index {
  readonly name: string
  /** What follows `ON <table>`, as `pg_get_indexdef` prints it. */
  readonly definition: string
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  readonly indexes: readonly Index[]
  /** Storage parameters. */
  readonly storage?: string
}

/** An attribute's part of its owner's table. */
export interface AttributeColumns {
  readonly columns: readonly Column[]
  readonly indexes: readonly Index[]
}

const NOT_NULL = { constraint: 'not null' }

/** A table of records or entries. Room is left in its pages for updates in place. */
export function describeHolderTable(
  owner: Pick<Owner, 'kind' | 'number'>,
  attributes: readonly AttributeColumns[],
): Table {
  const name = holderTable(owner)
  const parent = [
    { name: 'parent_object', type: 'integer', ...NOT_NULL },
    { name: 'parent_record_id', type: 'uuid', ...NOT_NULL },
  ]
  const parentIndex = { name: `${name}_parent_record_id`, definition: 'USING btree (parent_record_id)' }
  return {
    name,
    columns: [
      { name: 'id', type: 'uuid', ...NOT_NULL },
      { name: 'created_at', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'created_by', type: 'integer', ...NOT_NULL },
      { name: 'updated_at', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'updated_by', type: 'integer', ...NOT_NULL },
      { name: 'version', type: 'integer', constraint: 'not null default 1' },
      { name: 'provenance', type: 'jsonb' },
      ...(owner.kind === 'list' ? parent : []),
      ...attributes.flatMap(({ columns }) => columns),
    ],
    primaryKey: ['id'],
    indexes: [
      { name: `${name}_created_at`, definition: 'USING btree (created_at, id)' },
      ...(owner.kind === 'list' ? [parentIndex] : []),
      ...attributes.flatMap(({ indexes }) => indexes),
    ],
    storage: 'fillfactor=85',
  }
}

/** The tables every workspace has: ended values, unique values, and what merged records became. */
export const WORKSPACE_TABLES: readonly Table[] = [
  {
    name: 'history',
    columns: [
      { name: 'holder_id', type: 'uuid', ...NOT_NULL },
      { name: 'attribute', type: 'integer', ...NOT_NULL },
      { name: 'active_from', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'active_until', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'actor', type: 'integer', ...NOT_NULL },
      { name: 'mirrored', type: 'boolean', constraint: 'not null default false' },
      { name: 'value', type: 'jsonb', ...NOT_NULL },
      { name: 'sequence', type: 'bigint', constraint: 'not null generated always as identity' },
    ],
    primaryKey: [],
    indexes: [
      { name: 'history_holder_id', definition: 'USING btree (holder_id, attribute, active_from)' },
      {
        name: 'history_target_record_id',
        definition: `USING btree (((value ->> 'target_record_id'::text))) WHERE (value ? 'target_record_id'::text)`,
      },
    ],
  },
  {
    name: 'uniques',
    columns: [
      { name: 'attribute', type: 'integer', ...NOT_NULL },
      { name: 'key', type: 'text', ...NOT_NULL },
      { name: 'holder_id', type: 'uuid', ...NOT_NULL },
    ],
    primaryKey: ['attribute', 'key'],
    indexes: [],
  },
  {
    name: 'merges',
    columns: [
      { name: 'old_id', type: 'uuid', ...NOT_NULL },
      { name: 'new_id', type: 'uuid', ...NOT_NULL },
      { name: 'merged_at', type: 'timestamp with time zone', ...NOT_NULL },
    ],
    primaryKey: ['old_id'],
    indexes: [],
  },
]

/** `schema` is quoted, as in `DataModel.schema`; so is every table named here. */
export function createTable(schema: string, table: Table): string {
  const columns = table.columns.map(columnDefinition)
  const primaryKey = table.primaryKey.length > 0 ? [`primary key (${table.primaryKey.join(', ')})`] : []
  const storage = table.storage === undefined ? '' : ` with (${table.storage})`
  const create = `create table ${schema}."${table.name}" (${[...columns, ...primaryKey].join(', ')})${storage};`
  return [create, ...table.indexes.map((index) => createIndex(`${schema}."${table.name}"`, index))].join('\n')
}

export const dropTable = (table: string): string => `drop table ${table};`

/** Columns of new attributes and the indexes that must exist at once; `table` is an owner's. */
export function addColumns(table: string, attributes: readonly AttributeColumns[]): string {
  const columns = attributes.flatMap((attribute) => attribute.columns)
  if (columns.length === 0) return ''
  const added = columns.map((column) => `add column ${columnDefinition(column)}`)
  const indexes = attributes.flatMap((attribute) => attribute.indexes)
  return [`alter table ${table} ${added.join(', ')};`, ...indexes.map((index) => createIndex(table, index))].join('\n')
}

/** Their indexes go with them. */
export function dropColumns(table: string, columns: readonly Column[]): string {
  if (columns.length === 0) return ''
  return `alter table ${table} ${columns.map(({ name }) => `drop column ${name}`).join(', ')};`
}

export const createIndex = (table: string, { name, definition }: Index): string =>
  `create index ${name} on ${table} ${definition};`

const columnDefinition = ({ name, type, constraint }: Column): string =>
  constraint === undefined ? `${name} ${type}` : `${name} ${type} ${constraint}`
