/**
 * Sends emails about failing webhooks. The transaction that changes a webhook's status queues the alert, so no request
 * waits for the mail server, and one process sends each email. See docs/decisions/webhooks.md.
 */

import type { Database } from '#db/connect'
import type { LogFailure } from '#base/timing/worker-statistics'
import type { Email, Mailer } from '#crm/email/send-email'
import type { ServiceSettings } from '#context'
import { deleteTaken, inTurn, queueWorker, takeDue } from '#engine/queue'
import type { Clock } from '#base/timing/clock'
import { alertQueue, type FailingWebhook, findFailingWebhook, type WebhookAlert } from './store'

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
  async take(options, stopping, logFailure) {
    const taken = await takeDue(options.db, alertQueue, { now: options.now(), limit: BATCH_SIZE })
    return taken.length === 0 ? undefined : inTurn(taken, stopping, (alert) => sendAlert(options, alert, logFailure))
  },
})

/** When the mail server refuses the email for all recipients, the alert stays queued for another attempt. */
async function sendAlert(
  { db, mail, settings }: AlertOptions,
  alert: WebhookAlert,
  logFailure: LogFailure,
): Promise<void> {
  const failing = await findFailingWebhook(db, alert)
  const emails = failing === undefined ? [] : alertEmails(settings, alert, failing)
  const sent = await Promise.allSettled(emails.map((email) => mail.send(email)))
  const refused = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const reason of refused)
    logFailure(`The mail server refused an alert about webhook ${alert.webhook_id}.`, reason)
  const isDone = refused.length === 0 || refused.length < sent.length || alert.attempts >= MAX_ATTEMPTS
  if (isDone) await deleteTaken(db.sql, alertQueue, alert.workspace_id, [alert.id])
}

/** Writes the emails about failing webhooks. See docs/reference/webhooks-and-events.md (The status of a webhook). */
type Sender = Pick<ServiceSettings, 'appUrl' | 'brand'>

/** Returns one email for each recipient. */
function alertEmails(sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Email[] {
  const { subject, text } =
    alert.status === 'degraded' ? degraded(sender, alert, failing) : inactive(sender, alert, failing)
  return failing.recipients.map((to) => ({ to, subject, text }))
}

type Content = Pick<Email, 'subject' | 'text'>

const degraded = (sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Content => ({
  subject: `A webhook of ${failing.workspace_name} fails`,
  text: [
    `${nameOf(failing)}, in the workspace ${failing.workspace_name} at ${sender.appUrl}, did not accept a delivery. The delivery will not be retried.`,
    'New events are still sent. After seven days of failures, the webhook is switched off.',
    `See the failed deliveries and resend them:\n\n${pageOf(sender, alert, '?status=failed')}`,
  ].join('\n\n'),
})

const inactive = (sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Content => ({
  subject: `A webhook of ${failing.workspace_name} was switched off`,
  text: [
    `${nameOf(failing)}, in the workspace ${failing.workspace_name} at ${sender.appUrl}, has failed since ${dayOf(failing, alert)} and is switched off. It receives no more events.`,
    'Its pending deliveries were dropped. When its receiver works again, switch it on and resend the missed events:',
    pageOf(sender, alert),
  ].join('\n\n'),
})

const nameOf = ({ target_url, owner_name }: FailingWebhook): string =>
  owner_name === null ? `The webhook to ${target_url}` : `The webhook of “${owner_name}” to ${target_url}`

const dayOf = ({ degraded_at }: FailingWebhook, { at }: WebhookAlert): string => (degraded_at ?? at).slice(0, 10)

const pageOf = ({ appUrl }: Sender, { webhook_id }: WebhookAlert, search = ''): string =>
  `${appUrl}/webhooks/${webhook_id}${search}`
