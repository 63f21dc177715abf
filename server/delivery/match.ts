/** Makes deliveries of events, in the transaction that publishes them: for each webhook that wants one, once. Spec: webhooks 2. */

import type { Transaction } from '../../db/connect'
import type { Published } from '../events/publish'
import { isSubscribed, type Subscription } from './subscription'

interface Webhook {
  readonly workspace_id: string
  readonly id: string
  readonly subscriptions: readonly Subscription[]
}

/** A webhook for which something was made, and the process that sends its deliveries, if one does. */
export interface Due {
  readonly webhookId: string
  readonly heldBy: string | null
}

/** Inactive webhooks are told nothing. */
export async function matchEvents(tx: Transaction, events: readonly Published[]): Promise<Due[]> {
  const webhooks = await listWebhooks(tx, [...new Set(events.map(({ workspaceId }) => workspaceId))])
  if (webhooks.size === 0) return []
  const deliveries = events.flatMap((event) =>
    (webhooks.get(event.workspaceId) ?? [])
      .filter(({ subscriptions }) => isSubscribed(subscriptions, event.body))
      .map(({ id }) => deliveryOf(event, id)),
  )
  return deliveries.length === 0 ? [] : insertDeliveries(tx, deliveries)
}

async function listWebhooks(tx: Transaction, workspaceIds: string[]): Promise<Map<string, Webhook[]>> {
  const rows = await tx<{ workspace_id: string; id: string; subscriptions: string }[]>`
    select workspace_id, id, subscriptions from relata.webhooks
    where workspace_id = any(${workspaceIds}::uuid[]) and status <> 'inactive'`
  const webhooks = rows.map((row): Webhook => ({ ...row, subscriptions: JSON.parse(row.subscriptions) }))
  return Map.groupBy(webhooks, ({ workspace_id }) => workspace_id)
}

const deliveryOf = ({ workspaceId, position, id, recordedAt, body, text }: Published, webhookId: string) => ({
  workspace_id: workspaceId,
  webhook_id: webhookId,
  id: Bun.randomUUIDv7(),
  position,
  event_id: id,
  event_type: body.event_type,
  record_id: recordOf(body),
  idempotency_key: Bun.randomUUIDv7(),
  body: envelope(webhookId, text),
  created_at: recordedAt,
})

/** What is sent of an event. Today one event goes in each. Spec: webhooks 3. */
export const envelope = (webhookId: string, event: string): string =>
  `{"webhook_id":"${webhookId}","events":[${event}]}`

/** The record an event is about, itself or by its parent. */
export function recordOf({ id, ...members }: Published['body']): string | null {
  const { record_id, parent_record_id } = members
  return id.record_id ?? textOf(parent_record_id) ?? textOf(record_id) ?? null
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * A webhook deleted meanwhile is locked out here, or found gone. Most are due already: their rows are locked, which costs
 * less than to write them, and is what giving a lease back waits for.
 */
async function insertDeliveries(tx: Transaction, deliveries: readonly ReturnType<typeof deliveryOf>[]): Promise<Due[]> {
  return tx<Due[]>`
    with d as materialized (
      select * from json_to_recordset(${JSON.stringify(deliveries)}::text::json)
        as d(workspace_id uuid, webhook_id uuid, id uuid, position bigint, event_id uuid, event_type text,
             record_id uuid, idempotency_key uuid, body text, created_at timestamptz)
    ), held as materialized (
      select w.workspace_id, w.id, w.leased_by, w.due_at, (select min(created_at) from d) as made_at
      from relata.webhooks w
      where (w.workspace_id, w.id) in (select workspace_id, webhook_id from d)
      order by w.id for no key update of w
    ), due as (
      update relata.webhooks w set due_at = held.made_at
      from held
      where w.workspace_id = held.workspace_id and w.id = held.id and (held.due_at is null or held.due_at > held.made_at)
    ), made as (
      insert into relata.deliveries
        (workspace_id, webhook_id, id, position, event_id, event_type, record_id, kind, idempotency_key, body, due_at, created_at)
      select d.workspace_id, d.webhook_id, d.id, d.position, d.event_id, d.event_type, d.record_id, 'event',
        d.idempotency_key, d.body, d.created_at, d.created_at
      from d join held on held.id = d.webhook_id
    )
    select id as "webhookId", leased_by as "heldBy" from held`
}
