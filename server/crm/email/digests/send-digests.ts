/**
 * Sends members emails about their new notifications. The transaction that inserts a notification queues the email, so no
 * request waits for the mail server, and one process sends each email. See docs/decisions/notifications.md.
 */

import type { Database } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { leaseOf, type Queue, queueWorker, released, takeInTurn, type Taken, updateLeased } from '#engine/queue'
import { DIGEST_INTERVAL, type InboxKey, listUndigestedRows, type NotificationRow, sendsDigest } from '#crm/inbox/store'
import { type Clock, type Micros, timestampFromMicros } from '#base/timing/clock'
import type { ServiceSettings } from '#context'
import type { ModelCache } from '#engine/data-model/cache'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { DataModel, Member } from '#engine/data-model/model'
import { inboxKeyOf } from '#crm/inbox/notify'
import type { LogFailure } from '#base/timing/worker-statistics'
import type { Email, Mailer } from '#crm/email/send-email'
import { renderMentions } from '#crm/comments/content'
import { languageOfEmail } from '#access/accounts/accounts'
import type { Language } from '#vocabulary/languages'
import { recordUrl } from '#engine/data-model/names'
import { excerpt } from '#base/text/csv-line'

/** A member whose digest is due. */
type DueDigest = Taken<'relata.inboxes'>

export const digestQueue: Queue<'relata.inboxes'> = {
  table: 'relata.inboxes',
  id: 'member_id',
  lease: 'back-off',
  sends: true,
}

/**
 * Marks the notifications of a digest. If unread notifications remain, the next digest is due after `DIGEST_INTERVAL`. The lock
 * makes a concurrent insertion queue its digest afterwards. `sentAt` is null when no email was sent.
 */
async function finishDigest(
  db: Database,
  key: InboxKey,
  digested: readonly NotificationRow[],
  { sentAt, now }: { readonly sentAt: Micros | null; readonly now: Micros },
): Promise<void> {
  const { workspaceId, memberId } = key
  await db.sql.begin(async (tx) => {
    await tx`
      select 1 from relata.inboxes where workspace_id = ${workspaceId} and member_id = ${memberId} for update`
    await tx`
      update relata.notifications set is_digested = true
      where workspace_id = ${workspaceId} and member_id = ${memberId} and id in (
        select id from relata.notifications
        where workspace_id = ${workspaceId} and member_id = ${memberId} and id = any(${digested.map(({ id }) => id)}::uuid[])
        for update skip locked)` // another transaction reads or deletes a locked row; waiting for it could deadlock
    const isWaiting = (await listUndigestedRows(tx, key, 1)).length > 0
    await tx`
      update relata.inboxes set attempts = 0, leased_by = null, worker = null, digested_at = coalesce(${sentAt && timestampFromMicros(sentAt)}, digested_at),
        due_at = case when ${isWaiting} then ${timestampFromMicros(now)}::timestamptz + ${DIGEST_INTERVAL}::interval end
      where workspace_id = ${workspaceId} and member_id = ${memberId}`
  })
}

/** Takes a member from the queue. */
async function dropDigest({ sql }: Database, due: DueDigest): Promise<void> {
  await updateLeased(sql, digestQueue, leaseOf(digestQueue, due), released(null), 'member_id')
}

/** The names of the members who act under these numbers. */
async function readNames(
  db: Database,
  workspaceId: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (numbers.length === 0) return new Map()
  const rows = await controlQueriesIn(db.sql)
    .selectFrom('relata.actors as a')
    .innerJoin('relata.workspace_members as m', (join) =>
      join.onRef('m.workspace_id', '=', 'a.workspace_id').onRef('m.id', '=', 'a.id'),
    )
    .select(['a.number', 'm.first_name', 'm.last_name'])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.number', 'in', [...new Set(numbers)])
    .execute()
  return new Map(rows.map(({ number, first_name, last_name }) => [number, `${first_name} ${last_name}`.trim()]))
}

export interface DigestOptions {
  readonly db: Database
  readonly models: Pick<ModelCache, 'reload'>
  readonly now: Clock
  readonly mail: Mailer
  readonly settings: Pick<ServiceSettings, 'appUrl'>
}

const BATCH_SIZE = 10
/** A digest has at most this many notifications. The others wait for the next one. */
const MAX_NOTIFICATIONS = 100
/** After this many attempts the digest is dropped; the log has the reasons. */
const MAX_ATTEMPTS = 10

/** Stopping waits for the email that is being sent. Without a mail server there are no digests. */
export const digestWorker = queueWorker<DigestOptions>({
  name: 'digests',
  does: 'sends digests',
  queue: digestQueue,
  everyMs: 15_000,
  take: async (options, ...further) => (options.mail.isDelivered ? takeDigests(options, ...further) : undefined),
})

const takeDigests = takeInTurn(digestQueue, BATCH_SIZE, (options: DigestOptions, due, logFailure) =>
  sendDigest({ ...options, logFailure }, due).catch((error: unknown) =>
    logFailure('A digest could not be sent.', error),
  ),
)

interface DigestRun extends DigestOptions {
  readonly logFailure: LogFailure
}

async function sendDigest(options: DigestRun, due: DueDigest): Promise<void> {
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
async function sendTo(options: DigestRun, due: DueDigest, model: DataModel, member: Member): Promise<void> {
  const { db, now } = options
  const key = inboxKeyOf(model, member)
  const notifications = await listUndigestedRows(db.sql, key, MAX_NOTIFICATIONS)
  if (notifications.length === 0) return finishDigest(db, key, [], { sentAt: null, now: now() })
  const actors = notifications.map(({ actor }) => actor)
  const names = await readNames(db, due.workspace_id, actors)
  const language = await languageOfEmail(db, member.email_address)
  const digest = { model, member, notifications, names, language }
  const isSent = await isAccepted(options, digestEmail(options.settings, digest))
  if (!isSent && due.attempts < MAX_ATTEMPTS) return
  await finishDigest(db, key, notifications, { sentAt: isSent ? now() : null, now: now() })
}

async function isAccepted({ mail, logFailure }: DigestRun, email: Email): Promise<boolean> {
  try {
    await mail.send(email)
    return true
  } catch (error) {
    logFailure('The mail server refused an email about notifications.', error)
    return false
  }
}

// Writes the email about a member's notifications. See docs/reference/inbox.md (Email digests).

/** An email lists this many notifications. The console has the others. */
const MAX_LISTED = 20

interface Digest {
  readonly model: DataModel
  readonly member: Member
  /** The oldest first, at least one. */
  readonly notifications: readonly NotificationRow[]
  /** The names of actors by their numbers. */
  readonly names: ReadonlyMap<number, string>
  readonly language: Language
}

/** Throws `ModelVersionConflict` for a mentioned member that the model lacks. */
function digestEmail({ appUrl }: Pick<ServiceSettings, 'appUrl'>, digest: Digest): Email {
  const { model, member, notifications, language } = digest
  const texts = TEXTS[language]
  const count = notifications.length
  const others = count - MAX_LISTED
  const inbox = inboxUrl(appUrl, model)
  return {
    to: member.email_address,
    subject: texts.subject(count, model.workspace.name),
    text: [
      ...notifications.slice(0, MAX_LISTED).map((row) => paragraph(appUrl, digest, row)),
      ...(others > 0 ? [texts.more(others)] : []),
      `${texts.all}\n${inbox}`,
    ].join('\n\n'),
  }
}

interface Texts {
  subject(count: number, workspace: string): string
  more(count: number): string
  readonly all: string
  readonly anonymous: string
  readonly says: Readonly<Record<NotificationRow['kind'], string>>
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    subject: (count, workspace) =>
      `${count === 1 ? 'A new notification' : `${count} new notifications`} in ${workspace}`,
    more: (count) => `And ${count} more.`,
    all: 'All notifications, and the setting that switches these emails off:',
    anonymous: 'An app or API key',
    says: { mention: 'mentioned you', reply: 'replied to you', 'task-assigned': 'assigned you a task' },
  },
  de: {
    subject: (count, workspace) =>
      `${count === 1 ? 'Eine neue Benachrichtigung' : `${count} neue Benachrichtigungen`} in ${workspace}`,
    more: (count) => `Und ${count} weitere.`,
    all: 'Alle Benachrichtigungen und die Einstellung, die diese E-Mails abschaltet:',
    anonymous: 'Eine App oder ein API-Schlüssel',
    says: {
      mention: 'hat Sie erwähnt',
      reply: 'hat Ihnen geantwortet',
      'task-assigned': 'hat Ihnen eine Aufgabe zugewiesen',
    },
  },
}

function paragraph(appUrl: string, { model, names, language }: Digest, row: NotificationRow): string {
  const text = row.task_id === null ? renderMentions(model, row.content) : row.task_content
  const name = names.get(row.actor) ?? TEXTS[language].anonymous
  return `${name} ${TEXTS[language].says[row.kind]}:\n${excerpt(text)}\n${pageOf(appUrl, model, row)}`
}

const inboxUrl = (appUrl: string, { workspace }: DataModel): string => `${appUrl}/${workspace.id}/inbox`

/** The page of a comment's record; the inbox for a task. */
function pageOf(appUrl: string, model: DataModel, row: NotificationRow): string {
  const object = row.task_id === null ? model.entityTypesById.get(row.object_id) : undefined
  if (row.task_id !== null || object?.kind !== 'object') return inboxUrl(appUrl, model)
  return recordUrl(appUrl, model, object, row.record_id)
}
