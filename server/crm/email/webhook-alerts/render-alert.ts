/** Writes the emails about failing webhooks. See docs/reference/webhooks-and-events.md (The status of a webhook). */

import type { Email } from '#crm/email/send-email'
import type { ServiceSettings } from '#context'
import type { FailingWebhook, WebhookAlert } from './store'

type Sender = Pick<ServiceSettings, 'appUrl' | 'brand'>

/** Returns one email for each recipient. */
export function alertEmails(sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Email[] {
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
