/**
 * Stores when callers wrote last, so that every process finds it out. A process stores the time of a caller at most once in two seconds.
 * Rows are of callers, not of tokens: all tokens of an app share one. See docs/decisions/replica.md.
 */

import { createLru } from '#base/caching/caching'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type Database, renderArray, runOnLookupPool } from '#db/connect'

export interface WritingCaller {
  readonly workspaceId: string
  readonly key: string
  /** Undefined for a member at the console. */
  readonly clientId?: string
}

export interface CallerWrites {
  /** Resolves when the database has that the caller writes. Call it before a write, and again after it, before the response. */
  store(caller: WritingCaller): Promise<void>
  /** The position of the write-ahead log of the primary now, and whether the caller wrote lately. */
  read(caller: WritingCaller): Promise<CallerPosition>
}

export interface CallerPosition {
  readonly position: number
  readonly hasWritten: boolean
}

export interface CallerWritesTimes {
  /** A write counts for this time. */
  readonly lately: number
  /** A stored time is stored again after this time. */
  readonly renewal: number
}

/** A caller that is removed is stored again at its next write. */
const MAX_CALLERS = 10_000

/** A caller at the console reads again after each event of any caller, so it must see all of them. */
const isAtConsole = ({ clientId }: WritingCaller): boolean => clientId === undefined

export function createCallerWrites(db: Database, times: CallerWritesTimes): CallerWrites {
  /** When the time of a caller was last stored, by the monotonic clock of this process. */
  const stored = createLru<string, number>(MAX_CALLERS)
  const readTogether = createCollector((callers: readonly WritingCaller[]) => readPositions(db, callers, times.lately))

  return {
    async store(caller) {
      if (isAtConsole(caller)) return
      const at = performance.now()
      if (at - (stored.get(keyOf(caller)) ?? -Infinity) < times.renewal) return
      await storeWrite(db, caller)
      stored.set(keyOf(caller), at)
    },
    async read(caller) {
      const { position, writers } = await readTogether(caller)
      return { position, hasWritten: isAtConsole(caller) || writers.has(keyOf(caller)) }
    },
  }
}

const keyOf = ({ workspaceId, key }: WritingCaller): string => `${workspaceId} ${key}`

/** PostgreSQL's clock decides, because those of processes differ. */
const storeWrite = ({ sql }: Database, { workspaceId, key }: WritingCaller) => sql`
  insert into relata.caller_writes (workspace_id, caller, written_at) values (${workspaceId}, ${key}, clock_timestamp())
  on conflict (workspace_id, caller) do update set written_at = excluded.written_at`

interface Position {
  readonly position: number
  /** Those of the callers that wrote lately, by their keys. */
  readonly writers: ReadonlySet<string>
}

/** A committed write has no greater position, also with asynchronous commits. */
const POSITION = `(pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text`

/** The position of the write-ahead log of the primary now. */
export async function readPosition(db: Database): Promise<number> {
  return (await readPositions(db, [], 0)).position
}

async function readPositions(db: Database, callers: readonly WritingCaller[], lately: number): Promise<Position> {
  const parameters = [
    renderArray(callers.map(({ workspaceId }) => workspaceId)),
    renderArray(callers.map(({ key }) => key)),
    String(lately / 1000),
  ]
  const [row] = await runOnLookupPool(db, (sql) =>
    sql.unsafe<{ position: string; writers: (string | null)[] }[]>(POSITION_STATEMENT, parameters, { prepare: true }),
  )
  return { position: Number(row?.position), writers: new Set((row?.writers ?? []).map(String)) }
}

const POSITION_STATEMENT = `
  select ${POSITION} as position, array(
    select w.workspace_id || ' ' || w.caller
    from unnest($1::text::uuid[], $2::text::text[]) as asked (workspace_id, caller)
    join relata.caller_writes w on w.workspace_id = asked.workspace_id and w.caller = asked.caller
    where w.written_at > clock_timestamp() - make_interval(secs => $3::text::float8)
  ) as writers`

/**
 * Returns a function that calls `read` with its argument and those of other calls that come while an earlier `read` runs, so that a process
 * has one such statement at a time. `read` begins after the call.
 */
export function createCollector<Item, Result>(
  read: (items: readonly Item[]) => Promise<Result>,
): (item: Item) => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve()
  let next: { readonly items: Item[]; readonly result: Promise<Result> } | undefined
  return (item) => {
    if (next !== undefined) {
      next.items.push(item)
      return next.result
    }
    const items = [item]
    const result = running.then(() => {
      next = undefined
      return read(items)
    })
    next = { items, result }
    running = result.catch(() => undefined)
    return result
  }
}

/** No reader asks about so old a write. */
const KEPT_MICROS = 3_600_000_000

/** Returns the number of deleted rows. */
export async function deleteOldWrites({ control }: Database, now: Micros, limit: number): Promise<number> {
  const { numDeletedRows } = await control
    .deleteFrom('relata.caller_writes as w')
    .using((query) =>
      query
        .selectFrom('relata.caller_writes')
        .select(['workspace_id', 'caller'])
        .where('written_at', '<', timestampFromMicros(now - KEPT_MICROS))
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('old'),
    )
    .whereRef('w.workspace_id', '=', 'old.workspace_id')
    .whereRef('w.caller', '=', 'old.caller')
    .executeTakeFirst()
  return Number(numDeletedRows)
}
