/** Removes the values of records from events that are not published yet. */

import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'

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
