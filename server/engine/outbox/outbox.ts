/**
 * The outboxes: appends change events, and runs the writes of this process to the outboxes of workspaces. The process registers before it
 * writes, so that another process finds the events if this one is killed before it publishes them. See docs/decisions/events.md.
 */

import type { Database, Pools, Sql, Transaction } from '#db/connect'
import { logError } from '#base/logging/log-error'
import { createDelayedCall } from '#base/timing/wait'
import type { DataModel } from '#engine/data-model/model'
import { currentTraceparent } from '#base/monitoring/trace-context'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import type { ChangeEvent } from '#vocabulary/event-types'

interface OutboxWriter {
  run<T>(workspaceId: string, write: () => Promise<T>): Promise<T>
  readonly unpublished: UnpublishedWorkspaces
  /** From now on, this process publishes the events that it writes. */
  startPublishing(): void
  /** Deletes the registrations that this process has not used for some time. */
  releaseUnused(): Promise<void>
  /** Deletes all registrations, except where events may be left. No write may follow. */
  close(): Promise<void>
}

/** The clocks of the processes that publish differ by less than this, so readers of a feed skip the partitions before it. */
export const MAX_CLOCK_SKEW = '1 day'

/**
 * Runs a write that may append events to the outbox of a workspace. `write` includes the commit. Within `runInTransaction`, the
 * caller of that function has registered.
 */
export const asOutboxWriter = <T>(db: Database, workspaceId: string, write: () => Promise<T>): Promise<T> =>
  db.isInTransaction ? write() : outboxWriterOf(db).run(workspaceId, write)

const writers = new WeakMap<Pools, OutboxWriter>()

/** Always the same for a process. */
export function outboxWriterOf({ pools }: Database): OutboxWriter {
  const existing = writers.get(pools)
  if (existing !== undefined) return existing
  const writer = createOutboxWriter(pools)
  writers.set(pools, writer)
  return writer
}

/** `clock` returns monotonic milliseconds. */
export function createOutboxWriter(
  pools: Pick<Pools, 'sql' | 'applicationName'>,
  clock: () => number = () => performance.now(),
): OutboxWriter {
  const registrations = createWriterRegistrations(pools, clock)
  const unpublished = createUnpublishedWorkspaces()
  /** The number of writes that run, by workspace. */
  const running = new Map<string, number>()

  function end(workspaceId: string): void {
    const left = (running.get(workspaceId) ?? 1) - 1
    if (left === 0) running.delete(workspaceId)
    else running.set(workspaceId, left)
    unpublished.add(workspaceId)
  }
  const used = () => new Set([...running.keys(), ...unpublished.ids()])

  return {
    unpublished,
    async run(workspaceId, write) {
      running.set(workspaceId, (running.get(workspaceId) ?? 0) + 1)
      try {
        await registrations.ensure(workspaceId)
        return await write()
      } finally {
        end(workspaceId)
      }
    },
    startPublishing: registrations.startPublishing,
    releaseUnused: () => registrations.deleteEnded(used()),
    close: () => registrations.close(used()),
  }
}

/** The registrations of one process as a writer of outboxes. See docs/decisions/events.md. */
interface WriterRegistrations {
  /** Resolves when the process is registered for the workspace. */
  ensure(workspaceId: string): Promise<void>
  /** From now on, registrations say that this process publishes what it writes. */
  startPublishing(): void
  /** Deletes the registrations that have ended, except those of these workspaces. */
  deleteEnded(except: ReadonlySet<string>): Promise<void>
  /** Deletes all registrations, except those of these workspaces. */
  close(except: ReadonlySet<string>): Promise<void>
}

interface Registration {
  /** By the monotonic clock of this process, in milliseconds. */
  validUntil: number
  renewAt: number
  /** The statement that runs. */
  registering?: Promise<void>
}

/** PostgreSQL's clock decides when a registration ends for other processes. This process stops using it earlier. */
const REGISTERED_S = 60
const VALID_MS = 40_000
const RENEW_AFTER_MS = 20_000
/** Renewals are collected for this time, and sent in one statement. */
const COLLECT_RENEWALS_MS = 500

/** `clock` returns monotonic milliseconds. */
function createWriterRegistrations(
  { sql, applicationName }: Pick<Pools, 'sql' | 'applicationName'>,
  clock: () => number,
): WriterRegistrations {
  const registrations = new Map<string, Registration>()
  const toRenew = new Set<string>()
  let isPublishing = false

  async function register(workspaceIds: readonly string[]): Promise<void> {
    const sentAt = clock()
    await sql`
      insert into relata.outbox_writers (workspace_id, process, is_publishing, registered_until)
      select id, ${applicationName}, ${isPublishing}, clock_timestamp() + make_interval(secs => ${REGISTERED_S})
      from unnest(${workspaceIds}::uuid[]) as id
      on conflict (workspace_id, process)
        do update set is_publishing = excluded.is_publishing, registered_until = excluded.registered_until`
    for (const id of workspaceIds)
      registrations.set(id, { validUntil: sentAt + VALID_MS, renewAt: sentAt + RENEW_AFTER_MS })
  }

  const renewal = createDelayedCall(() => {
    const ids = [...toRenew]
    toRenew.clear()
    register(ids).catch((error: unknown) => logError('A registration could not be renewed yet.', error))
  }, COLLECT_RENEWALS_MS)

  const isValid = (id: string) => (registrations.get(id)?.validUntil ?? -Infinity) > clock()

  async function ensure(id: string): Promise<void> {
    const registration = registrations.get(id) ?? { validUntil: -Infinity, renewAt: Infinity }
    if (!isValid(id)) {
      registrations.set(id, registration)
      await (registration.registering ??= register([id]).finally(() => delete registration.registering))
    } else if (clock() >= registration.renewAt) {
      registration.renewAt = Infinity
      toRenew.add(id)
      renewal.request()
    }
  }

  return {
    ensure,
    startPublishing() {
      isPublishing = true
      registrations.clear()
    },
    async deleteEnded(except) {
      for (const id of registrations.keys()) if (!isValid(id) && !except.has(id)) registrations.delete(id)
      // A registration that a write renews meanwhile stays.
      await sql`
        delete from relata.outbox_writers
        where process = ${applicationName} and registered_until < clock_timestamp()
          and workspace_id <> all(${[...except]}::uuid[])`
    },
    async close(except) {
      renewal.cancel()
      registrations.clear()
      await sql`
        delete from relata.outbox_writers
        where process = ${applicationName} and workspace_id <> all(${[...except]}::uuid[])`
    },
  }
}

/** The workspaces whose outboxes may have events that are not published, by what this process wrote or was notified of. */
interface UnpublishedWorkspaces {
  /** Call it when a write has ended, or when another process may have left events. */
  add(workspaceId: string): void
  has(workspaceId: string): boolean
  isEmpty(): boolean
  /** Whether as many wait as are published next, so that waiting for more makes no larger batch. */
  isSelectionFull(): boolean
  /** How many they are, and for how many milliseconds the first of them waits. */
  length(): { readonly waiting: number; readonly oldestMs: number }
  ids(): Iterable<string>
  /** Those to publish next: groups with the longest waiting first. */
  next(): Selection
  /** Adds those that do not wait yet, and returns all. */
  select(ids: Iterable<string>): Selection
  /** Another process publishes the groups of these workspaces, so that others are selected before them. */
  postponed(ids: Iterable<string>): void
  /** The events of a selection are published, except that the workspaces `unfinished` may have more. */
  published(selection: Selection, unfinished: readonly string[]): void
  /** None of the events of a selection are published. */
  failed(selection: Selection): void
  /** The workspaces that are not selected, because publishing each of them alone failed a moment ago. */
  failing(): string[]
}

/** The ids of workspaces. The numbers show whether a workspace was added again. */
export type Selection = ReadonlyMap<string, number>

/**
 * Each workspace of a batch costs a statement and two locks. With fewer, the transaction of the batch would cost more than they. A batch of so many
 * has few groups, so that other processes publish others meanwhile.
 */
const MAX_SELECTED = 200
/** When a failed workspace is selected again. */
const RETRY_AFTER_MS = 1_000

/** After a failure, workspaces are selected singly, so that one that cannot be published does not hold up the others. */
export function createUnpublishedWorkspaces(clock: () => number = () => performance.now()): UnpublishedWorkspaces {
  // A map keeps its entries in the order in which they were set.
  const waiting = new Map<string, number>()
  const retryAt = new Map<string, number>()
  /** When a workspace was added that had no events before. */
  const since = new Map<string, number>()
  let last = 0
  let size = MAX_SELECTED

  /** A workspace that waits already stays where it is. */
  function add(workspaceId: string): void {
    if (!waiting.has(workspaceId)) since.set(workspaceId, clock())
    waiting.set(workspaceId, ++last)
  }

  function moveToEnd(workspaceId: string): void {
    const added = waiting.get(workspaceId)
    if (added === undefined) return
    waiting.delete(workspaceId)
    waiting.set(workspaceId, added)
  }

  return {
    add,
    has: (workspaceId) => waiting.has(workspaceId),
    isEmpty: () => waiting.size === 0,
    isSelectionFull: () => waiting.size >= size,
    length: () => ({
      waiting: waiting.size,
      oldestMs: waiting.size === 0 ? 0 : clock() - Math.min(...since.values()),
    }),
    ids: () => waiting.keys(),
    next() {
      const ready = [...waiting].filter(([id]) => (retryAt.get(id) ?? 0) <= clock())
      if (ready.length <= size) return new Map(ready)
      // A map has its groups in the order of their longest waiting workspaces.
      const byGroup = [...Map.groupBy(ready, ([id]) => groupOf(id)).values()]
      return new Map(byGroup.flat().slice(0, size))
    },
    select(ids) {
      const selection = new Map<string, number>()
      for (const id of ids) {
        if (!waiting.has(id)) add(id)
        selection.set(id, waiting.get(id) ?? last)
      }
      return selection
    },
    postponed(ids) {
      for (const id of ids) moveToEnd(id)
    },
    published(selection, unfinished) {
      for (const [id, added] of selection) {
        retryAt.delete(id)
        if (waiting.get(id) !== added) {
          moveToEnd(id)
          since.set(id, clock())
        } else {
          waiting.delete(id)
          since.delete(id)
        }
      }
      for (const id of unfinished) add(id)
      size = Math.min(size * 2, MAX_SELECTED)
    },
    failed(selection) {
      for (const id of selection.keys()) {
        if (size === 1) retryAt.set(id, clock() + RETRY_AFTER_MS)
        add(id)
        moveToEnd(id)
      }
      size = 1
    },
    failing: () => [...retryAt].filter(([, at]) => at > clock()).map(([id]) => id),
  }
}

// The groups in which workspaces are published. A process publishes the workspaces of the groups that it has locked, and other processes publish
// others meanwhile. Positions of a workspace become visible in order, because its group has one publisher at a time.
// See docs/decisions/events.md.

/** A migration makes a sequence for each. */
export const GROUPS = 16

/** The last digits of an id are random. */
export const groupOf = (workspaceId: string): number => Number.parseInt(workspaceId.slice(-4), 16) % GROUPS

const LOCK = 0x72_65_6c_65 // a number that no other code locks

/** The groups that a transaction has locked. Of a process that is always the publisher of a group, the numbers of batches follow each other. */
export type LockedGroups = ReadonlyMap<number, bigint>

/**
 * Locks those of the groups that no other transaction has locked, until the transaction ends. Waits for a publisher of a version without groups,
 * which takes the lock with one key alone and may still run during a rolling upgrade.
 */
export async function lockFreeGroups(tx: Transaction, groups: Iterable<number>): Promise<LockedGroups> {
  const wanted = `{${[...groups].join(',')}}`
  // `execute` sends the statement now, in its order.
  const rows = await tx<{ id: number; batch: string }[]>`
    select id, nextval(('relata.published_batches_' || id)::regclass) as batch
    from unnest(${wanted}::int[]) as id
    where case when pg_advisory_xact_lock_shared(${LOCK}) is not null then pg_try_advisory_xact_lock(${LOCK}, id) end`.execute()
  return new Map(rows.map(({ id, batch }) => [id, BigInt(batch)]))
}

/** Waits until no other transaction has locked the group. Call it without a locked group, so that no two transactions wait for each other. */
export async function waitForGroup(tx: Transaction, group: number): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCK}, ${group})`
}

/** Until the transaction ends, no process publishes events of the workspace; without one, of any. */
export async function lockPublishers(tx: Transaction, workspaceId?: string): Promise<void> {
  await tx`select pg_advisory_xact_lock_shared(${LOCK})`
  if (workspaceId !== undefined) return waitForGroup(tx, groupOf(workspaceId))
  await tx`select pg_advisory_xact_lock(${LOCK}, id) from generate_series(0, ${GROUPS - 1}::int) as id`
}

// Appends change events to the outbox, in the transaction of the change itself.
// See docs/reference/webhooks-and-events.md (What causes what).

/** The write that caused the events. */
export interface EventOrigin {
  readonly workspaceId: string
  /** The number of the actor in the workspace. */
  readonly actor: number
  readonly at: Micros
}

/** The origin of events that a request causes. */
export const eventOriginOf = (
  { model, actor, now }: { readonly model: DataModel; readonly actor: number; readonly now: Clock },
  at: Micros = now(),
): EventOrigin => ({
  workspaceId: model.workspace.id,
  actor,
  at,
})

/** Appends events in their order. Call it after the changed rows are locked or written. */
export async function appendToOutbox(
  db: Sql | Transaction,
  origin: EventOrigin,
  events: readonly ChangeEvent[],
): Promise<void> {
  if (events.length === 0) return
  await db`
    insert into relata.outbox (workspace_id, occurred_at, actor, events)
    values (${origin.workspaceId}, ${timestampFromMicros(origin.at)}, ${origin.actor}, ${renderOutboxEvents(events)}::text::json)`
}

/** The JSON of the events of an outbox row. They get the trace of the request that runs, if it has one. */
export function renderOutboxEvents(events: readonly ChangeEvent[]): string {
  const traceparent = currentTraceparent()
  return JSON.stringify(traceparent === undefined ? events : events.map((event) => ({ ...event, traceparent })))
}
