/** About how many holders a table has: what PostgreSQL knows without counting, and without a lock on the table. */

import type { Database } from '../../db/connect'

export interface TableSizes {
  /** As last seen; undefined when never asked for. */
  known(table: string): number | undefined
  /** As last seen, and looked up anew behind it when that is some seconds ago. */
  get(table: string): number | Promise<number>
}

interface Size {
  rows: number
  readAt: number
}

const FRESH_FOR_MS = 5000

export function createTableSizes(db: Database): TableSizes {
  const sizes = new Map<string, Size>()
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
    known: (table) => sizes.get(table)?.rows,
    get(table) {
      const size = sizes.get(table)
      if (!size) return refresh(table)
      // What was seen last is good enough when the database cannot be asked.
      if (performance.now() - size.readAt > FRESH_FOR_MS) refresh(table).catch(() => {})
      return size.rows
    },
  }
}

/** As last analysed, or as counted by writes since; 0 for a table that is not there (any more). */
async function readSize(db: Database, table: string): Promise<number> {
  const [row] = await db.sql<{ rows: number }[]>`
    select greatest(reltuples, pg_stat_get_live_tuples(oid))::float8 as rows
    from pg_class where oid = to_regclass(${table})`
  return Math.round(row?.rows ?? 0)
}
