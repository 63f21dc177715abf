/** The step of a statement that inserts change events into an outbox, after rows are written or locked. See docs/decisions/events.md. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { type EventOrigin, renderOutboxEvents } from '#engine/outbox/outbox'
import type { ChangeEvent } from '#vocabulary/event-types'
import { timestampFromMicros } from '#base/timing/clock'
import { type ParameterTexts, type Placeholder, typedParam } from '#engine/storage/statement'

/** The change events of a statement. Absent if there are none, or if the caller inserts them. */
export interface OutboxRow {
  readonly origin: Omit<EventOrigin, 'workspaceId'>
  readonly events: readonly ChangeEvent[]
}

/** The step of a statement over the tables of a workspace. No step without events. */
export const outboxSteps = (param: Placeholder, { schema }: DataModel, outbox: OutboxRow | undefined): string[] =>
  hasEvents(outbox)
    ? [`outbox_insert as (insert into ${schema}.outbox (occurred_at, actor, events) values (${contents(param)}))`]
    : []

/** The step of a statement over control tables, which always has events. */
export const outboxStep = (param: Placeholder, from: string): string =>
  `outbox_insert as (insert into relata.outbox (workspace_id, occurred_at, actor, events)
    select ${typedParam(param, 'workspace', 'uuid')}, ${contents(param)} from ${from})`

const contents = (param: Placeholder): string =>
  `${typedParam(param, 'occurred_at', 'timestamptz')}, ${typedParam(param, 'outbox_actor', 'int')}, ${typedParam(param, 'events', 'json')}`

export const outboxTexts = (outbox: OutboxRow | undefined): ParameterTexts =>
  hasEvents(outbox)
    ? {
        events: renderOutboxEvents(outbox.events),
        occurred_at: timestampFromMicros(outbox.origin.at),
        outbox_actor: String(outbox.origin.actor),
      }
    : {}

/** Part of the shape of a statement. */
export const hasEvents = (outbox: OutboxRow | undefined): outbox is OutboxRow =>
  outbox !== undefined && outbox.events.length > 0

/**
 * Appends the events of a write of several steps to the outbox of the workspace. Call it after the changed rows are locked or
 * written.
 */
export async function appendEntityEvents(tx: Transaction, { schema }: DataModel, outbox: OutboxRow): Promise<void> {
  if (!hasEvents(outbox)) return
  const insert = `insert into ${schema}.outbox (occurred_at, actor, events) values ($1, $2, $3::text::json)`
  const { origin, events } = outbox
  await tx.unsafe(
    insert,
    [timestampFromMicros(origin.at), origin.actor, renderOutboxEvents(events)],
    prepareOptions(insert),
  )
}

/** The time of the oldest write whose events are not published yet, as PostgreSQL prints it; null without one. */
export async function readOldestWrite(on: Sql, { schema }: DataModel): Promise<string | null> {
  const query = `select min(occurred_at)::text as time from ${schema}.outbox`
  const [row] = await on.unsafe<{ time: string | null }[]>(query, [], prepareOptions(query))
  return row?.time ?? null
}

// Removes the values of records from events that are not published yet.

/** The caller has locked the publishers, so that none publishes what it read before. */
export async function eraseOutboxValues(
  tx: Transaction,
  { schema }: DataModel,
  recordIds: readonly string[],
): Promise<void> {
  const find = `
    select id, events from ${schema}.outbox
    where exists (
      select from json_array_elements(events) as e(event)
      where (e.event->'id'->>'record_id' = any($1::text[]) or e.event->>'parent_record_id' = any($1::text[]))
        and e.event->'values' is not null)`
  const rows = await tx.unsafe<{ id: string; events: string }[]>(find, [renderArray(recordIds)])
  const erasedIds = new Set(recordIds)
  const update = `update ${schema}.outbox set events = $2::text::json where id = $1`
  for (const { id, events } of rows) {
    const erased = (JSON.parse(events) as ChangeEvent[]).map((event) => withoutValues(event, erasedIds)) // as writes append them
    await tx.unsafe(update, [id, JSON.stringify(erased)])
  }
}

function withoutValues(event: ChangeEvent, recordIds: ReadonlySet<string | null>): ChangeEvent {
  const isOfRecord =
    ('record_id' in event.id && recordIds.has(event.id.record_id)) ||
    ('parent_record_id' in event && recordIds.has(event.parent_record_id))
  if (!isOfRecord) return event
  const { values: _values, ...rest } = event
  return rest
}
