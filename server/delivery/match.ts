/** Makes deliveries of events, in the transaction that publishes them: for each webhook that wants one, once. Spec: webhooks 2. */

import type { Transaction } from '../../db/connect'
import type { Published } from '../events/publish'
import { newId } from '../ids'
import { insertDeliveries, type Made, type NewDelivery, type Taker } from './insert-deliveries'
import { isSubscribed, type Subscription } from './subscription'
import { asksForValues, mayReadValues, withValues } from './values'

interface Webhook {
  readonly workspace_id: string
  readonly id: string
  readonly subscriptions: readonly Subscription[]
  /** What its app or key may do now, where it asks for values; null where it belongs to the workspace. */
  readonly scopes: readonly string[] | null
}

/** A process that does not send. */
const NOBODY: Taker = { name: '00000000-0000-0000-0000-000000000000', room: 0, now: 0 }

/** Inactive webhooks are told nothing. */
export async function matchEvents(
  tx: Transaction,
  events: readonly Published[],
  taker: Taker = NOBODY,
): Promise<Made[]> {
  const webhooks = await listWebhooks(tx, [...new Set(events.map(({ workspaceId }) => workspaceId))])
  if (webhooks.size === 0) return []
  const deliveries = events.flatMap((event) =>
    (webhooks.get(event.workspaceId) ?? [])
      .filter(({ subscriptions }) => isSubscribed(subscriptions, event.body))
      .map((webhook) => deliveryOf(event, webhook)),
  )
  return deliveries.length === 0 ? [] : insertDeliveries(tx, deliveries, taker)
}

async function listWebhooks(tx: Transaction, workspaceIds: string[]): Promise<Map<string, Webhook[]>> {
  const rows = await tx<(Omit<Webhook, 'subscriptions'> & { subscriptions: string })[]>`
    select workspace_id, id, subscriptions,
      case when client_id is not null and subscriptions @> '[{"include": ["values"]}]' then array(
        select unnest(scopes) from relata.tokens t
        where t.workspace_id = w.workspace_id and t.client_id = w.client_id and grant_id is null and revoked_at is null
        union select unnest(scopes) from relata.grants g
        where g.workspace_id = w.workspace_id and g.app_id = w.client_id and revoked_at is null) end as scopes
    from relata.webhooks w
    where workspace_id = any(${workspaceIds}::uuid[]) and status <> 'inactive'`
  const webhooks = rows.map((row): Webhook => ({ ...row, subscriptions: JSON.parse(row.subscriptions) }))
  return Map.groupBy(webhooks, ({ workspace_id }) => workspace_id)
}

const deliveryOf = (event: Published, webhook: Webhook): NewDelivery => ({
  workspace_id: event.workspaceId,
  webhook_id: webhook.id,
  id: newId(),
  position: event.position,
  event_id: event.id,
  event_type: event.body.event_type,
  record_id: recordOf(event.body),
  idempotency_key: newId(),
  body: envelope(webhook.id, toldTo(webhook, event)),
  created_at: event.recordedAt,
})

/** With values where a subscription that it fits asks for them, and whoever owns the webhook may read them. */
function toldTo({ subscriptions, scopes }: Webhook, { text, body, values }: Published): string {
  const asking = subscriptions.filter(asksForValues)
  if (asking.length === 0 || !isSubscribed(asking, body)) return text
  return withValues(text, mayReadValues(scopes, body.event_type) ? values : undefined)
}

/** What is sent of an event. Today one event goes in each. Spec: webhooks 3. */
export const envelope = (webhookId: string, event: string): string =>
  `{"webhook_id":"${webhookId}","events":[${event}]}`

/** The record an event is about, itself or by its parent. */
export function recordOf({ id, ...members }: Published['body']): string | null {
  const { record_id, parent_record_id } = members
  return id.record_id ?? textOf(parent_record_id) ?? textOf(record_id) ?? null
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
