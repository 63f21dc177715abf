/**
 * Moves events from the outbox to the feed. One process at a time publishes, so events become visible in the order of
 * their positions: after a reader has read one position, no event appears below it. Decision 0060.
 */

import type { Database, Transaction } from '../../db/connect'
import { CELL_SEPARATOR, cellsAsTypes, ROW_SEPARATOR, rowsFromText } from '../../db/rows-as-text'
import { newId } from '../ids'
import { timestampFromMicros, type Clock } from '../timing/clock'
import { readActors } from './read-actors'
import { settleAll } from './settle-all'
import type { ChangeEventBody, EventType, ChangeEvent, ChangedValues } from './event-types'

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
}

/** Runs in the transaction that publishes the events. Matching inserts deliveries in it. */
export type OnPublish = (tx: Transaction, events: readonly PublishedEvent[]) => Promise<unknown>

/** The payload is a comma-separated list of workspace ids, or empty when they do not fit. */
export const EVENTS_CHANNEL = 'relata_events'

/** The number of writes in a batch. A batch has fewer when their events are large, as those of imports. */
export const MAX_BATCH = 500
const MAX_BATCH_BYTES = 500_000
/** PostgreSQL limits a payload to 8,000 bytes; a workspace takes 37. */
const MAX_NAMED_WORKSPACES = 200
const LOCK = 0x72_65_6c_65 // a number that no other code locks

/** Publishes the events of the oldest writes. Returns the number of writes; 0 means that the outbox is empty. */
export function publishBatch(db: Database, now: Clock, onPublish: OnPublish): Promise<number> {
  return db.sql.begin(async (tx) => {
    // The statements do not need each other's results, so they are sent together, in this order.
    const locked = tx`select pg_advisory_xact_lock(${LOCK})`.execute()
    const [writes] = await Promise.all([takeWrites(tx), locked])
    if (writes.length === 0) return 0
    const events = await publishedEvents(tx, writes, timestampFromMicros(now()))
    await settleAll([insertEvents(tx, events), notify(tx, events), onPublish(tx, events)])
    return writes.length
  })
}

interface Write {
  readonly workspace_id: string
  readonly occurred_at: string
  readonly actor: number
  readonly events: string
  /** The position of the last event of the batch. The events before it have the positions before it. */
  readonly last_position: string
}

/** Positions have a gap only when a publisher fails after this statement. */
function takeWrites(tx: Transaction): PromiseLike<Write[]> {
  return tx<Write[]>`
    with taken as (
      delete from relata.outbox
      where id = any(array(
        select id from (
          select id, sum(size) over (order by id) - size as before
          from (select id, pg_column_size(events) as size from relata.outbox order by id limit ${MAX_BATCH}) oldest
        ) sized where before < ${MAX_BATCH_BYTES}))
      returning id, workspace_id, occurred_at, actor, events
    ),
    positions as (
      select setval('relata.event_positions', nextval('relata.event_positions') + count - 1) as last
      from (select sum(json_array_length(events)) as count from taken) counted where count > 0
    )
    select workspace_id, occurred_at, actor, events, (select last from positions) as last_position
    from taken order by id`.execute()
}

/** The events in the order of their writes, with their positions. */
async function publishedEvents(
  tx: Transaction,
  writes: readonly Write[],
  recordedAt: string,
): Promise<PublishedEvent[]> {
  const changes = writes.flatMap((write) => {
    const events = JSON.parse(write.events) as ChangeEvent[] // as `appendToOutbox` writes them
    return events.map((event) => ({ write, event, number: event.actor ?? write.actor }))
  })
  const actorOf = await readActors(
    tx,
    changes.map(({ write, number }) => ({ workspaceId: write.workspace_id, number })),
  )
  const first = BigInt(writes[0]?.last_position ?? 0) - BigInt(changes.length - 1)
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
    }
  })
}

function render(workspace_id: string, event: ChangeEvent, actor: ChangeEventBody['actor']): ChangeEventBody {
  const { event_type, id, actor: _number, values: _values, ...members } = event
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
const INSERT = `insert into relata.events (${Object.keys(COLUMNS).join(', ')})
  select ${cellsAsTypes(Object.values(COLUMNS))} from ${rowsFromText('$1')}`

async function insertEvents(tx: Transaction, events: readonly PublishedEvent[]): Promise<void> {
  const lines = events.map(({ workspaceId, position, id, body, occurredAt, recordedAt, text }) => {
    const type = body.event_type satisfies EventType
    return [workspaceId, position, id, type, occurredAt, recordedAt, text].join(CELL_SEPARATOR)
  })
  await tx.unsafe(INSERT, [lines.join(ROW_SEPARATOR)], { prepare: true })
}

async function notify(tx: Transaction, events: readonly PublishedEvent[]): Promise<void> {
  const workspaces = [...new Set(events.map(({ workspaceId }) => workspaceId))]
  await tx`select pg_notify(${EVENTS_CHANNEL}, ${workspaces.length > MAX_NAMED_WORKSPACES ? '' : workspaces.join(',')})`
}
