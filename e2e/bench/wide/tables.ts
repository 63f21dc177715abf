/** The table of the floor: the same records in columns with readable names, and the indexes that its statements use. */

import type { Sql } from '#db/connect'
import { type EntityTable, tableOf } from '../floor/tables'
import { NUMBERS, OBJECT, TEXTS } from './rows'

export const COLUMNS = ['id', 'created_at', 'created_by', ...TEXTS, ...NUMBERS, 'email'] as const

/** The columns with their types, as `json_to_recordset` takes them. */
export const COLUMN_TYPES = [
  'id uuid',
  'created_at timestamptz',
  'created_by int',
  ...TEXTS.map((name) => `${name} text`),
  ...NUMBERS.map((name) => `${name} float8`),
  'email text',
]

interface WideTable {
  /** The name with its schema: `w_1.o_250`. */
  readonly table: string
  readonly attributes: EntityTable['attributes']
}

/** Finds the table of the service. Undefined before the object was made. */
export async function findWideTable(sql: Sql): Promise<WideTable | undefined> {
  const [workspace] = await sql<{ id: string; schema: string }[]>`
    select id, format('w_%s', number) as schema from relata.workspaces`
  if (!workspace) return undefined
  const { table, attributes } = await tableOf(sql, workspace.id, OBJECT)
  return table === '' ? undefined : { table: `${workspace.schema}.${table}`, attributes }
}

/** The ids of the records, in random order. */
export async function readIds(sql: Sql, { table }: WideTable): Promise<string[]> {
  const rows = await sql.unsafe<{ id: string }[]>(`select id from ${table} order by md5(id::text)`)
  return rows.map(({ id }) => id)
}

/** Copies the records of the service. The last index serves the page. */
export async function makeWideFloor(sql: Sql, { table, attributes }: WideTable): Promise<void> {
  const columnOf = (slug: string, member: string) =>
    `a_${attributes.find(({ api_slug }) => api_slug === slug)?.number}_${member}`
  const values = [
    ...[...TEXTS, ...NUMBERS].map((slug) => `${columnOf(slug, 'value')} as ${slug}`),
    `${columnOf('email', 'email_address')} as email`,
  ]
  await sql.unsafe(`
    create schema if not exists floor;
    drop table if exists floor.wide;
    create table floor.wide with (fillfactor = 85) as
      select id, created_at, created_by, ${values.join(', ')} from ${table} order by created_at, id;
    alter table floor.wide add primary key (id);
    create unique index on floor.wide (email);
    create index on floor.wide (created_at, id);
    create index on floor.wide (score);
    create index on floor.wide (status, created_at desc, id);`)
}
