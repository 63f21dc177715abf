/** Reads the definitions of the control tables from PostgreSQL's catalogue. */

import type { Sql } from './connect'

export interface ControlColumn {
  readonly name: string
  /** In PostgreSQL's spelling: `timestamp with time zone`, `text[]`. */
  readonly type: string
  readonly not_null: boolean
  readonly default_sql: string | null
  readonly identity: 'always' | 'by default' | null
}

export interface ControlTable {
  readonly name: string
  readonly columns: readonly ControlColumn[]
  /** In SQL, such as `primary key (id)`. */
  readonly constraints: readonly string[]
  /** The `create index` statements of indexes that belong to no constraint. */
  readonly indexes: readonly string[]
}

/** The tables of the schema `relata`, ordered by name. */
export async function describeSchema(sql: Sql): Promise<ControlTable[]> {
  const tables = await sql<{ oid: string; name: string }[]>`
    select c.oid::text as oid, c.relname as name from pg_class c
    where c.relnamespace = 'relata'::regnamespace and c.relkind in ('r', 'p') order by c.relname`
  return Promise.all(tables.map(({ oid, name }) => describeTable(sql, oid, name)))
}

async function describeTable(sql: Sql, oid: string, name: string): Promise<ControlTable> {
  const [columns, constraints, indexes] = await Promise.all([
    sql<ControlColumn[]>`
      select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as not_null,
        pg_get_expr(d.adbin, d.adrelid) as default_sql,
        case a.attidentity when 'a' then 'always' when 'd' then 'by default' end as identity
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = ${oid}::text::oid and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    // PostgreSQL 18 also stores "not null" as constraints of type n. The columns have that already.
    sql<{ definition: string }[]>`
      select pg_get_constraintdef(oid) as definition from pg_constraint
      where conrelid = ${oid}::text::oid and contype in ('p', 'u', 'f', 'c')
      order by position(contype::text in 'pufc'), conname`,
    sql<{ definition: string }[]>`
      select pg_get_indexdef(i.indexrelid) as definition from pg_index i
      where i.indrelid = ${oid}::text::oid
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
      order by 1`,
  ])
  return {
    name,
    columns: [...columns],
    constraints: constraints.map(({ definition }) => definition),
    indexes: indexes.map(({ definition }) => definition),
  }
}
