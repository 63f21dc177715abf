/** Deliveries are kept, and handed to whoever sends them, in the transaction that publishes their events. Decision 0068. */

import type { Transaction } from '../../../db/connect'
import { timestampFromMicros, type Micros } from '../../timing/clock'
import { LEASE_MICROS } from '../queue/lease'
import { webhookTargetOf, type WebhookTarget, type WebhookTargetRow, type Waiting } from '../queue/pending-deliveries'

/** A delivery that was not attempted yet. */
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

/** A webhook for which something was made, and the process that sends its deliveries, if one does. */
export interface Due {
  readonly webhookId: string
  readonly heldBy: string | null
}

/** The same with what was made. */
export interface Made extends Due {
  readonly hook: WebhookTarget
  /** The oldest first. */
  readonly first: readonly Waiting[]
  /** Whether its lease was taken just now, and nothing else waits for it. */
  readonly isTaken: boolean
}

/** A process that would send at once what it makes. */
export interface Taker {
  readonly name: string
  /** Webhooks nobody is at are leased to it, as many as this. */
  readonly room: number
  readonly now: Micros
}

/**
 * A webhook deleted meanwhile is locked out here, or found gone. Most are due already: their rows are locked, which costs
 * less than to write them, and is what giving a lease back waits for.
 */
export async function insertDeliveries(
  tx: Transaction,
  deliveries: readonly NewDelivery[],
  { name, room, now }: Taker,
): Promise<Made[]> {
  const at = timestampFromMicros(now)
  const rows = await tx<(WebhookTargetRow & { held_by: string | null; is_taken: boolean })[]>`
    with d as materialized (
      select * from json_to_recordset(${JSON.stringify(deliveries)}::text::json)
        as d(workspace_id uuid, webhook_id uuid, id uuid, position bigint, event_id uuid, event_type text,
             record_id uuid, list_id text, idempotency_key uuid, body text, created_at timestamptz)
    ), held as materialized (
      select w.*, (select min(created_at) from d) as made_at
      from relata.webhooks w
      where (w.workspace_id, w.id) in (select workspace_id, webhook_id from d)
      order by w.id for no key update of w
    ), taken as materialized (
      select id from held where due_at is null and leased_by is null and failures = 0 limit ${room}
    ), due as (
      update relata.webhooks w set due_at = least(held.due_at, held.made_at),
        waiting_since = least(case when held.due_at is not null then held.waiting_since end, held.made_at),
        leased_by = case when taken.id is null then w.leased_by else ${name} end,
        leased_until = case when taken.id is null then w.leased_until else ${timestampFromMicros(now + LEASE_MICROS)} end
      from held left join taken on taken.id = held.id
      where w.workspace_id = held.workspace_id and w.id = held.id and (
        held.due_at is null or held.due_at > held.made_at or held.waiting_since > held.made_at)
    ), made as (
      insert into relata.deliveries
        (workspace_id, webhook_id, id, position, event_id, event_type, record_id, list_id, kind, idempotency_key, body, due_at, created_at)
      select d.workspace_id, d.webhook_id, d.id, d.position, d.event_id, d.event_type, d.record_id, d.list_id, 'event',
        d.idempotency_key, d.body, d.created_at, d.created_at
      from d join held on held.id = d.webhook_id
    )
    select held.workspace_id, held.id as webhook_id, target_url, secret, failures,
      case when previous_secret_until > ${at} then previous_secret end as previous_secret,
      taken.id is not null as is_taken, case when taken.id is null then leased_by::text else ${name} end as held_by
    from held left join taken on taken.id = held.id`
  const byWebhook = Map.groupBy(deliveries, ({ webhook_id }) => webhook_id)
  return rows.map((row) => ({
    webhookId: row.webhook_id,
    heldBy: row.held_by,
    hook: webhookTargetOf(row),
    first: (byWebhook.get(row.webhook_id) ?? []).map(waitingOf),
    isTaken: row.is_taken,
  }))
}

const waitingOf = ({ id, position, idempotency_key, body, created_at }: NewDelivery): Waiting => ({
  id,
  position: Number(position),
  createdAt: created_at,
  idempotencyKey: idempotency_key,
  body,
  attempts: 0,
})
