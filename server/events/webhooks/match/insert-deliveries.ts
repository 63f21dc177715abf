/**
 * Inserts deliveries in the transaction that publishes their events, and decides which process sends them: it takes the
 * lease of an idle webhook for the publishing process. See docs/decisions/webhook-delivery.md.
 */

import { cellsAsColumns, rowsAsText, rowsFromText, type Transaction } from '#db/connect'
import { timestampFromMicros } from '#base/timing/clock'
import {
  webhookTargetOf,
  type InsertedDeliveries,
  type PendingDelivery,
  type SecretsRow,
} from '#events/webhooks/delivery'
import type { WebhookAccess } from './webhook-viewers'
import { LEASE_MICROS, type PublishingWorker } from '#events/webhooks/queue/lease'

/** A delivery without an attempt. */
export interface NewDelivery {
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
}

/**
 * Locks the rows of the webhooks, so that no webhook is deleted and no lease is released before the commit. A webhook that
 * is due already is only locked, because that costs less than an update.
 */
export async function insertDeliveries(
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
  { id, position, idempotency_key, body, created_at }: NewDelivery,
  { rights }: WebhookAccess,
): PendingDelivery => ({
  id,
  rights,
  position: Number(position),
  createdAt: created_at,
  idempotencyKey: idempotency_key,
  body,
  attempts: 0,
})
