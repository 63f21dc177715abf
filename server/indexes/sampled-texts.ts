/**
 * How many holders have a part of a text, PostgreSQL tells from the texts in its statistics. Of the usual hundred none may
 * have what one in sixty has, and all of those would be taken from the index instead of the first in order. Decision 0032.
 */

import type { Sql } from '../../db/connect'
import type { IndexTask } from './store'

/** Both as SQL. */
interface Column {
  readonly table: string
  readonly name: string
}

/** The column whose parts of texts an index looks up; none of other indexes, nor of one over an expression. */
export const textColumns = async (sql: Sql, { schema, name }: Pick<IndexTask, 'schema' | 'name'>): Promise<Column[]> =>
  sql<Column[]>`
    select i.indrelid::regclass::text as table, quote_ident(a.attname) as name
    from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    join pg_opclass o on o.oid = i.indclass[0]
    where i.indexrelid = to_regclass(${`${schema}."${name}"`}) and o.opcname = 'gin_trgm_ops'`

/** From the next time statistics are gathered. */
export async function sampleTexts(sql: Sql, columns: readonly Column[], texts: number): Promise<void> {
  for (const { table, name } of columns) {
    await sql.unsafe(`alter table ${table} alter column ${name} set statistics ${texts}`)
  }
}
