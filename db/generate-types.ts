/**
 * Generates `schema.ts`, the types of the control tables, from a migrated database. Run `bun db:types` after you add a migration.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testDatabase } from '#testing/database'
import type { Sql } from './connect'

interface Column {
  readonly table_name: string
  readonly name: string
  /** In PostgreSQL's spelling: `timestamp with time zone`, `text[]`. */
  readonly type: string
  readonly is_nullable: boolean
  readonly has_default: boolean
  readonly is_always_generated: boolean
}

/** The JavaScript type in which the driver returns each type, as `connect.ts` sets it up. All others arrive as text. */
const TYPES: Record<string, string> = {
  smallint: 'number',
  integer: 'number',
  real: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
}

/**
 * Returns the content of `schema.ts`, with the tables and views of the schema `relata` ordered by name, without partitions. A column of a
 * view has the type of the table's.
 */
export async function renderTypes(sql: Sql): Promise<string> {
  const columns = await sql<Column[]>`
    select c.relname as table_name, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      not a.attnotnull as is_nullable, a.atthasdef or a.attidentity <> '' as has_default,
      a.attidentity = 'a' as is_always_generated
    from pg_class c join pg_attribute own on own.attrelid = c.oid and own.attnum > 0 and not own.attisdropped
    left join information_schema.view_column_usage u
      on u.view_schema = 'relata' and u.view_name = c.relname and u.column_name = own.attname
    join pg_attribute a on a.attrelid = coalesce(('relata.' || quote_ident(u.table_name))::regclass, c.oid) and a.attname = own.attname
    where c.relnamespace = 'relata'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
    order by c.relname, own.attnum`
  const tables = Map.groupBy(columns, (column) => column.table_name)
  const used = columns.map(typeOf).join(' ')
  const imports = ['Generated', 'GeneratedAlways'].filter((name) => used.includes(`${name}<`))
  return [
    '/** Generated from the migrations by `bun db:types`. Timestamps and json are text, as the driver gives them. */',
    '',
    `import type { ${imports.join(', ')} } from 'kysely'`,
    '',
    'export interface DB {',
    ...[...tables.keys()].map((name) => `  'relata.${name}': ${interfaceName(name)}`),
    '}',
    ...[...tables].flatMap(([name, members]) => [
      '',
      `export interface ${interfaceName(name)} {`,
      ...members.map((column) => `  ${column.name}: ${typeOf(column)}`),
      '}',
    ]),
    '',
  ].join('\n')
}

const interfaceName = (table: string): string =>
  `${table.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}Table`

function typeOf({ type, is_nullable, has_default, is_always_generated }: Column): string {
  const value = type.endsWith('[]') ? 'string[]' : (TYPES[type] ?? 'string')
  const nullable = is_nullable ? `${value} | null` : value
  if (is_always_generated) return `GeneratedAlways<${nullable}>`
  return has_default ? `Generated<${nullable}>` : nullable
}

if (import.meta.main) {
  const { db, drop } = await testDatabase()
  try {
    writeFileSync(join(import.meta.dir, 'schema.ts'), await renderTypes(db.sql))
  } finally {
    await drop()
  }
}
