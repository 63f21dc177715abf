/**
 * Sends emails about failing webhooks. The transaction that changes a webhook's status queues the alert, so no request
 * waits for the mail server, and one process sends each email. See docs/decisions/webhooks.md.
 */

import type { Database } from '#db/connect'
import { logError } from '#base/logging/log-error'
import type { Email, Mailer } from '#crm/email/send-email'
import type { ServiceSettings } from '#context'
import { type PeriodicTask, runPeriodically } from '#base/timing/run-periodically'
import type { Clock } from '#base/timing/clock'
import { claimAlerts, deleteAlert, type FailingWebhook, findFailingWebhook, type WebhookAlert } from './store'

export interface AlertOptions {
  readonly db: Database
  readonly now: Clock
  readonly mail: Mailer
  readonly settings: Pick<ServiceSettings, 'appUrl' | 'brand'>
}

const INTERVAL_MS = 15_000
const BATCH_SIZE = 10
/** After this many attempts the alert is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10

/** Stopping waits for the email that is being sent. */
export const runWebhookAlerts = (parts: AlertOptions): PeriodicTask =>
  runPeriodically(
    INTERVAL_MS,
    (stopping) => sendWebhookAlerts(parts, stopping),
    'The alerts about webhooks could not be read.',
  )

/** Sends the due alerts, until none is due or the signal aborts. */
export async function sendWebhookAlerts(parts: AlertOptions, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const alerts = await claimAlerts(parts.db, parts.now(), BATCH_SIZE)
    for (const alert of alerts) {
      // The remaining alerts become due again after their delay.
      if (signal?.aborted === true) return
      await sendAlert(parts, alert)
    }
    if (alerts.length < BATCH_SIZE) return
  }
}

/** When the mail server refuses the email for all recipients, the alert stays queued for another attempt. */
async function sendAlert({ db, mail, settings }: AlertOptions, alert: WebhookAlert): Promise<void> {
  const failing = await findFailingWebhook(db, alert)
  const emails = failing === undefined ? [] : alertEmails(settings, alert, failing)
  const sent = await Promise.allSettled(emails.map((email) => mail.send(email)))
  const refused = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const reason of refused) logError(`The mail server refused an alert about webhook ${alert.webhook_id}.`, reason)
  const isDone = refused.length === 0 || refused.length < sent.length || alert.attempts >= MAX_ATTEMPTS
  if (isDone) await deleteAlert(db, alert)
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
