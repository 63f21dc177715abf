/** Removes the values of records that are deleted for good from what webhooks store. See docs/decisions/trash-and-merges.md and docs/decisions/erasure.md. */

import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { TYPES_WITH_VALUES } from './match/subscription'
import { notifyOfChangedDeliveries } from './queue/notify-of-changes'

interface DeliveryRow {
  readonly webhook_id: string
  readonly id: string
  readonly created_at: string
  readonly body: string
}

/**
 * Deliveries keep the ids of their events. A request whose attempt has begun is still sent with the values. With `since`, only
 * deliveries from this id on.
 */
export async function eraseWebhookValues(
  tx: Transaction,
  { workspace }: Pick<DataModel, 'workspace'>,
  recordIds: readonly string[],
  since?: string,
): Promise<void> {
  const deliveries = await tx<DeliveryRow[]>`
    select webhook_id, id, created_at, body from relata.deliveries
    where webhook_id in (select id from relata.webhooks where workspace_id = ${workspace.id})
      and record_id = any(${renderArray(recordIds)}::uuid[]) and event_type = any(${[...TYPES_WITH_VALUES]}::text[])
      ${since === undefined ? tx`` : tx`and id >= ${since}`}`
  if (deliveries.length > 0) await eraseBodies(tx, deliveries)
  await deleteTestRequests(tx, workspace.id, recordIds)
}

async function eraseBodies(tx: Transaction, deliveries: readonly DeliveryRow[]): Promise<void> {
  const erased = deliveries.map((delivery) => ({ ...delivery, body: withoutValues(delivery.body) }))
  const rows = await tx<{ webhook_id: string }[]>`
    update relata.deliveries d set body = e.body
    from json_to_recordset(${JSON.stringify(erased)}::text::json) as e(webhook_id uuid, id uuid, created_at timestamptz, body text)
    where d.webhook_id = e.webhook_id and d.id = e.id and d.created_at = e.created_at
    returning case when d.due_at is not null then d.webhook_id end as webhook_id`
  // A receiver may answer with what it received.
  await tx`
    update relata.delivery_attempts set response_body = ''
    where delivery_id = any(${erased.map(({ id }) => id)}::uuid[]) and response_body <> ''`
  const pending = new Set(rows.flatMap(({ webhook_id }) => webhook_id ?? []))
  await notifyOfChangedDeliveries(tx, [...pending])
}

/** A test endpoint stores the requests that it receives. */
async function deleteTestRequests(tx: Transaction, workspaceId: string, recordIds: readonly string[]): Promise<void> {
  await tx`
    delete from relata.test_requests
    where workspace_id = ${workspaceId} and event_type = any(${[...TYPES_WITH_VALUES]}::text[]) 
      and exists (select from unnest(${renderArray(recordIds)}::text[]) as r(id) where strpos(body, r.id) > 0)`
}

function withoutValues(body: string): string {
  const { events, ...rest } = JSON.parse(body) as { events: Record<string, unknown>[] } // `envelope` made it
  const erased = events.map((event) =>
    'new_values' in event ? { ...event, new_values: null, previous_values: null } : event,
  )
  return JSON.stringify({ ...rest, events: erased })
}
