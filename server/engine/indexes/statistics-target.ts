/**
 * Raises the statistics target of columns with a trigram index. PostgreSQL estimates from the sampled texts how many rows
 * contain a substring. With the default sample of a hundred, it underestimates a substring that one row in sixty has, and
 * reads all of its matches from the index instead of the first rows in sort order. Decision 0032.
 */

import type { Sql } from '#db/connect'
import type { IndexBuildTask } from './store'

/** Table and column, both quoted for SQL. */
interface Column {
  readonly table: string
  readonly name: string
}

/** Returns the column of a trigram index. Returns nothing for other indexes, and for one over an expression. */
export const findTrigramColumns = async (
  sql: Sql,
  { schema, name }: Pick<IndexBuildTask, 'schema' | 'name'>,
): Promise<Column[]> =>
  sql<Column[]>`
    select i.indrelid::regclass::text as table, quote_ident(a.attname) as name
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    join pg_opclass o on o.oid = i.indclass[0]
    where i.indexrelid = to_regclass(${`${schema}."${name}"`}) and o.opcname = 'gin_trgm_ops'`

/** Sets the statistics target. It takes effect when PostgreSQL next analyses the table. */
export async function setStatisticsTarget(sql: Sql, columns: readonly Column[], texts: number): Promise<void> {
  for (const { table, name } of columns) {
    await sql.unsafe(`alter table ${table} alter column ${name} set statistics ${texts}`)
  }
}
