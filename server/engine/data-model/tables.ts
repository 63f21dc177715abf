/**
 * Describes the tables of a workspace, and renders the statements that create and change them. The caller passes the
 * columns of the attributes, which the attribute types define. `db/migrations` creates all other tables.
 */

import { entityTableName } from './names'
import type { EntityType } from './model'

export interface Column {
  readonly name: string
  /** In the spelling of PostgreSQL's `format_type`. */
  readonly type: string
  /** The SQL after the type, such as `not null` or a default. Columns of attributes have none. */
  readonly constraint?: string
}

export interface Index {
  readonly name: string
  /** The SQL after `ON <table>`, in the spelling of `pg_get_indexdef`. */
  readonly definition: string
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly primaryKey: readonly string[]
  readonly indexes: readonly Index[]
  readonly storage?: string
  /** Columns whose values are never compressed. */
  readonly uncompressed?: readonly string[]
}

/** The columns and indexes of one attribute in its entity type's table. */
export interface AttributeColumns {
  readonly columns: readonly Column[]
  readonly indexes: readonly Index[]
}

const NOT_NULL = { constraint: 'not null' }

/** Describes a table of records or entries. Its fill factor leaves room for updates within the page. */
export function describeEntityTable(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  attributes: readonly AttributeColumns[],
): Table {
  const name = entityTableName(entityType)
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
      ...(entityType.kind === 'list' ? parent : []),
      ...attributes.flatMap(({ columns }) => columns),
    ],
    primaryKey: ['id'],
    indexes: [
      { name: `${name}_created_at`, definition: 'USING btree (created_at, id)' },
      ...(entityType.kind === 'list' ? [parentIndex] : []),
      ...attributes.flatMap(({ indexes }) => indexes),
    ],
    storage: 'fillfactor=85',
  }
}

/** The table with one row, the model version. Each statement that writes entities reads it. */
export const MODEL_TABLE: Table = {
  name: 'model',
  columns: [{ name: 'version', type: 'integer', ...NOT_NULL }],
  primaryKey: [],
  indexes: [],
}

/**
 * The change events of writes to the workspace's tables, until they are published. A row has the events of one write. Its id is
 * taken while the write holds its rows, so writes of one entity keep their order.
 */
const OUTBOX: Table = {
  name: 'outbox',
  columns: [
    { name: 'id', type: 'bigint', constraint: 'not null generated always as identity' },
    { name: 'occurred_at', type: 'timestamp with time zone', ...NOT_NULL },
    { name: 'actor', type: 'integer', ...NOT_NULL },
    { name: 'events', type: 'json', ...NOT_NULL },
  ],
  primaryKey: ['id'],
  indexes: [],
  storage:
    'autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000, autovacuum_vacuum_insert_scale_factor=1',
  uncompressed: ['events'],
}

/**
 * The records in the trash, and what was deleted with them, in parts. No reader of records names these tables, so none needs a
 * condition that leaves out deleted records. See docs/decisions/trash-and-merges.md.
 */
const TRASH: readonly Table[] = [
  {
    name: 'trash',
    columns: [
      { name: 'id', type: 'uuid', ...NOT_NULL },
      { name: 'object', type: 'integer', ...NOT_NULL },
      { name: 'deleted_at', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'deleted_by', type: 'integer', ...NOT_NULL },
      { name: 'expires_at', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'merged_into', type: 'uuid' },
      { name: 'content', type: 'json', ...NOT_NULL },
    ],
    primaryKey: ['id'],
    indexes: [
      { name: 'trash_deleted_at', definition: 'USING btree (object, deleted_at, id)' },
      { name: 'trash_expires_at', definition: 'USING btree (expires_at)' },
    ],
  },
  {
    name: 'trash_parts',
    columns: [
      { name: 'record_id', type: 'uuid', ...NOT_NULL },
      { name: 'sequence', type: 'bigint', constraint: 'not null generated always as identity' },
      { name: 'kind', type: 'text', ...NOT_NULL },
      { name: 'entity_type', type: 'integer' },
      { name: 'attribute', type: 'integer' },
      { name: 'content', type: 'json', ...NOT_NULL },
    ],
    primaryKey: ['record_id', 'sequence'],
    indexes: [],
  },
]

/**
 * The records that imports created, with a row for each statement, and those that they changed, with the previous values of
 * attributes without a history. See docs/decisions/import-runs-and-undo.md.
 */
const IMPORTED: readonly Table[] = [
  {
    name: 'import_creations',
    columns: [
      { name: 'import_id', type: 'uuid', ...NOT_NULL },
      { name: 'sequence', type: 'bigint', constraint: 'not null generated always as identity' },
      { name: 'object', type: 'integer', ...NOT_NULL },
      { name: 'record_ids', type: 'uuid[]', ...NOT_NULL },
    ],
    primaryKey: ['import_id', 'sequence'],
    indexes: [],
    uncompressed: ['record_ids'],
  },
  {
    name: 'import_updates',
    columns: [
      { name: 'import_id', type: 'uuid', ...NOT_NULL },
      { name: 'record_id', type: 'uuid', ...NOT_NULL },
      { name: 'written_at', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'object', type: 'integer', ...NOT_NULL },
      { name: 'previous', type: 'jsonb' },
    ],
    primaryKey: ['import_id', 'record_id', 'written_at'],
    indexes: [{ name: 'import_updates_record_id', definition: 'USING btree (record_id)' }],
  },
]

/**
 * The tables of every workspace: ended values, unique values, the successors of merged records, trash, what imports wrote, outbox
 * and model version.
 */
export const WORKSPACE_TABLES: readonly Table[] = [
  {
    name: 'history',
    columns: [
      { name: 'entity_id', type: 'uuid', ...NOT_NULL },
      { name: 'attribute', type: 'integer', ...NOT_NULL },
      { name: 'active_from', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'active_until', type: 'timestamp with time zone', ...NOT_NULL },
      { name: 'actor', type: 'integer', ...NOT_NULL },
      { name: 'mirrored', type: 'boolean', constraint: 'not null default false' },
      { name: 'value', type: 'jsonb', ...NOT_NULL },
      { name: 'sequence', type: 'bigint', constraint: 'not null generated always as identity' },
      { name: 'ended_by', type: 'integer' },
    ],
    primaryKey: [],
    indexes: [
      { name: 'history_entity_id', definition: 'USING btree (entity_id, attribute, active_from)' },
      { name: 'history_active_until', definition: 'USING btree (entity_id, attribute, active_until)' },
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
      { name: 'entity_id', type: 'uuid', ...NOT_NULL },
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
      { name: 'merged_by', type: 'integer' },
    ],
    primaryKey: ['old_id'],
    indexes: [{ name: 'merges_new_id', definition: 'USING btree (new_id)' }],
  },
  ...TRASH,
  ...IMPORTED,
  OUTBOX,
  MODEL_TABLE,
]

/**
 * The commands that create a table and its indexes. Logical replication identifies the rows of a table without a primary key by
 * all columns. `schema` is quoted, as in `DataModel.schema`.
 */
export function createTable(schema: string, table: Table): string[] {
  const columns = table.columns.map(columnDefinition)
  const primaryKey = table.primaryKey.length > 0 ? [`primary key (${table.primaryKey.join(', ')})`] : []
  const storage = table.storage === undefined ? '' : ` with (${table.storage})`
  const name = `${schema}."${table.name}"`
  const create = `create table ${name} (${[...columns, ...primaryKey].join(', ')})${storage}`
  const identity = primaryKey.length > 0 ? [] : [`alter table ${name} replica identity full`]
  const uncompressed = (table.uncompressed ?? []).map(
    (column) => `alter table ${name} alter column ${column} set storage external`,
  )
  return [create, ...identity, ...uncompressed, ...table.indexes.map((index) => createIndex(name, index))]
}

export const dropTable = (table: string): string => `drop table ${table}`

/** The commands that add the columns of attributes, and their indexes. `table` is qualified and quoted, as in `EntityType.table`. */
export function addColumns(table: string, attributes: readonly AttributeColumns[]): string[] {
  const columns = attributes.flatMap((attribute) => attribute.columns)
  if (columns.length === 0) return []
  const added = columns.map((column) => `add column ${columnDefinition(column)}`)
  const indexes = attributes.flatMap((attribute) => attribute.indexes)
  return [`alter table ${table} ${added.join(', ')}`, ...indexes.map((index) => createIndex(table, index))]
}

/** No command without columns. PostgreSQL drops the indexes of the columns with them. */
export function dropColumns(table: string, columns: readonly Column[]): string[] {
  if (columns.length === 0) return []
  return [`alter table ${table} ${columns.map(({ name }) => `drop column ${name}`).join(', ')}`]
}

export const createIndex = (table: string, { name, definition }: Index): string =>
  `create index ${name} on ${table} ${definition}`

const columnDefinition = ({ name, type, constraint }: Column): string =>
  constraint === undefined ? `${name} ${type}` : `${name} ${type} ${constraint}`
