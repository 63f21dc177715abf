/**
 * Moves events from the outboxes to the feed. One process at a time publishes a workspace, so its events become visible in the order of
 * their positions: after a reader has read one position, no event of the workspace appears below it. See docs/decisions/events.md.
 */

import { CELL_SEPARATOR, cellsAsTypes, type Database, ROW_SEPARATOR, rowsFromText, type Transaction } from '#db/connect'
import { newId } from '#base/ids'
import { type Tracer, spanTime } from '#base/monitoring/tracer'
import { type Clock, timestampFromMicros, microsFromPostgres } from '#base/timing/clock'
import {
  groupOf,
  type LockedGroups,
  lockFreeGroups,
  outboxWriterOf,
  type Selection,
  waitForGroup,
} from '#engine/outbox/outbox'
import {
  type ControlWrites,
  deleteWrites,
  findControlWrites,
  forgetNumbers,
  joinReads,
  MAX_SINGLE_OUTBOXES,
  type OutboxesRead,
  readOutboxes,
  readOwnOutboxes,
  readWorkspaceNumbers,
  takeOwnOutboxes,
} from './outboxes/read-outboxes'
import { settleAll } from '#base/timing/wait'
import type { ChangedValues, ChangeEvent, ChangeEventBody, EventType } from '#vocabulary/event-types'
import { createLru } from '#base/caching/caching'
import { newSpanId, parseTraceparent, renderTraceparent, type TraceContext } from '#base/monitoring/trace-context'

export interface PublishedEvent {
  readonly id: string
  readonly position: string
  readonly workspaceId: string
  readonly occurredAt: string
  readonly recordedAt: string
  readonly body: ChangeEventBody
  /** The JSON text of the body, as it is stored and sent. */
  readonly text: string
  /** For subscriptions that include values. The feed does not store them. */
  readonly values: ChangedValues | undefined
  /** The span of the publication, for deliveries. Undefined without a trace. */
  readonly traceparent: string | undefined
}

/** Runs in the transaction that publishes the events. Matching inserts deliveries in it. */
export type OnPublish = (tx: Transaction, events: readonly PublishedEvent[]) => Promise<unknown>

/** The payload is a comma-separated list of workspace ids, or empty when they do not fit. */
export const EVENTS_CHANNEL = 'relata_events'

/** PostgreSQL limits a payload to 8,000 bytes; a workspace takes 37. */
const MAX_NAMED_WORKSPACES = 200

export interface PublishBatchOptions {
  readonly tracer?: Tracer | undefined
  /** Gets the groups of each batch that is committed, also of one without writes. */
  readonly onLocked?: (groups: LockedGroups) => void
}

/** Publishes the events of the oldest writes. Returns the number of writes; 0 means that no known outbox has a write. */
export async function publishBatch(
  db: Database,
  now: Clock,
  onPublish: OnPublish,
  { tracer, onLocked = () => {} }: PublishBatchOptions = {},
): Promise<number> {
  const { unpublished } = outboxWriterOf(db)
  for (;;) {
    let selection = firstOf(unpublished.next(), db.isDistributed ? MAX_SINGLE_OUTBOXES : Infinity)
    const options = { now, onPublish, spans: tracer && beginBatchSpans(tracer) }
    try {
      const batch = await db.sql.begin(async (tx) => {
        const read = await readBatch(db, tx, selection)
        selection = read.selection
        await publishWrites(tx, read, options)
        return read
      })
      options.spans?.end()
      unpublished.published(batch.selection, batch.unfinished)
      unpublished.postponed(batch.skipped)
      onLocked(batch.groups)
      if (batch.writes.length > 0 || batch.selection.size === 0) return batch.writes.length
    } catch (error) {
      if (error instanceof ControlWriteCame) continue
      unpublished.failed(selection)
      forgetNumbers(selection.keys())
      throw error
    }
  }
}

/** Each outbox on Citus is read by a statement of its own, which takes as much as a batch may have. */
const firstOf = (selection: Selection, most: number): Selection =>
  selection.size <= most ? selection : new Map([...selection].slice(0, most))

// Reads the writes of a batch: locks the groups of the selected workspaces, as far as no other process publishes them, and reads their outboxes.

interface Batch extends OutboxesRead {
  /** The workspaces whose writes it has. */
  readonly selection: Selection
  /** The selected workspaces that other processes publish. */
  readonly skipped: readonly string[]
  readonly groups: LockedGroups
}

/** Thrown when a write of the control tables came while many outboxes were read. The transaction has to begin anew. */
class ControlWriteCame extends Error {}

async function readBatch(db: Database, tx: Transaction, selection: Selection): Promise<Batch> {
  const { unpublished } = outboxWriterOf(db)
  const ids = [...selection.keys()]
  const numbers = await readWorkspaceNumbers(tx, ids)
  const failing = unpublished.failing()
  const isMany = !db.isDistributed && ids.length > MAX_SINGLE_OUTBOXES
  // The statements do not need each other's results, so they are sent together, in this order.
  const sent = [
    lockFreeGroups(tx, new Set(ids.map(groupOf))),
    isMany ? Promise.resolve(undefined) : readOwnOutboxes(tx, ids, numbers),
    findControlWrites(tx, failing),
  ] as const
  await settleAll(sent)
  const [locked, read, control] = await Promise.all(sent)
  const found = unpublished.select(control.workspaceIds)
  const groups = await lockFurther(tx, locked, control.workspaceIds)
  // Before its group was locked, another process may have published what was read.
  const free = ids.filter((id) => locked.has(groupOf(id)))
  const [first] = [...ids, ...found.keys()]
  if (first !== undefined && groups.size === 0) return readWhenFree(db, tx, first, new Map([...selection, ...found]))
  // An outbox is read together with that of the control tables where this one may have writes of its workspace.
  const mixed = new Set([...(control.isCut ? free : []), ...[...found.keys()].filter((id) => groups.has(groupOf(id)))])
  const own = free.filter((id) => !mixed.has(id))
  const ofOwn = read === undefined ? await takeMany(tx, own, numbers, failing) : joinReads(read, own)
  const some = [...mixed].slice(0, MAX_MIXED)
  const ofMixed = some.length === 0 ? undefined : await readMixed(db, tx, some)
  const included = new Set([...own, ...some])
  return {
    ...joined(ofOwn, ofMixed),
    selection: new Map([...selection, ...found].filter(([id]) => included.has(id))),
    skipped: ids.filter((id) => !included.has(id)),
    groups,
  }
}

/** Each costs two statements. The others wait for the next batch. */
const MAX_MIXED = 100

/** Locks the groups of these workspaces as well. */
async function lockFurther(tx: Transaction, locked: LockedGroups, ids: readonly string[]): Promise<LockedGroups> {
  const further = new Set(ids.map(groupOf).filter((group) => !locked.has(group)))
  return further.size === 0 ? locked : new Map([...locked, ...(await lockFreeGroups(tx, further))])
}

/** Waits for the group of the first workspace when no group is free, and reads only this group. */
async function readWhenFree(db: Database, tx: Transaction, first: string, selection: Selection): Promise<Batch> {
  const group = groupOf(first)
  await waitForGroup(tx, group)
  const batch = await readBatch(db, tx, new Map([...selection].filter(([id]) => groupOf(id) === group)))
  return { ...batch, skipped: [...batch.skipped, ...[...selection.keys()].filter((id) => groupOf(id) !== group)] }
}

/** Reads and deletes the writes of many outboxes, of which the control tables have none. */
async function takeMany(
  tx: Transaction,
  ids: readonly string[],
  numbers: ReadonlyMap<string, number>,
  failing: readonly string[],
): Promise<OutboxesRead> {
  const sent = [takeOwnOutboxes(tx, ids, numbers), findControlWrites(tx, failing)] as const
  await settleAll(sent)
  const [taken, control] = await Promise.all(sent)
  const own = new Set(ids)
  if (isMixed(control, own)) throw new ControlWriteCame()
  return taken
}

const isMixed = ({ workspaceIds, isCut }: ControlWrites, own: ReadonlySet<string>): boolean =>
  own.size > 0 && (isCut || workspaceIds.some((id) => own.has(id)))

const readMixed = async (db: Database, tx: Transaction, ids: readonly string[]): Promise<OutboxesRead> =>
  readOutboxes(db, ids, await readWorkspaceNumbers(tx, ids))

function joined(own: OutboxesRead, mixed: OutboxesRead | undefined): OutboxesRead {
  if (mixed === undefined) return own
  return {
    writes: [...own.writes, ...mixed.writes],
    idsByTable: new Map([...own.idsByTable, ...mixed.idsByTable]),
    unfinished: [...own.unfinished, ...mixed.unfinished],
  }
}

interface PublishOptions {
  readonly now: Clock
  readonly onPublish: OnPublish
  /** Undefined without a tracer. Deliveries then get the trace that the events have. */
  readonly spans: BatchSpans | undefined
}

async function publishWrites(
  tx: Transaction,
  { writes, idsByTable }: OutboxesRead,
  { now, onPublish, spans }: PublishOptions,
): Promise<void> {
  if (writes.length === 0) return
  const events = await publishedEvents(tx, { writes, idsByTable }, { spans, recordedAt: timestampFromMicros(now()) })
  await settleAll([insertEvents(tx, events), onPublish(tx, events)])
}

/** Deletes the writes from their outboxes. Returns their events in the order of the writes, with their positions. */
async function publishedEvents(
  tx: Transaction,
  { writes, idsByTable }: Pick<OutboxesRead, 'writes' | 'idsByTable'>,
  { spans, recordedAt }: Pick<PublishOptions, 'spans'> & { readonly recordedAt: string },
): Promise<PublishedEvent[]> {
  const changes = writes.flatMap((write) => {
    const events = JSON.parse(write.events) as ChangeEvent[] // as writes append them
    return events.map((event) => ({ write, event, number: event.actor ?? write.actor }))
  })
  const keys = changes.map(({ write, number }) => ({ workspaceId: write.workspace_id, number }))
  const deleted = deleteWrites(tx, idsByTable)
  const positioned = takePositions(tx, changes.length)
  const actors = readActors(tx, keys)
  await settleAll([deleted, positioned, actors])
  const [positions, actorOf] = await Promise.all([positioned, actors])
  return changes.map(({ write, event, number }, index) => {
    const body = render(write.workspace_id, event, actorOf(write.workspace_id, number))
    return {
      id: newId(),
      position: positions[index] ?? '',
      workspaceId: write.workspace_id,
      occurredAt: write.occurred_at,
      recordedAt,
      body,
      text: JSON.stringify(body),
      values: event.values,
      traceparent: spans === undefined ? event.traceparent : spans.add(event.traceparent, write.occurred_at),
    }
  })
}

/** Returns `count` positions in their order. They have gaps when another process takes positions meanwhile, and when a publisher fails after this. */
async function takePositions(tx: Transaction, count: number): Promise<readonly string[]> {
  const [row] = await tx<{ positions: string }[]>`
    select string_agg(nextval('relata.event_positions')::text, ',') as positions from generate_series(1, ${count}::int)`.execute()
  return (row?.positions ?? '').split(',')
}

function render(workspace_id: string, event: ChangeEvent, actor: ChangeEventBody['actor']): ChangeEventBody {
  const { event_type, id, actor: _number, values: _values, traceparent: _traceparent, ...members } = event
  return { event_type, id: { workspace_id, ...id }, ...members, actor }
}

const COLUMNS = {
  workspace_id: 'uuid',
  position: 'bigint',
  id: 'uuid',
  event_type: 'text',
  occurred_at: 'timestamptz',
  recorded_at: 'timestamptz',
  body: 'json',
} as const
/** The notification goes with the events, which saves a statement for each batch. */
const INSERT = `with inserted as (insert into relata.events (${Object.keys(COLUMNS).join(', ')})
  select ${cellsAsTypes(Object.values(COLUMNS))} from ${rowsFromText('$1')})
  select pg_notify('${EVENTS_CHANNEL}', $2)`

async function insertEvents(tx: Transaction, events: readonly PublishedEvent[]): Promise<void> {
  const lines = events.map(({ workspaceId, position, id, body, occurredAt, recordedAt, text }) => {
    const type = body.event_type satisfies EventType
    return [workspaceId, position, id, type, occurredAt, recordedAt, text].join(CELL_SEPARATOR)
  })
  await tx.unsafe(INSERT, [lines.join(ROW_SEPARATOR), namedWorkspaces(events)], { prepare: true })
}

/** The payload of the notification. */
function namedWorkspaces(events: readonly PublishedEvent[]): string {
  const workspaces = [...new Set(events.map(({ workspaceId }) => workspaceId))]
  return workspaces.length > MAX_NAMED_WORKSPACES ? '' : workspaces.join(',')
}

// Reads actors by their numbers. An actor never changes, so a process caches the actors that it has read.

type ActorReader = (workspaceId: string, number: number) => ChangeEventBody['actor']

/** A workspace, and the number of an actor in it. */
interface ActorKey {
  readonly workspaceId: string
  readonly number: number
}

const SYSTEM: ChangeEventBody['actor'] = { type: 'system', id: null }
/** A cached actor takes a few hundred bytes. */
const MAX_CACHED_ACTORS = 10_000

const cachedActors = createLru<string, ChangeEventBody['actor']>(MAX_CACHED_ACTORS)
const keyOf = (workspaceId: string, number: number) => `${workspaceId} ${number}`

/** Reads the actors that are not cached. A number without an actor is the system's. */
async function readActors(tx: Transaction, numbers: readonly ActorKey[]): Promise<ActorReader> {
  const found = new Map<string, ChangeEventBody['actor']>()
  const missing = new Map<string, ActorKey>()
  for (const actor of numbers) {
    const key = keyOf(actor.workspaceId, actor.number)
    const cached = cachedActors.get(key)
    if (cached) found.set(key, cached)
    else missing.set(key, actor)
  }
  for (const { workspace_id, number, type, id } of await listActors(tx, [...missing.values()])) {
    const key = keyOf(workspace_id, number)
    found.set(key, { type, id })
    cachedActors.set(key, { type, id })
  }
  return (workspaceId, number) => found.get(keyOf(workspaceId, number)) ?? SYSTEM
}

interface ActorRow {
  readonly workspace_id: string
  readonly number: number
  readonly type: string
  readonly id: string
}

async function listActors(tx: Transaction, actors: readonly ActorKey[]): Promise<ActorRow[]> {
  if (actors.length === 0) return []
  return tx<ActorRow[]>`
    select a.workspace_id, a.number, a.type, a.id
    from unnest(
      ${actors.map(({ workspaceId }) => workspaceId)}::uuid[], ${actors.map(({ number }) => number)}::int[]
    ) as wanted(workspace_id, number)
    join relata.actors a on a.workspace_id = wanted.workspace_id and a.number = wanted.number`
}

// The spans of a batch: for each trace, the time that its events waited in the outbox, and their publication.

interface Publication {
  readonly parent: TraceContext
  readonly context: TraceContext
  /** When the first of its events happened, in milliseconds since 1970. */
  occurredAt: number
  events: number
}

interface BatchSpans {
  /** Adds an event with a `traceparent`, and returns the one that its deliveries get. `occurredAt` is as PostgreSQL prints it. */
  add(traceparent: string | undefined, occurredAt: string): string | undefined
  /** Call it when the batch is committed. */
  end(): void
}

function beginBatchSpans(tracer: Tracer): BatchSpans {
  const startedAt = spanTime()
  const publications = new Map<string, Publication>()

  function publicationOf(traceparent: string): Publication | undefined {
    const known = publications.get(traceparent)
    const parent = known === undefined ? parseTraceparent(traceparent) : undefined
    if (parent === undefined) return known
    const publication = { parent, context: { ...parent, spanId: newSpanId() }, occurredAt: startedAt, events: 0 }
    publications.set(traceparent, publication)
    return publication
  }

  return {
    add(traceparent, occurredAt) {
      const publication = traceparent === undefined ? undefined : publicationOf(traceparent)
      if (publication === undefined) return undefined
      publication.events += 1
      publication.occurredAt = Math.min(publication.occurredAt, microsFromPostgres(occurredAt) / 1000)
      return renderTraceparent(publication.context)
    },
    end() {
      const endedAt = spanTime()
      for (const { parent, context, occurredAt, events } of publications.values()) {
        const of = { parentSpanId: parent.spanId, attributes: { 'relata.events': events }, isError: false }
        tracer.record({
          ...of,
          context: { ...parent, spanId: newSpanId() },
          name: 'outbox',
          kind: 'internal',
          startedAt: occurredAt,
          endedAt: startedAt,
        })
        tracer.record({ ...of, context, name: 'publish', kind: 'producer', startedAt, endedAt })
      }
    },
  }
}
