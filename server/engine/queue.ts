/**
 * The queues of all workers but the deliveries of webhooks. The rows of a control table are the work. `due_at` is when a process
 * may take a row, and while a process has it, the end of its lease; null when nothing is to do. So work that a process leaves is
 * due again by itself, and a process that loses its lease is noticed, because each write of taken work names the lease.
 * See docs/decisions/queues.md.
 */

import { type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely'
import { type Database, renderArray, type Sql, type Transaction } from '#db/connect'
import type { DB } from '#db/schema'
import { type Clock, type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { createWorkLoop, failureOf, type RunningWorker, type WorkerDefinition } from '#base/timing/run-periodically'
import { createWorkerStatistics, type LogFailure, type WorkerStatistics } from '#base/timing/worker-statistics'
import { controlQueriesIn, ofWritableWorkspace } from '#engine/data-model/kysely-in-transaction'

interface QueueColumns {
  workspace_id: string
  due_at: string | null
  /** How often the row was taken since its lease was ended in order. */
  attempts: number
  /** Names the lease: a process makes a new id each time that it takes work. */
  leased_by: string | null
  /** The process that has the lease, by the name of its connections. */
  worker: string | null
}

/** The control tables with the columns of a queue. */
export type QueueTable = { [T in keyof DB]: Selectable<DB[T]> extends QueueColumns ? T : never }[keyof DB]

export interface Queue<T extends QueueTable> {
  readonly table: T
  /** The column that is the key together with `workspace_id`. */
  readonly id: keyof DB[T] & string
  /**
   * How long a process has a row, unless it renews its lease. With `back-off`, that is also the delay before the next attempt: five
   * minutes after the first one, doubled after each further one.
   */
  readonly lease: Micros | 'back-off'
  /** Whether the work belongs to the installation or to deleted workspaces. Other work waits while its workspace is deleted. */
  readonly isBeyondWorkspaces?: boolean
  /** Whether the work sends something. No process takes it while the database may be a copy. See docs/decisions/database-copies.md. */
  readonly sends?: boolean
  /** Whether rows that are due at the same time are taken in the order of their ids. Otherwise the index on `due_at` alone decides. */
  readonly isInOrderOfIds?: boolean
  /** A further condition on a due row `q`. */
  readonly isReady?: (at: string) => RawBuilder<boolean>
  /** Further columns of `q` that taking it sets. */
  readonly onTake?: (at: string) => { readonly [C in keyof DB[T]]?: RawBuilder<never> }
}

/** The row of work that a process has taken. */
export type Taken<T extends QueueTable> = Selectable<DB[T]> & { readonly leased_by: string }

interface TakeOptions {
  readonly now: Micros
  readonly limit: number
  /** Takes work of this workspace only. */
  readonly workspaceId?: string
}

/** Exceeds the time-out of a mail server. */
const FIRST_DELAY = '5 minutes'
/** Limits the sum of ten delays to some days. */
const MAX_DOUBLINGS = 8

/** Takes the rows that are due longest. Two processes never take the same one: a locked row is skipped, a taken one is not due. */
export async function takeDue<T extends QueueTable>(
  db: Database,
  queue: Queue<T>,
  { now, limit, workspaceId }: TakeOptions,
): Promise<Taken<T>[]> {
  const at = timestampFromMicros(now)
  const id = sql.ref<string>(`q.${queue.id}`)
  const lease = { leased_by: crypto.randomUUID(), worker: db.pools.applicationName, due_at: endOfLease(queue, now) }
  const rows = await rowsIn(db.sql)
    // PostgreSQL might run a subquery that is not materialized several times, and lock more rows than it returns.
    .with(
      (cte) => cte('due').materialized(),
      (query) =>
        query
          .selectFrom(aliasOf(queue))
          .select(['q.workspace_id', id.as('id')])
          .where('q.due_at', '<=', at)
          .$if(workspaceId !== undefined, (due) => due.where('q.workspace_id', '=', workspaceId ?? ''))
          .where(isOpen(queue))
          .$if(queue.sends === true, (due) => due.where(IS_NOT_HELD))
          .$if(queue.isReady !== undefined, (due) => due.where(queue.isReady?.(at) ?? sql<boolean>`true`))
          .orderBy('q.due_at')
          .$if(queue.isInOrderOfIds === true, (due) => due.orderBy(id))
          .limit(limit)
          .forUpdate()
          .skipLocked(),
    )
    .updateTable(aliasOf(queue))
    .from('due')
    .set({ ...lease, attempts: sql`q.attempts + 1`, ...queue.onTake?.(at) })
    .whereRef('q.workspace_id', '=', 'due.workspace_id')
    .where(sql<boolean>`${id} = due.id`)
    .returningAll('q')
    .execute()
  return rows as unknown as Taken<T>[] // all columns of the table, whose lease is set
}

const IS_NOT_HELD = sql<boolean>`not exists (select from relata.installation where held_at is not null)`

/** Each back-off is up to a tenth shorter, so that work that failed together is not due together again. */
const endOfLease = ({ lease }: AnyQueue, now: Micros): RawBuilder<string> | string =>
  lease === 'back-off'
    ? sql<string>`${timestampFromMicros(now)}::timestamptz
        + ${FIRST_DELAY}::interval * 2 ^ least(q.attempts, ${MAX_DOUBLINGS}::int) * (1 - random() / 10)`
    : timestampFromMicros(now + lease)

/** How much of a queue waits for a process. */
export interface QueueLength {
  /** Counted up to `MAX_COUNTED`. */
  readonly waiting: number
  /** Since when the first of it is due; undefined when nothing waits. */
  readonly since: Micros | undefined
}

/** Counting all rows of a long queue would take long itself. */
export const MAX_COUNTED = 10_000

/** Work that a process has is not due before its lease ends, so it does not count. */
export async function readQueueLength(db: Sql, queue: AnyQueue, now: Micros): Promise<QueueLength> {
  const due = rowsIn(db)
    .selectFrom(aliasOf(queue))
    .select('q.due_at')
    .where('q.due_at', '<=', timestampFromMicros(now))
    .where(isOpen(queue))
    .orderBy('q.due_at')
    .limit(MAX_COUNTED)
  const row = await rowsIn(db)
    .selectFrom(due.as('due'))
    .select((each) => [each.fn.countAll<string>().as('waiting'), each.fn.min('due.due_at').as('since')])
    .executeTakeFirst()
  const since = row?.since ?? null
  return { waiting: Number(row?.waiting ?? 0), since: since === null ? undefined : microsFromPostgres(since) }
}

/** Whether the workspace of the work is not deleted. */
const isOpen = ({ isBeyondWorkspaces }: AnyQueue): RawBuilder<boolean> =>
  isBeyondWorkspaces === true ? sql<boolean>`true` : ofWritableWorkspace('q.workspace_id')

/** What a process needs to write work that it has taken. */
export interface Lease {
  readonly workspaceId: string
  readonly id: string
  readonly leaseId: string
}

export const leaseOf = <T extends QueueTable>({ id }: Queue<T>, taken: Taken<T>): Lease => {
  const { workspace_id, leased_by, [id]: key } = taken as Taken<QueueTable> & Readonly<Record<string, unknown>> // see QueueTable
  return { workspaceId: workspace_id, id: String(key), leaseId: leased_by }
}

/**
 * Changes taken work. Returns a column of it, or undefined when the lease is lost: another process has it, it is gone, or its workspace
 * is deleted.
 */
export async function updateLeased<T extends QueueTable, C extends keyof Selectable<DB[T]> & string>(
  db: Sql | Transaction,
  queue: Queue<T>,
  { workspaceId, id: value, leaseId }: Lease,
  changes: Updateable<DB[T]> | Readonly<Record<string, unknown>>,
  returned: C,
): Promise<Selectable<DB[T]>[C] | undefined> {
  const row = await rowsIn(db)
    .updateTable(aliasOf(queue))
    .set(changes)
    .where('q.workspace_id', '=', workspaceId)
    .where(sql.ref(`q.${queue.id}`), '=', value)
    .where('q.leased_by', '=', leaseId)
    .where(isOpen(queue))
    .returning(sql.ref(`q.${returned}`).as('value'))
    .executeTakeFirst()
  return row?.value as Selectable<DB[T]>[C] | undefined // the type of the column
}

/** Deletes work that is done. */
export async function deleteTaken(
  db: Sql | Transaction,
  { table, id }: AnyQueue,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await rowsIn(db)
    .deleteFrom(aliasOf({ table }))
    .where('q.workspace_id', '=', workspaceId)
    .where(sql<boolean>`${sql.ref(`q.${id}`)} = any(${renderArray(ids)})`)
    .execute()
}

/** The columns of taken work that renew its lease. */
export const renewed = ({ lease }: LeasedQueue, now: Micros) => ({ due_at: timestampFromMicros(now + lease) })

/** The columns of work whose lease a process ends in order. The work is due at `dueAt`, or not any more. */
export const released = (dueAt: Micros | null) => ({
  due_at: dueAt === null ? null : timestampFromMicros(dueAt),
  attempts: 0,
  leased_by: null,
  worker: null,
})

/**
 * Ends the leases of dead workers. With back-off, only first attempts are due at once. Another one keeps its delay, because it may be
 * what kills the processes.
 */
export async function endLeasesOf(
  db: Sql,
  { table, lease }: Pick<AnyQueue, 'table' | 'lease'>,
  workers: readonly string[],
  now: Micros,
): Promise<void> {
  await rowsIn(db)
    .updateTable(aliasOf({ table }))
    .set({ due_at: timestampFromMicros(now), worker: null })
    .where(sql<boolean>`q.worker = any(${renderArray(workers)}::text[])`)
    .$if(lease === 'back-off', (update) => update.where('q.attempts', '=', 1))
    .execute()
}

/** What the module needs of any queue. */
export type AnyQueue = {
  readonly table: QueueTable
  readonly id: string
  readonly lease: Micros | 'back-off'
  readonly isBeyondWorkspaces?: boolean
}
type LeasedQueue = { readonly lease: Micros }

const rowsIn = (db: Sql | Transaction) => controlQueriesIn(db) as unknown as Kysely<{ queue: QueueColumns }> // see QueueTable
const aliasOf = ({ table }: Pick<AnyQueue, 'table'>) => `${table} as q` as 'queue as q' // its columns are those of any queue

/** A worker that takes work at its start, when it is woken, and at an interval. */
interface QueueWorker<Context> {
  readonly name: string
  readonly does: string
  readonly queue: AnyQueue
  /** The time after which it looks for work without a wake-up, and tries again after a failure. */
  readonly everyMs: number
  /** How many pieces of work run at the same time; one by default. */
  readonly slots?: number
  /**
   * Takes a piece of work and returns a function that does it, or undefined when none is due. The function resolves to false when the
   * worker is to look for the next piece after its interval only. When `stopping` is aborted, the function ends soon. `logFailure` is for
   * what the function could not do, where it does not throw: for a part of the work, or for work that is stored as failed.
   */
  readonly take: (
    context: Context,
    stopping: AbortSignal,
    logFailure: LogFailure,
  ) => Promise<(() => Promise<unknown>) | undefined>
}

export interface RunningQueueWorker extends RunningWorker {
  /** Makes the worker look for work. */
  wake(): void
  /** Resolves when nothing runs and nothing is due. */
  settled(): Promise<void>
}

export interface QueueWorkerDefinition<Context> extends WorkerDefinition<Context> {
  readonly queue: AnyQueue
  start(context: Context, statistics?: WorkerStatistics): RunningQueueWorker
}

/** What a piece of work gets of its worker. */
export interface WorkRun<Context> {
  readonly context: Context
  readonly stopping: AbortSignal
  readonly logFailure: LogFailure
}

/** How a worker takes one piece of due work. */
export const takeOne =
  <T extends QueueTable, Context extends { readonly db: Database; readonly now: Clock }>(
    queue: Queue<T>,
    work: (run: WorkRun<Context>, taken: Taken<T>) => Promise<unknown>,
  ): QueueWorker<Context>['take'] =>
  async (context, stopping, logFailure) => {
    const [taken] = await takeDue(context.db, queue, { now: context.now(), limit: 1 })
    return taken && (() => work({ context, stopping, logFailure }, taken))
  }

/** How a worker takes up to `limit` pieces of due work, and does one after the other. */
export const takeInTurn =
  <T extends QueueTable, Context extends { readonly db: Database; readonly now: Clock }>(
    queue: Queue<T>,
    limit: number,
    work: (context: Context, taken: Taken<T>, logFailure: LogFailure) => Promise<void>,
  ): QueueWorker<Context>['take'] =>
  async (context, stopping, logFailure) => {
    const taken = await takeDue(context.db, queue, { now: context.now(), limit })
    return taken.length === 0 ? undefined : inTurn(taken, stopping, (each) => work(context, each, logFailure))
  }

/** Does taken work in its order, until `stopping` is aborted. The rest is due again when its lease ends. */
export const inTurn =
  <T>(taken: readonly T[], stopping: AbortSignal, work: (item: T) => Promise<void>) =>
  async (): Promise<void> => {
    for (const item of taken) {
      if (stopping.aborted) return
      await work(item)
    }
  }

export const queueWorker = <Context>(worker: QueueWorker<Context>): QueueWorkerDefinition<Context> => ({
  ...worker,
  start: (context, statistics = createWorkerStatistics()) => startQueueWorker(worker, context, statistics),
})

function startQueueWorker<Context>(
  worker: QueueWorker<Context>,
  context: Context,
  statistics: WorkerStatistics,
): RunningQueueWorker {
  const { take, everyMs, slots = 1 } = worker
  const shutdown = new AbortController()
  const running = new Set<Promise<void>>()
  const logFailure = (error: unknown) => statistics.logFailure(failureOf(worker), error)

  const run = (work: () => Promise<unknown>): Promise<unknown> =>
    statistics.run(work).catch((error: unknown) => {
      logFailure(error)
      return false
    })

  const loop = createWorkLoop(async () => {
    while (!shutdown.signal.aborted && running.size < slots) {
      const work = await take(context, shutdown.signal, statistics.logFailure)
      if (work === undefined) return
      const piece = run(work).then((isNextWanted) => {
        running.delete(piece)
        if (isNextWanted !== false) loop.request()
      })
      running.add(piece)
    }
  }, logFailure)
  const polling = setInterval(loop.request, everyMs)
  loop.request()

  async function settled(): Promise<void> {
    await loop.settled()
    // The end of a piece may have begun another search meanwhile.
    if (running.size === 0 && loop.running === undefined) return
    await Promise.all(running)
    await settled()
  }

  return {
    wake: loop.request,
    settled,
    async stop() {
      shutdown.abort()
      clearInterval(polling)
      await settled()
      loop.stop()
    },
  }
}
