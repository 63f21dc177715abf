/**
 * Weighs an index over several columns before it is built: when few rows have the same values, the index on one column finds
 * them and PostgreSQL sorts them at once. Decision 0115.
 */

import { renderArray, type Sql } from '#db/connect'
import { MIN_MATCHING_ROWS } from './build-rule'
import type { IndexBuildTask } from './store'

/** Returns why the index is not worth its cost. Undefined when it is, or the table has no statistics. */
export async function weighIndex(
  sql: Sql,
  { table, equalColumns, isPinned }: IndexBuildTask,
): Promise<string | undefined> {
  if (equalColumns.length === 0 || isPinned) return undefined
  // The most rows with the same value of a column. `n_distinct` is negative when it is a share of the rows.
  const [found] = await sql<{ rows: number | null }[]>`
    select min(c.reltuples * coalesce(s.most_common_freqs[1],
      case when s.n_distinct < 0 then -1 / (s.n_distinct * c.reltuples) when s.n_distinct > 0 then 1 / s.n_distinct end
    ))::float8 as rows
    from pg_class c
    join pg_stats s on to_regnamespace(quote_ident(s.schemaname)) = c.relnamespace and s.tablename = c.relname
    where c.oid = to_regclass(${table}) and c.reltuples > 0 and s.attname = any(${renderArray(equalColumns)}::text[])`
  const rows = found?.rows ?? null
  if (rows === null || rows >= MIN_MATCHING_ROWS) return undefined
  return `Not worth its cost: about ${Math.round(rows)} rows at most have the same values.`
}
