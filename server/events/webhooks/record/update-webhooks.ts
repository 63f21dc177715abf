/**
 * Updates the status of webhooks after attempts. See docs/reference/webhooks-and-events.md (The status of a webhook).
 */

import type { Transaction } from '#db/connect'

/** A webhook that stays degraded for longer than this becomes inactive. */
const DEGRADED_FOR = '7 days'

/** What an attempt says about its webhook. */
interface RecordedAttempt {
  readonly workspace_id: string
  readonly webhook_id: string
  /** The status of the delivery after the attempt. */
  readonly status: 'waiting' | 'succeeded' | 'failed'
  readonly at: string
}

/** What the attempts at one webhook change in its row. The last attempt decides about success. */
interface WebhookChange {
  readonly workspace_id: string
  readonly id: string
  readonly at: string
  readonly succeeded: boolean
  /** Whether a delivery failed with its last attempt. */
  readonly gave_up: boolean
  readonly failures: number
}

/**
 * Writes each webhook's row once, in the order of ids, because all code that locks several webhooks locks them in this
 * order. A webhook that becomes degraded or inactive gets an alert, which another worker sends.
 */
export async function updateWebhooks(tx: Transaction, rows: readonly RecordedAttempt[]): Promise<void> {
  const changes = [...Map.groupBy(rows, ({ webhook_id }) => webhook_id)].map(([id, all]) => webhookChange(id, all))
  await tx`
    with v as (
      select * from json_to_recordset(${JSON.stringify(changes)}::text::json)
        as v(workspace_id uuid, id uuid, at timestamptz, succeeded boolean, gave_up boolean, failures int)
    ), locked as (
      select w.id, w.status as was from relata.webhooks w join v on v.workspace_id = w.workspace_id and v.id = w.id
      where not v.succeeded or w.failures > 0 or w.status = 'degraded'
      order by w.id for update of w
    ), changed as (
      update relata.webhooks w set
        failures = case when v.succeeded then 0 else w.failures + v.failures end,
        status = case
          when w.status = 'inactive' then w.status
          when v.succeeded then 'active'
          when w.degraded_at < v.at - ${DEGRADED_FOR}::interval then 'inactive'
          when v.gave_up then 'degraded'
          else w.status end,
        degraded_at = case when v.succeeded then null when v.gave_up then coalesce(w.degraded_at, v.at) else w.degraded_at end
      from v, locked where locked.id = w.id and v.workspace_id = w.workspace_id and v.id = w.id
      returning w.workspace_id, w.id, w.status, v.at, locked.was
    )
    insert into relata.webhook_alerts (workspace_id, webhook_id, status, at, due_at)
    select workspace_id, id, status, at, at from changed where status <> was and status <> 'active'`
  if (changes.some(({ succeeded }) => !succeeded)) await dropDeliveriesOfInactive(tx, changes)
}

function webhookChange(id: string, rows: readonly RecordedAttempt[]): WebhookChange {
  const [first] = rows
  const last = rows.at(-1)
  return {
    id,
    workspace_id: first?.workspace_id ?? '', // a group has at least one
    at: last?.at ?? '',
    succeeded: last?.status === 'succeeded',
    gave_up: rows.some(({ status }) => status === 'failed'),
    failures: rows.filter(({ status }) => status !== 'succeeded').length,
  }
}

async function dropDeliveriesOfInactive(tx: Transaction, changes: readonly WebhookChange[]): Promise<void> {
  const ids = changes.map(({ id }) => id)
  await tx`
    update relata.deliveries d set status = 'dropped', due_at = null, finished_at = w.degraded_at
    from relata.webhooks w
    where w.id = any(${ids}::uuid[]) and w.status = 'inactive' and d.webhook_id = w.id and d.due_at is not null`
}
