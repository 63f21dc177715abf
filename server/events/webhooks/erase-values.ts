/** Removes the values of records that are deleted for good from what webhooks store. See docs/decisions/trash-and-merges.md and docs/decisions/erasure.md. */

import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { sql as expression } from 'kysely'
import { renderArray, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { TYPES_WITH_VALUES } from './match/webhook-access'
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
  const deliveries: DeliveryRow[] = await controlQueriesIn(tx)
    .selectFrom('relata.deliveries')
    .select(['webhook_id', 'id', 'created_at', 'body'])
    .where('webhook_id', 'in', (query) =>
      query.selectFrom('relata.webhooks').select('id').where('workspace_id', '=', workspace.id),
    )
    .where(equal({ record_id: anyOf(recordIds), event_type: anyOf([...TYPES_WITH_VALUES], 'text') }))
    .$if(since !== undefined, (query) => query.where('id', '>=', since ?? null))
    .execute()
  if (deliveries.length > 0) await eraseBodies(tx, deliveries)
  await deleteTestRequests(tx, workspace.id, recordIds)
}

async function eraseBodies(tx: Transaction, deliveries: readonly DeliveryRow[]): Promise<void> {
  const control = controlQueriesIn(tx)
  const erased = deliveries.map((delivery) => ({ ...delivery, body: withoutValues(delivery.body) }))
  const bodies = expression<DeliveryRow>`json_to_recordset(${JSON.stringify(erased)}::text::json)`
  const rows = await control
    .updateTable('relata.deliveries as d')
    .from(bodies.as<'e'>(expression`e(webhook_id uuid, id uuid, created_at timestamptz, body text)`))
    .set(({ ref }) => ({ body: ref('e.body') }))
    .whereRef('d.webhook_id', '=', 'e.webhook_id')
    .whereRef('d.id', '=', 'e.id')
    .whereRef('d.created_at', '=', 'e.created_at')
    .returning(expression<string | null>`case when d.due_at is not null then d.webhook_id end`.as('webhook_id'))
    .execute()
  // A receiver may answer with what it received.
  await control
    .updateTable('relata.delivery_attempts')
    .set({ response_body: '' })
    .where('delivery_id', '=', anyOf(erased.map(({ id }) => id)))
    .where('response_body', '<>', '')
    .execute()
  const pending = new Set(rows.flatMap(({ webhook_id }) => webhook_id ?? []))
  await notifyOfChangedDeliveries(tx, [...pending])
}

/** A test endpoint stores the requests that it receives. */
async function deleteTestRequests(tx: Transaction, workspaceId: string, recordIds: readonly string[]): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.test_requests')
    .where(equal({ workspace_id: workspaceId, event_type: anyOf([...TYPES_WITH_VALUES], 'text') }))
    .where(
      expression<boolean>`exists (select from unnest(${renderArray(recordIds)}::text[]) as r(id) where strpos(body, r.id) > 0)`,
    )
    .execute()
}

function withoutValues(body: string): string {
  const { events, ...rest } = JSON.parse(body) as { events: Record<string, unknown>[] } // `envelope` made it
  const erased = events.map((event) =>
    'new_values' in event ? { ...event, new_values: null, previous_values: null } : event,
  )
  return JSON.stringify({ ...rest, events: erased })
}
