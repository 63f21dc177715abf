/** The types of PostgreSQL that a result may contain, by their numbers. The numbers of our own types differ in each database. */

import type { Sql } from '#db/connect'

export interface ResultType {
  /** As PostgreSQL shows it, such as `timestamp with time zone`. */
  readonly name: string
  /** The number of the type of the items of an array. */
  readonly element: number | null
  /** The fields of one of our composite types. */
  readonly fields: readonly SqlField[] | null
}

export interface SqlField {
  readonly name: string
  readonly type: number
}

export type SqlTypes = ReadonlyMap<number, ResultType>

interface TypeRow {
  readonly oid: string
  readonly name: string
  readonly element: string | null
  readonly fields: string | null
}

/** Reads the types over the connection whose results they describe. */
export async function loadTypes(sql: Sql): Promise<SqlTypes> {
  const rows = await sql.unsafe<TypeRow[]>(`
    select t.oid::int8::text as oid, replace(format_type(t.oid, null), 'relata_sql.', '') as name,
      case when t.typcategory = 'A' then t.typelem::int8::text end as element,
      case when t.typtype = 'c' then (
        select json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int8) order by a.attnum)
        from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      ) end as fields
    from pg_type t join pg_namespace n on n.oid = t.typnamespace
    where n.nspname = 'relata_sql' or (n.nspname = 'pg_catalog' and t.typrelid = 0)`)
  return new Map(
    rows.map(({ oid, name, element, fields }) => [
      Number(oid),
      {
        name,
        element: element === null ? null : Number(element),
        fields: fields === null ? null : (JSON.parse(fields) as SqlField[]), // the statement makes this form
      },
    ]),
  )
}
