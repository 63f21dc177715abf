/** Reads the queue of alerts about webhooks, and their recipients. */

import type { Database } from '#db/connect'
import { timestampFromMicros, timestampFromPostgres, type Micros } from '#base/timing/clock'

/** A queued alert: the webhook became degraded or inactive. */
export interface WebhookAlert {
  readonly workspace_id: string
  readonly id: string
  readonly webhook_id: string
  readonly status: 'degraded' | 'inactive'
  readonly at: string
  /** How many attempts were made, including this one. */
  readonly attempts: number
}

/** The details of a webhook for the email, and the recipients. */
export interface FailingWebhook {
  readonly target_url: string
  readonly workspace_name: string
  /** The name of the app or key that owns the webhook; null when the workspace owns it. */
  readonly owner_name: string | null
  readonly degraded_at: string | null
  readonly recipients: readonly string[]
}

/** The first delay between attempts, doubled after each. It exceeds the time-out of a mail server. */
const FIRST_DELAY = '5 minutes'
/** Limits the sum of all delays to some days. */
const MAX_DOUBLINGS = 8

/** Takes due alerts from the queue. Other processes do not get them before the next attempt is due. */
export async function claimAlerts(db: Database, now: Micros, limit: number): Promise<WebhookAlert[]> {
  const at = timestampFromMicros(now)
  return db.sql<WebhookAlert[]>`
    update relata.webhook_alerts n
    set due_at = ${at}::timestamptz + ${FIRST_DELAY}::interval * 2 ^ least(attempts, ${MAX_DOUBLINGS}::int), attempts = attempts + 1,
      worker = ${db.pools.applicationName}
    from (
      select workspace_id, id from relata.webhook_alerts
      where due_at <= ${at} and not exists (select from relata.installation where held_at is not null)
      order by due_at limit ${limit} for update skip locked
    ) due
    where n.workspace_id = due.workspace_id and n.id = due.id
    returning n.workspace_id, n.id, n.webhook_id, n.status, n.at, n.attempts`
}

export async function deleteAlert(db: Database, { workspace_id, id }: WebhookAlert): Promise<void> {
  await db.sql`delete from relata.webhook_alerts where workspace_id = ${workspace_id} and id = ${id}`
}

/**
 * The recipient is the member who created the webhook, created its key or authorized its app. If that member is
 * suspended or missing, the administrators are. Returns undefined when the webhook was deleted.
 */
export async function findFailingWebhook(db: Database, alert: WebhookAlert): Promise<FailingWebhook | undefined> {
  const [row] = await db.sql<FailingWebhook[]>`
    with webhook as (
      select w.*, s.name as workspace_name, coalesce(
        (select name from relata.apps a where a.id = w.client_id),
        (select name from relata.tokens t where t.workspace_id = w.workspace_id and t.client_id = w.client_id limit 1)
      ) as owner_name, coalesce(
        (select a.id from relata.actors a where w.client_id is null and a.workspace_id = w.workspace_id
          and a.number = w.created_by and a.type = 'workspace-member'),
        (select authorized_by_workspace_member_id from relata.tokens t where t.workspace_id = w.workspace_id
          and t.client_id = w.client_id and t.grant_id is null order by created_at desc limit 1),
        (select workspace_member_id from relata.grants g where g.workspace_id = w.workspace_id
          and g.app_id = w.client_id and g.revoked_at is null order by created_at desc limit 1)
      ) as member_id
      from relata.webhooks w join relata.workspaces s on s.id = w.workspace_id
      where w.workspace_id = ${alert.workspace_id} and w.id = ${alert.webhook_id}
    )
    select w.target_url, w.workspace_name, w.owner_name, w.degraded_at, array(
      select m.email_address from relata.workspace_members m where m.workspace_id = w.workspace_id and (
        case when exists (
          select 1 from relata.workspace_members o
          where o.workspace_id = w.workspace_id and o.id = w.member_id and o.access_level <> 'suspended')
        then m.id = w.member_id else m.access_level = 'admin' end)
      order by m.email_address) as recipients
    from webhook w`
  return row && { ...row, degraded_at: row.degraded_at === null ? null : timestampFromPostgres(row.degraded_at) }
}
