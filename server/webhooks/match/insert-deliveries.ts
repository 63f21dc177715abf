/**
 * Inserts deliveries in the transaction that publishes their events, and decides which process sends them: it takes the
 * lease of an idle webhook for the publishing process. Decision 0068.
 */

import type { Transaction } from '../../../db/connect'
import { timestampFromMicros } from '../../timing/clock'
import { webhookTargetOf, type InsertedDeliveries, type PendingDelivery, type WebhookTargetRow } from '../delivery'
import { LEASE_MICROS, type PublishingWorker } from '../queue/lease'

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
  worker: PublishingWorker,
): Promise<InsertedDeliveries[]> {
  const rows = await insertRows(tx, deliveries, worker)
  const byWebhook = Map.groupBy(deliveries, ({ webhook_id }) => webhook_id)
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    leasedBy: row.leased_by,
    webhook: webhookTargetOf(row),
    deliveries: (byWebhook.get(row.webhook_id) ?? []).map(pendingDeliveryOf),
    isLeaseTaken: row.is_lease_taken,
  }))
}

interface WebhookRow extends WebhookTargetRow {
  readonly leased_by: string | null
  readonly is_lease_taken: boolean
}

/** Returns the webhooks of the deliveries. */
const insertRows = (
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  { name, freeSlots, now }: PublishingWorker,
): PromiseLike<WebhookRow[]> =>
  tx<WebhookRow[]>`
    with d as materialized (
      select * from json_to_recordset(${JSON.stringify(deliveries)}::text::json)
        as d(workspace_id uuid, webhook_id uuid, id uuid, position bigint, event_id uuid, event_type text,
             record_id uuid, list_id text, idempotency_key uuid, body text, created_at timestamptz)
    ), locked as materialized (
      select w.*, (select min(created_at) from d) as inserted_at
      from relata.webhooks w
      where (w.workspace_id, w.id) in (select workspace_id, webhook_id from d)
      order by w.id for no key update of w
    ), taken as materialized (
      select id from locked where due_at is null and leased_by is null and failures = 0 limit ${freeSlots}
    ), due as (
      update relata.webhooks w set due_at = least(locked.due_at, locked.inserted_at),
        waiting_since = least(case when locked.due_at is not null then locked.waiting_since end, locked.inserted_at),
        leased_by = case when taken.id is null then w.leased_by else ${name} end,
        leased_until = case when taken.id is null then w.leased_until else ${timestampFromMicros(now + LEASE_MICROS)} end
      from locked left join taken on taken.id = locked.id
      where w.workspace_id = locked.workspace_id and w.id = locked.id and (
        locked.due_at is null or locked.due_at > locked.inserted_at or locked.waiting_since > locked.inserted_at)
    ), inserted as (${tx.unsafe(INSERT)})
    select locked.workspace_id, locked.id as webhook_id, target_url, secret, failures,
      case when previous_secret_until > ${timestampFromMicros(now)} then previous_secret end as previous_secret,
      taken.id is not null as is_lease_taken, case when taken.id is null then locked.leased_by::text else ${name} end as leased_by
    from locked left join taken on taken.id = locked.id`

/** Inserts the deliveries `d` of the webhooks `locked`. */
const INSERT = `
  insert into relata.deliveries
    (workspace_id, webhook_id, id, position, event_id, event_type, record_id, list_id, kind, idempotency_key, body, due_at, created_at)
  select d.workspace_id, d.webhook_id, d.id, d.position, d.event_id, d.event_type, d.record_id, d.list_id, 'event',
    d.idempotency_key, d.body, d.created_at, d.created_at
  from d join locked on locked.id = d.webhook_id`

const pendingDeliveryOf = ({ id, position, idempotency_key, body, created_at }: NewDelivery): PendingDelivery => ({
  id,
  position: Number(position),
  createdAt: created_at,
  idempotencyKey: idempotency_key,
  body,
  attempts: 0,
})
