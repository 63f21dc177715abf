import type { Sql } from '#db/connect'
import { until } from './until'

/** Pages that a table was extended by, and does not use yet, are never marked. */
const MARKED_SHARE = 0.8

/**
 * Vacuums and analyzes all tables until the pages of the tables of workspaces are marked as visible to all transactions. While an
 * older transaction runs, such as that of an automatic analysis, PostgreSQL leaves pages unmarked. It then counts rows in the
 * table instead of an index.
 */
export async function vacuumTables(sql: Sql): Promise<void> {
  await until(async () => {
    await sql.unsafe('vacuum analyze')
    const [row] = await sql<{ unmarked: number }[]>`
      select count(*)::int as unmarked from pg_class
      where relkind = 'r' and relnamespace::regnamespace::text like 'w\\_%' and relpages > 50
        and relallvisible < ${MARKED_SHARE}::float8 * relpages`
    return row?.unmarked === 0
  })
}
