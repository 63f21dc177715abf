/**
 * Sends emails about failing webhooks. The transaction that changes a webhook's status queues the alert, so no request
 * waits for the mail server, and one process sends each email. See docs/decisions/webhooks.md.
 */

import type { Database } from '#db/connect'
import { deleteTaken, type Queue, queueWorker, takeInTurn, type Taken } from '#engine/queue'
import { type Clock, timestampOrNull } from '#base/timing/clock'
import type { LogFailure } from '#base/timing/worker-statistics'
import type { Email, Mailer } from '#crm/email/send-email'
import type { ServiceSettings } from '#context'
import { languageOfEmail } from '#access/accounts/accounts'
import type { Language } from '#vocabulary/languages'

/** A queued alert: the webhook became degraded or inactive. */
type WebhookAlert = Taken<'relata.webhook_alerts'>

export const alertQueue: Queue<'relata.webhook_alerts'> = {
  table: 'relata.webhook_alerts',
  id: 'id',
  lease: 'back-off',
  sends: true,
}

/** The details of a webhook for the email, and the recipients. */
interface FailingWebhook {
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
async function findFailingWebhook(db: Database, alert: WebhookAlert): Promise<FailingWebhook | undefined> {
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
  return row && { ...row, degraded_at: timestampOrNull(row.degraded_at) }
}

export interface AlertOptions {
  readonly db: Database
  readonly now: Clock
  readonly mail: Mailer
  readonly settings: Pick<ServiceSettings, 'appUrl' | 'brand'>
}

const BATCH_SIZE = 10
/** After this many attempts the alert is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10

/** Stopping waits for the email that is being sent. */
export const alertWorker = queueWorker<AlertOptions>({
  name: 'alerts',
  does: 'sends alerts about webhooks',
  queue: alertQueue,
  everyMs: 15_000,
  take: takeInTurn(alertQueue, BATCH_SIZE, sendAlert),
})

/** When the mail server refuses the email for all recipients, the alert stays queued for another attempt. */
async function sendAlert(
  { db, mail, settings }: AlertOptions,
  alert: WebhookAlert,
  logFailure: LogFailure,
): Promise<void> {
  const failing = await findFailingWebhook(db, alert)
  const emails = failing === undefined ? [] : await alertEmails(db, settings, alert, failing)
  const sent = await Promise.allSettled(emails.map((email) => mail.send(email)))
  const refused = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const reason of refused)
    logFailure(`The mail server refused an alert about webhook ${alert.webhook_id}.`, reason)
  const isDone = refused.length === 0 || refused.length < sent.length || alert.attempts >= MAX_ATTEMPTS
  if (isDone) await deleteTaken(db.sql, alertQueue, alert.workspace_id, [alert.id])
}

/** Writes the emails about failing webhooks. See docs/reference/webhooks-and-events.md (The status of a webhook). */
type Sender = Pick<ServiceSettings, 'appUrl' | 'brand'>

/** Returns one email for each recipient, in the language of its account. */
const alertEmails = (db: Database, sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Promise<Email[]> =>
  Promise.all(
    failing.recipients.map(async (to) => ({
      to,
      ...(alert.status === 'degraded' ? degraded : inactive)(sender, alert, failing)[await languageOfEmail(db, to)],
    })),
  )

type Contents = Readonly<Record<Language, Pick<Email, 'subject' | 'text'>>>

function degraded(sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Contents {
  const { workspace_name } = failing
  const page = pageOf(sender, alert, '?status=failed')
  return {
    en: {
      subject: `A webhook of ${workspace_name} fails`,
      text: [
        `${nameOf(failing)}, in the workspace ${workspace_name} at ${sender.appUrl}, did not accept a delivery. The delivery will not be retried.`,
        'New events are still sent. After seven days of failures, the webhook is switched off.',
        `See the failed deliveries and resend them:\n\n${page}`,
      ].join('\n\n'),
    },
    de: {
      subject: `Ein Webhook von ${workspace_name} schlägt fehl`,
      text: [
        `${germanNameOf(failing)}, im Workspace ${workspace_name} bei ${sender.appUrl}, hat eine Zustellung nicht angenommen. Die Zustellung wird nicht wiederholt.`,
        'Neue Ereignisse werden weiterhin gesendet. Nach sieben Tagen mit Fehlern wird der Webhook deaktiviert.',
        `Fehlgeschlagene Zustellungen ansehen und erneut senden:\n\n${page}`,
      ].join('\n\n'),
    },
  }
}

function inactive(sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Contents {
  const { workspace_name } = failing
  const [day, page] = [dayOf(failing, alert), pageOf(sender, alert)]
  return {
    en: {
      subject: `A webhook of ${workspace_name} was switched off`,
      text: [
        `${nameOf(failing)}, in the workspace ${workspace_name} at ${sender.appUrl}, has failed since ${day} and is switched off. It receives no more events.`,
        'Its pending deliveries were dropped. When its receiver works again, switch it on and resend the missed events:',
        page,
      ].join('\n\n'),
    },
    de: {
      subject: `Ein Webhook von ${workspace_name} wurde deaktiviert`,
      text: [
        `${germanNameOf(failing)}, im Workspace ${workspace_name} bei ${sender.appUrl}, schlägt seit ${day} fehl und ist deaktiviert. Er erhält keine Ereignisse mehr.`,
        'Seine ausstehenden Zustellungen wurden verworfen. Wenn sein Empfänger wieder funktioniert, aktivieren Sie ihn und senden die verpassten Ereignisse erneut:',
        page,
      ].join('\n\n'),
    },
  }
}

const nameOf = ({ target_url, owner_name }: FailingWebhook): string =>
  owner_name === null ? `The webhook to ${target_url}` : `The webhook of “${owner_name}” to ${target_url}`

const germanNameOf = ({ target_url, owner_name }: FailingWebhook): string =>
  owner_name === null ? `Der Webhook an ${target_url}` : `Der Webhook von „${owner_name}“ an ${target_url}`

const dayOf = ({ degraded_at }: FailingWebhook, { at }: WebhookAlert): string => (degraded_at ?? at).slice(0, 10)

const pageOf = ({ appUrl }: Sender, { workspace_id, webhook_id }: WebhookAlert, search = ''): string =>
  `${appUrl}/${workspace_id}/webhooks/${webhook_id}${search}`
