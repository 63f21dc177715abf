/** Estimates the number of rows of a table from PostgreSQL's statistics, without counting or locking. */

import type { Database } from '#db/connect'
import { createLru } from '#base/caching/lru'

export interface TableSizes {
  /** Returns the cached size, or undefined when it was never read. */
  getCached(table: string): number | undefined
  /** Returns the cached size, and refreshes an old one in the background. Reads it when it is not cached. */
  get(table: string): number | Promise<number>
}

interface Size {
  rows: number
  readAt: number
}

const MAX_AGE_MS = 5000
const MAX_TABLES = 10_000

export function createTableSizes(db: Database, maxTables = MAX_TABLES): TableSizes {
  const sizes = createLru<string, Size>(maxTables)
  // The reads that wait for the database, by table.
  const reading = new Map<string, Promise<number>>()

  async function read(table: string): Promise<number> {
    const rows = await readSize(db, table)
    sizes.set(table, { rows, readAt: performance.now() })
    return rows
  }

  function refresh(table: string): Promise<number> {
    const running = reading.get(table) ?? read(table).finally(() => reading.delete(table))
    reading.set(table, running)
    return running
  }

  return {
    getCached: (table) => sizes.get(table)?.rows,
    get(table) {
      const size = sizes.get(table)
      if (!size) return refresh(table)
      // When the refresh fails, the cached size is good enough.
      if (performance.now() - size.readAt > MAX_AGE_MS) refresh(table).catch(() => {})
      return size.rows
    },
  }
}

/** Takes the larger of the last analysis and the count of writes since. A missing table has 0 rows. */
async function readSize(db: Database, table: string): Promise<number> {
  const [row] = await db.sql<{ rows: number }[]>`
    select greatest(reltuples, pg_stat_get_live_tuples(oid))::float8 as rows
    from pg_class where oid = to_regclass(${table})`
  return Math.round(row?.rows ?? 0)
}
