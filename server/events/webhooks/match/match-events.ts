/**
 * Matches events with the subscriptions of webhooks, in the transaction that publishes the events. Each webhook with a
 * matching subscription gets one delivery for an event.
 * See docs/reference/webhooks-and-events.md (Subscription filters).
 */

import { cellsAsColumns, rowsAsText, rowsFromText, type Transaction } from '#db/connect'
import { settleAll } from '#base/timing/wait'
import type { PublishedEvent } from '#events/feed/publish'
import { newId } from '#base/ids'
import { listIdOf, subjectOf } from '#events/feed/visibility'
import type { InsertedDeliveries, PendingDelivery } from '#events/webhooks/delivery'
import { LEASE_MICROS, type PublishingWorker } from '#events/webhooks/queue/lease'
import { envelope, eventText, readAccessSettings, visibleEvent } from './render-event'
import {
  listActiveWebhooks,
  type WebhookAccess,
  type SecretsRow,
  webhookTargetOf,
  isSubscribed,
} from './webhook-access'
import { timestampFromMicros } from '#base/timing/clock'

/** A process without a delivery worker. */
const NO_WORKER: PublishingWorker = { name: '00000000-0000-0000-0000-000000000000', freeSlots: 0, now: 0 }

/** A webhook gets only events that its viewers may see now. */
export async function matchEvents(
  tx: Transaction,
  events: readonly PublishedEvent[],
  worker: PublishingWorker = NO_WORKER,
): Promise<InsertedDeliveries[]> {
  const workspaceIds = [...new Set(events.map(({ workspaceId }) => workspaceId))]
  const listIds = [...new Set(events.flatMap(({ body }) => listIdOf(body) ?? []))]
  // No statement needs the result of another, so all are sent together.
  const found = [listActiveWebhooks(tx, workspaceIds), readAccessSettings(tx, workspaceIds, listIds)] as const
  await settleAll(found)
  const [webhooks, settings] = await Promise.all(found)
  const byWorkspace = Map.groupBy(webhooks, ({ workspaceId }) => workspaceId)
  const matched = new Map<string, WebhookAccess>()
  const deliveries = events.flatMap((event) => {
    const { workspaceId, body, text, values } = event
    const rendered = { subject: subjectOf(body), text, values }
    return (byWorkspace.get(workspaceId) ?? []).flatMap((webhook) => {
      if (!isSubscribed(webhook.subscriptions, body)) return []
      const visible = visibleEvent(webhook, rendered, settings)
      if (visible === undefined) return []
      matched.set(webhook.id, webhook)
      return [deliveryOf(event, webhook, eventText(webhook, body, text, visible))]
    })
  })
  return deliveries.length === 0 ? [] : insertDeliveries(tx, deliveries, matched, worker)
}

const deliveryOf = (event: PublishedEvent, webhook: WebhookAccess, text: string): NewDelivery => ({
  workspace_id: event.workspaceId,
  webhook_id: webhook.id,
  id: newId(),
  position: event.position,
  event_id: event.id,
  event_type: event.body.event_type,
  record_id: recordIdOfEvent(event.body),
  list_id: listIdOf(event.body),
  idempotency_key: newId(),
  body: envelope(webhook.id, text),
  created_at: event.recordedAt,
  traceparent: event.traceparent ?? null,
})

/** The id of the record that an event names, or of the parent record. */
export function recordIdOfEvent({ id, ...members }: PublishedEvent['body']): string | null {
  const { record_id, parent_record_id } = members
  return id.record_id ?? textOf(parent_record_id) ?? textOf(record_id) ?? null
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

// Inserts deliveries in the transaction that publishes their events, and decides which process sends them: it takes the
// lease of an idle webhook for the publishing process. See docs/decisions/webhook-delivery.md.

/** A delivery without an attempt. */
interface NewDelivery {
  readonly workspace_id: string
  readonly webhook_id: string
  readonly id: string
  readonly position: string
  readonly event_id: string
  readonly event_type: string
  readonly record_id: string | null
  readonly list_id: string | null
  readonly idempotency_key: string
  readonly body: string
  readonly created_at: string
  readonly traceparent: string | null
}

/**
 * Locks the rows of the webhooks, so that no webhook is deleted and no lease is released before the commit. A webhook that
 * is due already is only locked, because that costs less than an update.
 */
async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  webhooks: ReadonlyMap<string, WebhookAccess>,
  worker: PublishingWorker,
): Promise<InsertedDeliveries[]> {
  const rows = await insertRows(tx, deliveries, worker)
  const byWebhook = Map.groupBy(deliveries, ({ webhook_id }) => webhook_id)
  return rows.flatMap((row) => {
    const access = webhooks.get(row.webhook_id)
    if (access === undefined) return [] // never: each row is one of the webhooks
    return {
      webhookId: row.webhook_id,
      leasedBy: row.leased_by,
      webhook: webhookTargetOf(row, access),
      deliveries: (byWebhook.get(row.webhook_id) ?? []).map((delivery) => pendingDeliveryOf(delivery, access)),
      isLeaseTaken: row.is_lease_taken,
    }
  })
}

interface WebhookRow extends SecretsRow {
  readonly webhook_id: string
  readonly leased_by: string | null
  readonly is_lease_taken: boolean
}

/** The cells of a row, in their order. A body is JSON, so it has no character that separates cells. */
const CELLS = {
  workspace_id: 'uuid',
  webhook_id: 'uuid',
  id: 'uuid',
  position: 'bigint',
  event_id: 'uuid',
  event_type: 'text',
  record_id: 'uuid',
  list_id: 'text',
  idempotency_key: 'uuid',
  body: 'text',
  created_at: 'timestamptz',
  traceparent: 'text',
} as const satisfies Record<keyof NewDelivery, string>
const COLUMNS = Object.keys(CELLS) as (keyof NewDelivery)[] // the keys of the object above

/**
 * Parameters: the deliveries, the name of the worker, its free slots, the end of its lease, and the present time. Returns the webhooks
 * of the deliveries.
 */
const INSERT = `
  with d as materialized (
    select ${cellsAsColumns(CELLS)} from ${rowsFromText('$1')}
  ), locked as materialized (
    select w.*, (select min(created_at) from d) as inserted_at
    from relata.webhooks w
    where (w.workspace_id, w.id) in (select workspace_id, webhook_id from d)
    order by w.id for no key update of w
  ), taken as materialized (
    select id from locked where due_at is null and leased_by is null and failures = 0
      and not exists (select from relata.installation where held_at is not null) limit $3::int
  ), due as (
    update relata.webhooks w set due_at = least(locked.due_at, locked.inserted_at),
      waiting_since = least(case when locked.due_at is not null then locked.waiting_since end, locked.inserted_at),
      leased_by = case when taken.id is null then w.leased_by else $2::uuid end,
      leased_until = case when taken.id is null then w.leased_until else $4::timestamptz end
    from locked left join taken on taken.id = locked.id
    where w.workspace_id = locked.workspace_id and w.id = locked.id and (
      locked.due_at is null or locked.due_at > locked.inserted_at or locked.waiting_since > locked.inserted_at)
  ), inserted as (
    insert into relata.deliveries (${COLUMNS.join(', ')}, kind, due_at)
    select ${COLUMNS.map((column) => `d.${column}`).join(', ')}, 'event', d.created_at
    from d join locked on locked.id = d.webhook_id
  )
  select locked.id as webhook_id, secret, failures,
    case when previous_secret_until > $5::timestamptz then previous_secret end as previous_secret,
    taken.id is not null as is_lease_taken, case when taken.id is null then locked.leased_by else $2::uuid end as leased_by
  from locked left join taken on taken.id = locked.id`

async function insertRows(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  { name, freeSlots, now }: PublishingWorker,
): Promise<WebhookRow[]> {
  const times = [timestampFromMicros(now + LEASE_MICROS), timestampFromMicros(now)] as const
  return tx.unsafe<WebhookRow[]>(INSERT, [rowsAsText(COLUMNS, deliveries), name, freeSlots, ...times], {
    prepare: true,
  })
}

const pendingDeliveryOf = (
  { id, position, idempotency_key, body, created_at, traceparent }: NewDelivery,
  { rights }: WebhookAccess,
): PendingDelivery => ({
  id,
  rights,
  position: Number(position),
  createdAt: created_at,
  idempotencyKey: idempotency_key,
  body,
  attempts: 0,
  traceparent,
})
