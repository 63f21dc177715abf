/** Writes the emails about failing webhooks. See docs/reference/webhooks-and-events.md (The status of a webhook). */

import type { Email } from '../send-email'
import type { ServiceSettings } from '../../context'
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
    `${nameOf(failing)}, in the workspace ${failing.workspace_name} at ${sender.appUrl}, did not take a message, and it is not tried again.`,
    'What happens from now on is still sent. After seven days of failures the webhook is switched off.',
    `Here is what failed and why, and from here it can be sent again:\n\n${pageOf(sender, alert, '?status=failed')}`,
  ].join('\n\n'),
})

const inactive = (sender: Sender, alert: WebhookAlert, failing: FailingWebhook): Content => ({
  subject: `A webhook of ${failing.workspace_name} was switched off`,
  text: [
    `${nameOf(failing)}, in the workspace ${failing.workspace_name} at ${sender.appUrl}, has failed since ${dayOf(failing, alert)} and is switched off: it is told nothing more.`,
    'What still waited for it was dropped. Once its receiver works, switch it on again and resend what it missed:',
    pageOf(sender, alert),
  ].join('\n\n'),
})

const nameOf = ({ target_url, owner_name }: FailingWebhook): string =>
  owner_name === null ? `The webhook to ${target_url}` : `The webhook of “${owner_name}” to ${target_url}`

const dayOf = ({ degraded_at }: FailingWebhook, { at }: WebhookAlert): string => (degraded_at ?? at).slice(0, 10)

const pageOf = ({ appUrl }: Sender, { webhook_id }: WebhookAlert, search = ''): string =>
  `${appUrl}/webhooks/${webhook_id}${search}`
