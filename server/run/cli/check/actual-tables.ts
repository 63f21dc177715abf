/** Reads the tables of a workspace's schema from the catalogue of PostgreSQL. */

import type { Database } from '#db/connect'

export interface ActualColumn {
  readonly name: string
  readonly type: string
  readonly not_null: boolean
}

export interface ActualIndex {
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
