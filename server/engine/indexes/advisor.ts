/**
 * Collects index requests. Requests are counted in memory, and the counts are stored at most once a second, for the index
 * workers.
 */

import { createDelayedCall } from '#base/timing/wait'
import { readStored } from '#db/citus'
import type { Database } from '#db/connect'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { logError } from '#base/logging/log-error'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { type IndexRequest, isRequestCounted } from './index-request'
import { type IndexRequests, MAX_REQUESTED_BY, saveIndexRequests } from './store'
import { createLru } from '#base/caching/caching'

export interface IndexAdvisor {
  readonly sizes: TableSizes
  /** The setting for the number of rows from which an index is worth its cost. See `index-request.ts`. */
  readonly fromRows: number
  /** Counts requests for each of these indexes that is missing, if the table of the entity type has enough rows. */
  request(model: DataModel, entityType: EntityType, requested: RequestedIndexes): void
  /** Stores the counts. Resolves when these and all earlier counts are stored. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** The indexes that would have served a query. */
export interface RequestedIndexes {
  readonly requests: readonly IndexRequest[]
  /** How often each is requested, for a query that will be repeated. */
  readonly times?: number
  /** Describes the query without its operands. */
  requestedBy(): string
}

/** Requests indexes for the caller's workspace, if the process has an index advisor. */
export const requestIndexes = (
  { model, indexes }: { readonly model: DataModel; readonly indexes?: IndexAdvisor },
  entityType: EntityType,
  requested: RequestedIndexes,
): void => indexes?.request(model, entityType, requested)

export interface IndexAdvisorOptions {
  readonly db: Database
  readonly now: Clock
  readonly fromRows: number
}

const FLUSH_MS = 1000
/** Requests for more indexes than this between two flushes are dropped: the next queries repeat them. */
const MAX_COUNTED = 1000

export function createIndexAdvisor({ db, now, fromRows }: IndexAdvisorOptions): IndexAdvisor {
  const sizes = createTableSizes(db)
  let counted = new Map<string, IndexRequests>()
  let isWriting = false
  let writing = Promise.resolve()

  function flush(): Promise<void> {
    delayedFlush.cancel()
    const all = [...counted.values()]
    counted = new Map()
    const write = async () => {
      isWriting = true
      try {
        if (all.length > 0) await saveIndexRequests(db, all, timestampFromMicros(now()))
      } finally {
        isWriting = false
      }
    }
    writing = writing.then(write, write)
    return writing
  }

  function count(requested: Omit<IndexRequests, 'requestedBy'>, query: string): void {
    const key = `${requested.workspaceId} ${requested.indexRequest.name}`
    const earlier = counted.get(key)
    if (!earlier && counted.size >= MAX_COUNTED) return
    const requestedBy = [...new Set([...(earlier?.requestedBy ?? []), query])].slice(0, MAX_REQUESTED_BY)
    counted.set(key, { ...requested, count: (earlier?.count ?? 0) + requested.count, requestedBy })
  }

  // Queries repeat their requests, so a count that is lost with the process does no harm.
  const delayedFlush = createDelayedCall(() => {
    // A database that does not answer gets no second write while the first one waits.
    if (isWriting) delayedFlush.request()
    else void flush().catch(logFailure)
  }, FLUSH_MS)

  return {
    sizes,
    fromRows,
    request({ indexes, workspace }, entityType, { requests, times = 1, requestedBy }) {
      const missing = requests.filter(({ name }) => !indexes.has(name))
      if (missing.length === 0) return
      const countAll = (rows: number) => {
        const counting = missing.filter((request) => isRequestCounted(request, rows, fromRows))
        if (counting.length === 0) return
        for (const indexRequest of counting)
          count({ workspaceId: workspace.id, entityTypeId: entityType.id, indexRequest, count: times }, requestedBy())
        delayedFlush.request()
      }
      const rows = sizes.getCached(entityType.table) ?? sizes.get(entityType.table)
      if (typeof rows === 'number') countAll(rows)
      else void rows.then(countAll).catch(() => {})
    },
    flush,
    close: () => flush().catch(logFailure),
  }
}

const logFailure = (error: unknown) => logError('The index requests could not be stored.', error)

/** Estimates the number of rows of a table from PostgreSQL's statistics, without counting or locking. */
interface TableSizes {
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

function createTableSizes(db: Database, maxTables = MAX_TABLES): TableSizes {
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
  const rows = await readStored(
    db,
    table,
    `select greatest(reltuples, pg_stat_get_live_tuples(oid)) from pg_class where oid = to_regclass('%s')`,
  )
  return Math.round(Number(rows))
}
