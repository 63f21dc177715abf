/**
 * Writes to people whose webhooks fail. What is to be written is noted with the change itself, so that nothing waits for a
 * mail server, and of several processes one writes. Decision 0067.
 */

import type { Database } from '../../db/connect'
import { logError } from '../log-error'
import type { Mail } from '../mail/mail'
import type { Settings } from '../platform'
import { repeat, type Repeating } from '../repeat'
import type { Clock } from '../time'
import { lettersOf } from './letter'
import { claimNotices, findFailing, forgetNotice, type Notice } from './store'

export interface NoticeParts {
  readonly db: Database
  readonly now: Clock
  readonly mail: Mail
  readonly settings: Pick<Settings, 'appUrl' | 'brand'>
}

const EVERY_MS = 15_000
const AT_ONCE = 10
/** Then it is let go, and said so in the log. */
const MOST_ATTEMPTS = 10

/** Stopping finishes the letter that is being written. */
export const runNotices = (parts: NoticeParts): Repeating =>
  repeat(EVERY_MS, (stopping) => writeNotices(parts, stopping), 'Notices about webhooks could not be read yet.')

/** Writes what is due, until nothing more is or the signal is aborted. */
export async function writeNotices(parts: NoticeParts, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const notices = await claimNotices(parts.db, parts.now(), AT_ONCE)
    for (const notice of notices) {
      // Those that are left are taken on again by whoever runs then.
      if (signal?.aborted === true) return
      await write(parts, notice)
    }
    if (notices.length < AT_ONCE) return
  }
}

/** What the mail server takes for nobody stays noted, and is tried again later. */
async function write({ db, mail, settings }: NoticeParts, notice: Notice): Promise<void> {
  const failing = await findFailing(db, notice)
  const letters = failing === undefined ? [] : lettersOf(settings, notice, failing)
  const sent = await Promise.allSettled(letters.map((letter) => mail.send(letter)))
  const refused = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  for (const reason of refused) logError(`A letter about webhook ${notice.webhook_id} was not taken.`, reason)
  const isDone = refused.length === 0 || refused.length < sent.length || notice.attempts >= MOST_ATTEMPTS
  if (isDone) await forgetNotice(db, notice)
}
