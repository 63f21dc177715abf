/** Writes the emails about failing webhooks. Spec: webhooks 1.2. */

import type { Letter } from '../send-email'
import type { Settings } from '../../platform'
import type { Failing, Notice } from './store'

type Sender = Pick<Settings, 'appUrl' | 'brand'>

/** Returns one email for each recipient. */
export function lettersOf(sender: Sender, notice: Notice, failing: Failing): Letter[] {
  const { subject, text } =
    notice.status === 'degraded' ? degraded(sender, notice, failing) : inactive(sender, notice, failing)
  return failing.recipients.map((to) => ({ to, subject, text }))
}

type Content = Pick<Letter, 'subject' | 'text'>

const degraded = (sender: Sender, notice: Notice, failing: Failing): Content => ({
  subject: `A webhook of ${failing.workspace_name} fails`,
  text: [
    `${nameOf(failing)}, in the workspace ${failing.workspace_name} at ${sender.appUrl}, did not take a message, and it is not tried again.`,
    'What happens from now on is still sent. After seven days of failures the webhook is switched off.',
    `Here is what failed and why, and from here it can be sent again:\n\n${pageOf(sender, notice, '?status=failed')}`,
  ].join('\n\n'),
})

const inactive = (sender: Sender, notice: Notice, failing: Failing): Content => ({
  subject: `A webhook of ${failing.workspace_name} was switched off`,
  text: [
    `${nameOf(failing)}, in the workspace ${failing.workspace_name} at ${sender.appUrl}, has failed since ${dayOf(failing, notice)} and is switched off: it is told nothing more.`,
    'What still waited for it was dropped. Once its receiver works, switch it on again and resend what it missed:',
    pageOf(sender, notice),
  ].join('\n\n'),
})

const nameOf = ({ target_url, owner_name }: Failing): string =>
  owner_name === null ? `The webhook to ${target_url}` : `The webhook of “${owner_name}” to ${target_url}`

const dayOf = ({ degraded_at }: Failing, { at }: Notice): string => (degraded_at ?? at).slice(0, 10)

const pageOf = ({ appUrl }: Sender, { webhook_id }: Notice, search = ''): string =>
  `${appUrl}/webhooks/${webhook_id}${search}`
