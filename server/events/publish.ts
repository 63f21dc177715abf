/**
 * From the outbox to the events everybody reads. One process at a time publishes, so positions rise in the order in which
 * events became visible: a reader who has seen one position has seen, or will never see, all below it. Decision 0060.
 */

import type { Database, Transaction } from '../../db/connect'
import { CELL_SEPARATOR, cellsAsTypes, ROW_SEPARATOR, rowsFromText } from '../../db/rows-as-text'
import { newId } from '../ids'
import { timestampFromMicros, type Clock } from '../timing/clock'
import { readActors } from './read-actors'
import { sendTogether } from './send-together'
import type { ChangeEventBody, EventType, ChangeEvent, ChangedValues } from './event-types'

export interface PublishedEvent {
  readonly id: string
  readonly position: string
  readonly workspaceId: string
  readonly occurredAt: string
  readonly recordedAt: string
  readonly body: ChangeEventBody
  /** The body as it is kept and sent. */
  readonly text: string
  /** For those who asked for values; kept nowhere else. */
  readonly values: ChangedValues | undefined
}

/** Runs in the transaction that publishes: what must come of events, such as deliveries. */
export type OnPublish = (tx: Transaction, events: readonly PublishedEvent[]) => Promise<unknown>

/** Payload: the workspaces, comma-separated, or nothing where they are too many to name. */
export const EVENTS_CHANNEL = 'relata_events'

/** How many writes are taken at once; fewer when they tell much, as imports do. */
export const MAX_BATCH = 500
const BATCH_BYTES = 500_000
/** PostgreSQL's limit for a payload is 8,000 bytes, at 37 for each workspace. */
const MOST_NAMED = 200
const LOCK = 0x72_65_6c_65 // any number that nothing else locks

/** Publishes the oldest writes' events; answers how many writes there were. 0: nothing is left. */
export function publishBatch(db: Database, now: Clock, onPublish: OnPublish): Promise<number> {
  return db.sql.begin(async (tx) => {
    // Statements that do not need each other's answers are sent at once, in this order.
    const locked = tx`select pg_advisory_xact_lock(${LOCK})`.execute()
    const [writes] = await Promise.all([takeWrites(tx), locked])
    if (writes.length === 0) return 0
    const events = await renderAll(tx, writes, timestampFromMicros(now()))
    await sendTogether([insertEvents(tx, events), notify(tx, events), onPublish(tx, events)])
    return writes.length
  })
}

interface Write {
  readonly workspace_id: string
  readonly occurred_at: string
  readonly actor: number
  readonly events: string
  /** Of the last event of all these writes; those before it have the numbers before it. */
  readonly last_position: string
}

/** Positions are without gaps, unless a publisher fails after this. */
function takeWrites(tx: Transaction): PromiseLike<Write[]> {
  return tx<Write[]>`
    with taken as (
      delete from relata.outbox
      where id = any(array(
        select id from (
          select id, sum(size) over (order by id) - size as before
          from (select id, pg_column_size(events) as size from relata.outbox order by id limit ${MAX_BATCH}) oldest
        ) sized where before < ${BATCH_BYTES}))
      returning id, workspace_id, occurred_at, actor, events
    ),
    positions as (
      select setval('relata.event_positions', nextval('relata.event_positions') + count - 1) as last
      from (select sum(json_array_length(events)) as count from taken) counted where count > 0
    )
    select workspace_id, occurred_at, actor, events, (select last from positions) as last_position
    from taken order by id`.execute()
}

/** Events in the order of their writes, with the positions that were taken for them. */
async function renderAll(tx: Transaction, writes: readonly Write[], recordedAt: string): Promise<PublishedEvent[]> {
  const told = writes.flatMap((write) => {
    const events = JSON.parse(write.events) as ChangeEvent[] // as `appendEvents` wrote them
    return events.map((event) => ({ write, event, number: event.actor ?? write.actor }))
  })
  const actorOf = await readActors(
    tx,
    told.map(({ write, number }) => ({ workspaceId: write.workspace_id, number })),
  )
  const first = BigInt(writes[0]?.last_position ?? 0) - BigInt(told.length - 1)
  return told.map(({ write, event, number }, index) => {
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
  await tx`select pg_notify(${EVENTS_CHANNEL}, ${workspaces.length > MOST_NAMED ? '' : workspaces.join(',')})`
}
