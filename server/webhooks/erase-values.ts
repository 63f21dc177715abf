/** Removes the values of a record that is deleted for good from deliveries. Decision 0127. */

import type { Transaction } from '../../db/connect'
import type { DataModel } from '../data-model/model'
import { TYPES_WITH_VALUES } from './match/include-values'

interface DeliveryRow {
  readonly webhook_id: string
  readonly id: string
  readonly created_at: string
  readonly body: string
}

/** Deliveries keep the ids of their events. An attempt of a delivery that a process has in memory has the body that it read. */
export async function eraseDeliveryValues(
  tx: Transaction,
  { workspace }: Pick<DataModel, 'workspace'>,
  recordId: string,
): Promise<void> {
  const deliveries = await tx<DeliveryRow[]>`
    select webhook_id, id, created_at, body from relata.deliveries
    where webhook_id in (select id from relata.webhooks where workspace_id = ${workspace.id})
      and record_id = ${recordId} and event_type = any(${[...TYPES_WITH_VALUES]}::text[])`
  const erased = deliveries.map((delivery) => ({ ...delivery, body: withoutValues(delivery.body) }))
  if (erased.length === 0) return
  await tx`
    update relata.deliveries d set body = e.body
    from json_to_recordset(${JSON.stringify(erased)}::text::json) as e(webhook_id uuid, id uuid, created_at timestamptz, body text)
    where d.webhook_id = e.webhook_id and d.id = e.id and d.created_at = e.created_at`
}

function withoutValues(body: string): string {
  const { events, ...rest } = JSON.parse(body) as { events: Record<string, unknown>[] } // `envelope` made it
  const erased = events.map((event) =>
    'new_values' in event ? { ...event, new_values: null, previous_values: null } : event,
  )
  return JSON.stringify({ ...rest, events: erased })
}
