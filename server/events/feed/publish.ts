/**
 * Moves events from the outboxes to the feed. One process at a time publishes, so events become visible in the order of
 * their positions: after a reader has read one position, no event appears below it. See docs/decisions/events.md.
 */

import { CELL_SEPARATOR, cellsAsTypes, type Database, ROW_SEPARATOR, rowsFromText, type Transaction } from '#db/connect'
import { newId } from '#base/ids'
import { type Tracer, spanTime } from '#base/monitoring/tracer'
import { type Clock, timestampFromMicros, microsFromPostgres } from '#base/timing/clock'
import { outboxWriterOf, type Selection } from '#engine/outbox/outbox'
import {
  deleteWrites,
  findControlWrites,
  type OutboxesRead,
  readOutboxes,
  readOwnOutboxes,
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
const LOCK = 0x72_65_6c_65 // a number that no other code locks

/** Publishes the events of the oldest writes. Returns the number of writes; 0 means that no known outbox has a write. */
export async function publishBatch(db: Database, now: Clock, onPublish: OnPublish, tracer?: Tracer): Promise<number> {
  const { unpublished } = outboxWriterOf(db)
  for (;;) {
    let selection = unpublished.next()
    const options = { now, onPublish, spans: tracer && beginBatchSpans(tracer) }
    try {
      const batch = await db.sql.begin(async (tx) => {
        const { found, own } = await lockAndRead(tx, selection, unpublished.failing())
        if (found.length === 0) return publishWrites(tx, own, options)
        for (const id of found) if (!unpublished.has(id)) unpublished.add(id)
        selection = unpublished.next()
        const ids = [...selection.keys()]
        const read = await readOutboxes(db, ids, await readWorkspaceNumbers(tx, ids))
        return publishWrites(tx, read, options)
      })
      options.spans?.end()
      unpublished.published(selection, batch.unfinished)
      if (batch.count > 0 || selection.size === 0) return batch.count
    } catch (error) {
      unpublished.failed(selection)
      // A workspace may have been removed.
      for (const id of selection.keys()) cache.delete(id)
      throw error
    }
  }
}

/** Until the transaction ends, no process publishes events. */
export async function lockPublishers(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(${LOCK})`
}

/**
 * Locks the other publishers out, reads the outboxes of the selection, and finds the workspaces with writes in the outbox of the control
 * tables. The statements do not need each other's results, so they are sent together, in this order.
 */
async function lockAndRead(tx: Transaction, selection: Selection, failing: readonly string[]) {
  const ids = [...selection.keys()]
  const numbers = await readWorkspaceNumbers(tx, ids)
  const sent = [
    tx`select pg_advisory_xact_lock(${LOCK})`.execute(),
    readOwnOutboxes(tx, ids, numbers),
    findControlWrites(tx, failing),
  ] as const
  await settleAll(sent)
  const [, own, found] = await Promise.all(sent)
  return { own, found }
}

interface Published {
  /** The number of writes. */
  readonly count: number
  /** The workspaces that have further writes. */
  readonly unfinished: readonly string[]
}

interface PublishOptions {
  readonly now: Clock
  readonly onPublish: OnPublish
  /** Undefined without a tracer. Deliveries then get the trace that the events have. */
  readonly spans: BatchSpans | undefined
}

async function publishWrites(
  tx: Transaction,
  { writes, idsByTable, unfinished }: OutboxesRead,
  { now, onPublish, spans }: PublishOptions,
): Promise<Published> {
  if (writes.length > 0) {
    const events = await publishedEvents(tx, { writes, idsByTable }, { spans, recordedAt: timestampFromMicros(now()) })
    await settleAll([insertEvents(tx, events), onPublish(tx, events)])
  }
  return { count: writes.length, unfinished }
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
  const [first, actorOf] = await Promise.all([positioned, actors])
  return changes.map(({ write, event, number }, index) => {
    const body = render(write.workspace_id, event, actorOf(write.workspace_id, number))
    return {
      id: newId(),
      position: String(first + BigInt(index)),
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

/** Returns the first of `count` positions that follow each other. Positions have a gap only when a publisher fails after this. */
async function takePositions(tx: Transaction, count: number): Promise<bigint> {
  const [row] = await tx<{ last: string }[]>`
    select setval('relata.event_positions', nextval('relata.event_positions') + ${count}::bigint - 1) as last`.execute()
  return BigInt(row?.last ?? 0) - BigInt(count - 1)
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

/** Reads the numbers of workspaces, which name their schemas. A number never changes, so a process caches it. */
const MAX_CACHED = 10_000

const cache = createLru<string, number>(MAX_CACHED)

/** A workspace that does not exist is absent. What was written before a deletion is published, and no webhook gets it. */
async function readWorkspaceNumbers(
  tx: Transaction,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>()
  const missing: string[] = []
  for (const id of workspaceIds) {
    const cached = cache.get(id)
    if (cached === undefined) missing.push(id)
    else numbers.set(id, cached)
  }
  if (missing.length === 0) return numbers
  const rows = await tx<{ id: string; number: number }[]>`
    select id, number from relata.all_workspaces where id = any(${missing}::uuid[])`
  for (const { id, number } of rows) {
    cache.set(id, number)
    numbers.set(id, number)
  }
  return numbers
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
