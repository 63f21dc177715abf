/**
 * Sends emails about failing webhooks. The transaction that changes a webhook's status queues the alert, so no request
 * waits for the mail server, and one process sends each email. Decision 0067.
 */

import type { Database } from '../../../db/connect'
import { logError } from '../../logging/log-error'
import type { Mail } from '../send-email'
import type { Settings } from '../../platform'
import { repeat, type Repeating } from '../../timing/run-periodically'
import type { Clock } from '../../timing/clock'
import { lettersOf } from './render-alert'
import { claimNotices, findFailing, forgetNotice, type Notice } from './store'

export interface NoticeParts {
  readonly db: Database
  readonly now: Clock
  readonly mail: Mail
  readonly settings: Pick<Settings, 'appUrl' | 'brand'>
}

const INTERVAL_MS = 15_000
const BATCH_SIZE = 10
/** After this many attempts the alert is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10

/** Stopping waits for the email that is being sent. */
export const runNotices = (parts: NoticeParts): Repeating =>
  repeat(INTERVAL_MS, (stopping) => writeNotices(parts, stopping), 'Notices about webhooks could not be read yet.')

/** Sends the due alerts, until none is due or the signal aborts. */
export async function writeNotices(parts: NoticeParts, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const notices = await claimNotices(parts.db, parts.now(), BATCH_SIZE)
    for (const notice of notices) {
      // The remaining alerts become due again after their delay.
      if (signal?.aborted === true) return
      await sendAlert(parts, notice)
    }
    if (notices.length < BATCH_SIZE) return
  }
}

/** When the mail server refuses the email for all recipients, the alert stays queued for another attempt. */
async function sendAlert({ db, mail, settings }: NoticeParts, notice: Notice): Promise<void> {
  const failing = await findFailing(db, notice)
  const letters = failing === undefined ? [] : lettersOf(settings, notice, failing)
  const sent = await Promise.allSettled(letters.map((letter) => mail.send(letter)))
  const refused = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const reason of refused) logError(`A letter about webhook ${notice.webhook_id} was not taken.`, reason)
  const isDone = refused.length === 0 || refused.length < sent.length || notice.attempts >= MAX_ATTEMPTS
  if (isDone) await forgetNotice(db, notice)
}
