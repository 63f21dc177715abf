/** Removes the values of a record from events that are not published yet. */

import type { Transaction } from '../../../db/connect'
import type { DataModel } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'

/** The caller has locked the publishers, so that none publishes what it read before. */
export async function eraseOutboxValues(tx: Transaction, { schema }: DataModel, recordId: string): Promise<void> {
  const find = `select id, events from ${schema}.outbox where strpos(events::text, $1) > 0`
  const rows = await tx.unsafe<{ id: string; events: string }[]>(find, [recordId])
  const update = `update ${schema}.outbox set events = $2::text::json where id = $1`
  for (const { id, events } of rows) {
    const erased = (JSON.parse(events) as ChangeEvent[]).map((event) => withoutValues(event, recordId)) // as writes append them
    await tx.unsafe(update, [id, JSON.stringify(erased)])
  }
}

function withoutValues(event: ChangeEvent, recordId: string): ChangeEvent {
  const isOfRecord =
    ('record_id' in event.id && event.id.record_id === recordId) ||
    ('parent_record_id' in event && event.parent_record_id === recordId)
  if (!isOfRecord) return event
  const { values: _values, ...rest } = event
  return rest
}
