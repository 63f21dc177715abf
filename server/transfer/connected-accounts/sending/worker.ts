/**
 * Sends the emails of connected accounts. An email is never sent twice: the row says so before the first byte of the message is sent, and
 * one whose outcome no process has seen stays `unknown`. See docs/decisions/sending-email.md.
 */

import type { AppContext } from '#context'
import type { EmailText } from '#crm/mailboxes/email-texts'
import { findUnsubscribed } from '#crm/email/unsubscribing'
import { queueWorker, released, renewed, takeOne, type WorkRun } from '#engine/queue'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import { storeMessages } from '#transfer/mail-files/import-messages'
import type { ConnectedAccount } from '#transfer/connected-accounts/account'
import { AccountProblem } from '#transfer/connected-accounts/account-problem'
import { storeTexts } from '#transfer/connected-accounts/imap/read-texts'
import { openMessageStore, readSent } from '#transfer/connected-accounts/imap/store-messages'
import type { ImapSettings } from '#transfer/connected-accounts/settings'
import { endToken, withFreshToken } from '#transfer/connected-accounts/sign-in/refresh-tokens'
import { accountFromRow, findAccount } from '#transfer/connected-accounts/store'
import { attachmentsOf, AttachmentMissing, composeMessage, findAttachments, recipientsOf } from './compose'
import { type Accepted, MessageRefused, openSmtp, OutcomeUnknown, sendMessage } from './smtp'
import { finishCopy, isInFolder, markSent, sentEmailQueue, type TakenEmail, updateTakenEmail } from './store'
import { closeImap, openImap, problemOf } from '#transfer/connected-accounts/imap/connect'
import type { AccountServers } from '#transfer/connected-accounts/servers'
import type { Sql } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { writtenText } from '#transfer/mail-files/message-text'
import { readHeaders } from '#transfer/mail-files/raw-message'
import { parseSyncState } from '#transfer/connected-accounts/imap/sync-state'

type SendingContext = Pick<AppContext, 'db' | 'now' | 'models' | 'blobs' | 'accountServers'>

const SLOTS = 10

export const sendingWorker = queueWorker<SendingContext>({
  name: 'sent emails',
  does: 'sends emails from connected accounts',
  queue: sentEmailQueue,
  everyMs: 2_000,
  slots: SLOTS,
  take: takeOne(sentEmailQueue, ({ context, ...run }, taken) => workOn({ ...context, ...run }, taken)),
})

type WorkContext = SendingContext & Omit<WorkRun<SendingContext>, 'context'>

/** What became of an email that is not sent, with the sentence that people read. */
const FAILURES = {
  message_refused: 'The server refused the email.',
  attachment_missing: 'An attached file no longer exists.',
  recipient_unsubscribed: 'A recipient has unsubscribed.',
  answered_email_missing: 'The email that this one answers is no longer in a folder that is read.',
  account_does_not_send: 'The account no longer has an SMTP server.',
  outcome_unknown:
    'The server got the whole email, and the connection ended before it answered. Check the folder of sent messages before you send the email again.',
  failed: 'The email could not be sent.',
} as const

class SendingFailed extends Error {
  constructor(readonly code: keyof typeof FAILURES) {
    super(FAILURES[code])
  }
}

/** The lease was lost, or the process stops. */
class NotBegun extends Error {}

async function workOn(context: WorkContext, taken: TakenEmail): Promise<void> {
  try {
    // The process that began to send it has ended.
    if (taken.state === 'sending') return await settleUnknown(context, taken)
    await (taken.state === 'sent' ? saveCopy(context, taken) : send(context, taken))
  } catch (error) {
    await settleFailure(context, taken, error)
  }
}

async function readAccount(context: WorkContext, taken: TakenEmail): Promise<ConnectedAccount<ImapSettings>> {
  const { db } = context
  const row = await findRow(context, taken)
  // The account was removed, and its emails are deleted with it.
  if (row === undefined) throw new NotBegun()
  return accountFromRow(db.secrets, await withFreshToken(context, row)) as ConnectedAccount<ImapSettings> // only accounts of this kind send
}

const findRow = ({ db }: WorkContext, { workspace_id, member_id, account_id }: TakenEmail) =>
  findAccount(db.sql, { workspaceId: workspace_id, memberId: member_id }, account_id)

async function send(context: WorkContext, queued: TakenEmail): Promise<void> {
  const account = await readAccount(context, queued)
  if (account.settings.smtp === undefined) throw new SendingFailed('account_does_not_send')
  const addresses = recipientsOf(queued).map(([, address]) => address)
  // A recipient may have unsubscribed while the email waited.
  if ((await findUnsubscribed(context.db.sql, queued.workspace_id, addresses)).length > 0)
    throw new SendingFailed('recipient_unsubscribed')
  const taken = await withReplyHeaders(context, account, queued)
  const { message, copy } = await composeMessage(context, taken)
  const storeSent = await prepareToStore(context, account, copy)
  const envelope = { from: taken.from_address, to: addresses }
  const client = await openSmtp(context.accountServers, account)
  const accepted = await sendMessage(client, envelope, message, () => begin(context, taken)).catch((error: unknown) => {
    if (error instanceof OutcomeUnknown) return undefined
    throw error
  })
  try {
    await (accepted === undefined ? settleUnknown(context, taken) : storeSent(taken, accepted))
  } catch (error) {
    // The email stays in the state `sending`, and is settled when the lease ends.
    context.logFailure('The outcome of an email could not be stored.', error, { id: taken.id })
  }
}

/** Stores the headers, so that the copy has the same ones. */
async function withReplyHeaders(
  { db, accountServers }: WorkContext,
  account: ConnectedAccount<ImapSettings>,
  taken: TakenEmail,
): Promise<TakenEmail> {
  if (taken.reply_to_key === null || taken.in_reply_to !== null) return taken
  const headers = await findReplyHeaders({ sql: db.sql, servers: accountServers, account }, taken.reply_to_key)
  if (headers === undefined) throw new SendingFailed('answered_email_missing')
  const columns = { in_reply_to: headers.inReplyTo, reference_ids: headers.references }
  if (!(await updateTakenEmail(db.sql, taken, columns))) throw new NotBegun()
  return { ...taken, ...columns }
}

/** From now on, nobody sends the email again unless the server refuses it. */
async function begin({ db, now, stopping }: WorkContext, taken: TakenEmail): Promise<void> {
  const changes = { state: 'sending', ...renewed(sentEmailQueue, now()) }
  if (stopping.aborted || !(await updateTakenEmail(db.sql, taken, changes))) throw new NotBegun()
}

/** Stores the email like one that was read, so that reading it from the folder of sent messages changes nothing. */
async function prepareToStore(context: WorkContext, account: ConnectedAccount<ImapSettings>, copy: Buffer) {
  const { db, now } = context
  const store = await openMessageStore({ appContext: context, account })
  const read = await readSent(store, headersOf(copy))
  const model = await store.getModel()
  const needsCopy = account.settings.smtp?.saves_sent !== true
  return async (taken: TakenEmail, { refused }: Accepted): Promise<void> => {
    const text = read && { ...(await textOf(context, taken)), ...read.given }
    await db.sql.begin(async (tx) => {
      await markSent(tx, taken, { at: now(), refused, needsCopy })
      if (read !== undefined) await storeMessages(tx, { ...store, context: { model, db, now } }, [read.allowed])
      if (text !== undefined) await storeTexts(tx, store, [text])
    })
  }
}

/** The text in the form of one that was read. */
async function textOf({ db }: WorkContext, taken: TakenEmail): Promise<EmailText> {
  const files = await findAttachments(db.sql, taken.workspace_id, attachmentsOf(taken))
  const attachments = [...files.values()].map(({ name, type, size }) => ({
    name,
    content_type: type ?? 'application/octet-stream',
    size,
  }))
  return { ...writtenText(taken.body_text ?? ''), attachments }
}

const headersOf = (message: Buffer): Buffer => message.subarray(0, message.indexOf('\r\n\r\n') + 4)

async function saveCopy(context: WorkContext, taken: TakenEmail): Promise<void> {
  const account = await readAccount(context, taken)
  const { copy } = await composeMessage(context, taken)
  const at = new Date(microsFromPostgres(taken.created_at) / 1000)
  await saveSentCopy(context.accountServers, account, { messageId: taken.message_id, content: copy, at })
  await finishCopy(context.db, taken)
}

async function settleUnknown({ db, now }: WorkContext, taken: TakenEmail): Promise<void> {
  if (await isInFolder(db.sql, taken))
    return void (await db.sql.begin((tx) => markSent(tx, taken, { at: now(), refused: [], needsCopy: false })))
  await updateTakenEmail(db.sql, taken, { state: 'unknown', ...errorColumns('outcome_unknown'), ...released(null) })
}

const errorColumns = (code: keyof typeof FAILURES, answer: string | null = null) => ({
  error_code: code,
  error_message: FAILURES[code],
  error_answer: answer,
})

const SECOND = 1_000_000
/** The delay after the first failure. It doubles with each further one. */
const FIRST_DELAY = 30 * SECOND
const MAX_DELAY = 3600 * SECOND
const GIVE_UP_AFTER = 24 * 3600 * SECOND
const MAX_SIGN_INS = 3
const MAX_COPIES = 5

async function settleFailure(context: WorkContext, taken: TakenEmail, error: unknown): Promise<void> {
  const { db, now, stopping, logFailure } = context
  if (error instanceof NotBegun)
    return void (await updateTakenEmail(db.sql, taken, released(stopping.aborted ? now() : null)))
  const isOfServer = error instanceof AccountProblem || error instanceof MessageRefused || error instanceof SendingFailed || error instanceof AttachmentMissing // prettier-ignore
  if (!isOfServer) logFailure('An email could not be sent.', error, { id: taken.id })
  if (error instanceof AccountProblem && error.code === 'sign_in_refused') {
    const row = await findRow(context, taken)
    if (row !== undefined) await endToken(context, row)
  }
  const failures = taken.failures + 1
  const isOver = taken.state === 'sent' ? failures >= MAX_COPIES : isFinal(error, failures) || now() >= giveUpAt(taken)
  // The email itself is sent.
  if (taken.state === 'sent' && isOver) return void (await finishCopy(db, taken))
  const dueAt = isOver ? null : now() + Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(failures - 1, 10))
  await updateTakenEmail(db.sql, taken, {
    ...(taken.state === 'sent' ? {} : { state: isOver ? 'failed' : 'queued', ...columnsOf(error) }),
    failures,
    ...released(dueAt),
  })
}

const giveUpAt = ({ created_at }: TakenEmail): Micros => microsFromPostgres(created_at) + GIVE_UP_AFTER

function isFinal(error: unknown, failures: number): boolean {
  if (error instanceof MessageRefused) return !error.isTemporary
  if (error instanceof AccountProblem)
    return error.code === 'sign_in_expired' || (error.code === 'sign_in_refused' && failures >= MAX_SIGN_INS)
  return error instanceof SendingFailed || error instanceof AttachmentMissing
}

function columnsOf(error: unknown) {
  if (error instanceof MessageRefused) return errorColumns('message_refused', error.answer)
  if (error instanceof AttachmentMissing) return errorColumns('attachment_missing')
  if (error instanceof SendingFailed) return errorColumns(error.code)
  if (error instanceof AccountProblem)
    return { error_code: error.code, error_message: error.message, error_answer: error.answer }
  return errorColumns('failed')
}

// Puts the copy of a sent email into the folder of sent messages, unless it is there.

interface SentCopy {
  readonly messageId: string
  readonly content: Buffer
  readonly at: Date
}

/** May be repeated: a server that has the message gets no other one. Without a folder of sent messages, nothing is done. Throws `AccountProblem`. */
async function saveSentCopy(
  servers: AccountServers,
  account: ConnectedAccount<ImapSettings>,
  { messageId, content, at }: SentCopy,
): Promise<void> {
  const client = await openImap(servers, account)
  try {
    const folder = (await client.list()).find(({ specialUse }) => specialUse === '\\Sent')
    if (folder === undefined) return
    await client.mailboxOpen(folder.path)
    const found = await client.search({ header: { 'message-id': `<${messageId}>` } })
    if (found !== undefined && found !== false && found.length > 0) return
    await client.append(folder.path, content, ['\\Seen'], at)
  } catch (error) {
    throw problemOf(error)
  } finally {
    await closeImap(client)
  }
}

// Finds the headers of the email that another one answers, by which programs show both in one thread.

/** The headers of a reply, as they are written. */
interface ReplyHeaders {
  readonly inReplyTo: string
  readonly references: string
}

interface AnsweredMessages {
  readonly sql: Sql
  readonly servers: AccountServers
  readonly account: ConnectedAccount<ImapSettings>
}

/** Undefined when neither the account sent the email nor a folder of the server has it. Throws `AccountProblem`. */
async function findReplyHeaders(on: AnsweredMessages, messageKey: string): Promise<ReplyHeaders | undefined> {
  return (await findSent(on, messageKey)) ?? (await readFromServer(on, messageKey))
}

const ofMessage = (account: ConnectedAccount, messageKey: string) =>
  equal({ workspace_id: account.workspaceId, account_id: account.id, message_key: messageKey })

async function findSent({ sql, account }: AnsweredMessages, messageKey: string): Promise<ReplyHeaders | undefined> {
  const row = await controlQueriesIn(sql)
    .selectFrom('relata.sent_emails')
    .select(['message_id', 'reference_ids'])
    .where(ofMessage(account, messageKey))
    .executeTakeFirst()
  return row && replyHeaders(`<${row.message_id}>`, row.reference_ids ?? '')
}

const REPLY_NAMES = ['message-id', 'references', 'in-reply-to'] as const

async function readFromServer(
  { sql, servers, account }: AnsweredMessages,
  messageKey: string,
): Promise<ReplyHeaders | undefined> {
  const message = await controlQueriesIn(sql)
    .selectFrom('relata.synced_messages')
    .select(['folder', 'uid'])
    .where(ofMessage(account, messageKey))
    .executeTakeFirst()
  const folder = parseSyncState(account.syncState).folders.find(({ id }) => id === message?.folder)
  if (message === undefined || folder === undefined) return undefined
  const client = await openImap(servers, account)
  try {
    await client.mailboxOpen(folder.path, { readOnly: true })
    const found = await client.fetchOne(message.uid, { headers: [...REPLY_NAMES] }, { uid: true })
    if (found === false || found.headers === undefined) return undefined
    const { headers } = readHeaders(found.headers)
    const idsOf = (name: (typeof REPLY_NAMES)[number]) => messageIdsIn(headers.get(name)?.[0] ?? '')
    const [messageId] = idsOf('message-id')
    const references = idsOf('references')
    if (messageId === undefined) return undefined
    return replyHeaders(messageId, (references.length > 0 ? references : idsOf('in-reply-to')).join(' '))
  } catch (error) {
    throw problemOf(error)
  } finally {
    await closeImap(client)
  }
}

/** Message-IDs in their signs. Other text is left out. */
const messageIdsIn = (text: string): string[] => text.match(/<[^<>\s]{1,500}>/g) ?? []

/** The first one and the last ones of a long thread. */
const MAX_REFERENCES = 20

function replyHeaders(messageId: string, references: string): ReplyHeaders {
  const ids = [...messageIdsIn(references), messageId]
  const kept = ids.length > MAX_REFERENCES ? [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)] : ids
  return { inReplyTo: messageId, references: kept.join(' ') }
}
