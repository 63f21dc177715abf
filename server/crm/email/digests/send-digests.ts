/**
 * Sends members emails about their new notifications. The transaction that inserts a notification queues the email, so no
 * request waits for the mail server, and one process sends each email. Decision 0082.
 */

import type { Database } from '#db/connect'
import type { ServiceSettings } from '#context'
import type { ModelCache } from '#engine/data-model/cache'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { DataModel, Member } from '#engine/data-model/model'
import { inboxKeyOf } from '#crm/inbox/recipients'
import { sendsDigest } from '#crm/inbox/settings'
import { listUndigestedRows } from '#crm/inbox/store'
import { logError } from '#base/logging/log-error'
import type { Clock } from '#base/timing/clock'
import { runPeriodically, type PeriodicTask } from '#base/timing/run-periodically'
import type { Email, Mailer } from '#crm/email/send-email'
import { digestEmail } from './render-digest'
import { claimDigests, dropDigest, finishDigest, readNames, type DueDigest } from './store'

export interface DigestOptions {
  readonly db: Database
  readonly models: Pick<ModelCache, 'reload'>
  readonly now: Clock
  readonly mail: Mailer
  readonly settings: Pick<ServiceSettings, 'appUrl'>
}

const INTERVAL_MS = 15_000
const BATCH_SIZE = 10
/** A digest has at most this many notifications. The others wait for the next one. */
const MAX_NOTIFICATIONS = 100
/** After this many attempts the digest is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10

/** Stopping waits for the email that is being sent. Without a mail server there are no digests. */
export const runDigests = (options: DigestOptions): PeriodicTask =>
  runPeriodically(INTERVAL_MS, (stopping) => sendDigests(options, stopping), 'The digests could not be read.')

/** Sends the due digests, until none is due or the signal aborts. */
export async function sendDigests(options: DigestOptions, signal?: AbortSignal): Promise<void> {
  if (!options.mail.isDelivered) return
  for (;;) {
    const due = await claimDigests(options.db, options.now(), BATCH_SIZE)
    for (const each of due) {
      // The remaining digests become due again after their delay.
      if (signal?.aborted === true) return
      await sendDigest(options, each).catch((error: unknown) => logError('A digest could not be sent.', error))
    }
    if (due.length < BATCH_SIZE) return
  }
}

async function sendDigest(options: DigestOptions, due: DueDigest): Promise<void> {
  const { db, models } = options
  if (due.attempts > MAX_ATTEMPTS) return dropDigest(db, due)
  const model = modelOfMember(await models.reload(due.workspace_id), due.member_id)
  const member = model.membersById.get(due.member_id)
  const key = { workspaceId: due.workspace_id, memberId: due.member_id }
  const isWanted = member !== undefined && member.access_level !== 'suspended' && (await sendsDigest(db.sql, key))
  if (!isWanted) return dropDigest(db, due)
  await sendTo(options, due, model, member)
}

/** When the mail server refuses the email, the digest stays queued for another attempt. */
async function sendTo(options: DigestOptions, due: DueDigest, model: DataModel, member: Member): Promise<void> {
  const { db, now } = options
  const key = inboxKeyOf(model, member)
  const notifications = await listUndigestedRows(db.sql, key, MAX_NOTIFICATIONS)
  if (notifications.length === 0) return finishDigest(db, key, [], { sentAt: null, now: now() })
  const actors = notifications.map(({ actor }) => actor)
  const names = await readNames(db, due.workspace_id, actors)
  const isSent = await isAccepted(options, digestEmail(options.settings, { model, member, notifications, names }))
  if (!isSent && due.attempts < MAX_ATTEMPTS) return
  await finishDigest(db, key, notifications, { sentAt: isSent ? now() : null, now: now() })
}

async function isAccepted({ mail }: DigestOptions, email: Email): Promise<boolean> {
  try {
    await mail.send(email)
    return true
  } catch (error) {
    logError('The mail server refused an email about notifications.', error)
    return false
  }
}
