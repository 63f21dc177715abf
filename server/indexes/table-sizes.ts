/**
 * About how many holders a table has, as PostgreSQL's planner estimates it: density when last analysed, times the pages
 * there are now. Counting would read the table.
 */

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

/** Of a table that was never analysed, bytes are all that is known. */
const BYTES_PER_ROW = 300

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

/** 0 for a table that is not there (any more). */
async function readSize(db: Database, table: string): Promise<number> {
  const [row] = await db.sql<{ rows: number }[]>`
    select case when reltuples >= 0 and relpages > 0
      then reltuples / relpages * (pg_relation_size(oid) / current_setting('block_size')::int)
      else pg_relation_size(oid) / ${BYTES_PER_ROW}::float8 end as rows
    from pg_class where oid = to_regclass(${table})`
  return Math.round(row?.rows ?? 0)
}
