/** Reads the queue of alerts about webhooks, and their recipients. */

import type { Database } from '#db/connect'
import type { Queue, Taken } from '#engine/queue'
import { timestampFromPostgres } from '#base/timing/clock'

/** A queued alert: the webhook became degraded or inactive. */
export type WebhookAlert = Taken<'relata.webhook_alerts'>

export const alertQueue: Queue<'relata.webhook_alerts'> = {
  table: 'relata.webhook_alerts',
  id: 'id',
  lease: 'back-off',
  sends: true,
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
          and g.app_id = w.client_id and g.level = 'workspace' and g.revoked_at is null order by created_at desc limit 1)
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
