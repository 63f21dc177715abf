/** Reads texts of stored emails from an open folder: the structure of each message, and then its parts that are text. See docs/decisions/email-texts.md. */

import { sql as expression } from 'kysely'
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { isOwnAddress } from '#crm/contacts/company-domain'
import type { EmailParticipant } from '#crm/mailboxes/email'
import { type MessageText, NO_TEXT, saveTexts, storesTexts } from '#crm/mailboxes/email-texts'
import { anyOf, controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { parseReporting } from '#transfer/mail-files/import-messages'
import { contentsOf, MAX_TEXT_BYTES, type MessageContents, readText } from '#transfer/mail-files/message-text'
import type { ParsedMessage } from '#transfer/mail-files/parse-message'
import { HEADER_NAMES, readHeaders } from '#transfer/mail-files/raw-message'
import type { ConnectedAccount } from '#transfer/connected-accounts/account'
import type { MessageStore } from './store-messages'

/** A message of a folder whose text is to be read. */
export interface UnreadText {
  readonly emailId: string
  readonly messageKey: string
  readonly folder: number
  readonly uid: number
  readonly failures: number
}

/** Messages whose structures are fetched at once. */
const BATCH_SIZE = 50
/** Texts of one batch. The rest is read by the next one. */
const BATCH_BYTES = 4 * 1024 * 1024

/** The newest messages of one of the folders whose texts are to be read. A text that failed is read alone, after the others. */
export async function listUnreadTexts(
  on: Sql,
  { account, mailbox }: MessageStore,
  folders: readonly number[],
): Promise<UnreadText[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.email_texts as t')
    .innerJoin('relata.emails as e', onEqual({ 'e.workspace_id': 't.workspace_id', 'e.id': 't.email_id' }))
    .innerJoin(
      'relata.synced_messages as s',
      onEqual({ 's.workspace_id': 'e.workspace_id', 's.message_key': 'e.message_key' }),
    )
    .select(['t.email_id', 't.failures', 'e.message_key', 's.folder', 's.uid'])
    .where(equal({ 't.workspace_id': account.workspaceId, 't.mailbox_id': mailbox.id, 's.account_id': account.id }))
    .where('t.read_at', 'is', null)
    .where(expression<boolean>`s.folder = any(${renderArray(folders.map(String))}::int[])`)
    .orderBy('t.failures')
    .orderBy('t.sent_at', 'desc')
    .orderBy('t.email_id')
    .limit(BATCH_SIZE)
    .execute()
  const [first] = rows
  if (first === undefined) return []
  const ofFolder = rows.filter(({ folder, failures }) => folder === first.folder && failures === first.failures)
  // A message may be in a folder twice.
  const batch = [...new Map(ofFolder.map((row) => [row.email_id, row])).values()]
  return (first.failures === 0 ? batch : [first]).map(({ email_id, message_key, folder, uid, failures }) => ({
    emailId: email_id,
    messageKey: message_key,
    folder,
    uid: Number(uid),
    failures,
  }))
}

/** The text of a message with what decides whether it is stored. */
interface ReadText extends MessageText {
  readonly participants: readonly EmailParticipant[]
}

/** Fetches texts from the open folder. Messages that the server does not have any more get none. */
export async function fetchTexts(
  client: ImapFlow,
  store: MessageStore,
  unread: readonly UnreadText[],
): Promise<ReadText[]> {
  const messages = await describe(client, store, unread)
  const parts = await fetchParts(client, messages)
  const texts: ReadText[] = []
  for (const { uid, messageKey, participants, contents } of messages) {
    const found = parts.get(uid)
    const bytes = contents.texts.flatMap((part) => {
      const read = found?.get(part.section)
      return read === undefined ? [] : [{ part, bytes: read }]
    })
    texts.push({ messageKey, participants, ...(await readText(bytes)), attachments: contents.attachments })
  }
  return texts
}

interface DescribedMessage {
  readonly uid: number
  readonly messageKey: string
  readonly participants: readonly EmailParticipant[]
  readonly contents: MessageContents
}

/** The structures of as many messages as one batch reads. */
async function describe(
  client: ImapFlow,
  { now }: MessageStore,
  unread: readonly UnreadText[],
): Promise<DescribedMessage[]> {
  const query = { uid: true, headers: [...HEADER_NAMES], bodyStructure: true }
  const fetched = await fetchByUid(client, unread.map(({ uid }) => uid), query) // prettier-ignore
  const described: DescribedMessage[] = []
  let bytes = 0
  for (const { uid, messageKey } of unread) {
    const message = fetched.get(uid)
    const parsed = message && (await parseHeaders(message, now()))
    // A server may have given the UID to another message.
    const contents = parsed?.messageKey === messageKey && message?.bodyStructure ? contentsOf(message.bodyStructure) : EMPTY // prettier-ignore
    bytes += contents.texts.reduce((sum, { size }) => sum + Math.min(size, MAX_TEXT_BYTES), 0)
    if (bytes > BATCH_BYTES && described.length > 0) break
    described.push({ uid, messageKey, participants: parsed?.participants ?? [], contents })
  }
  return described
}

const EMPTY: MessageContents = { texts: [], attachments: [] }

const parseHeaders = async ({ headers }: FetchMessageObject, now: Micros): Promise<ParsedMessage | undefined> =>
  (await parseReporting(readHeaders(headers ?? new Uint8Array()), now)).message

/** The parts that are text, by UID and section. Messages with the same sections share a request. */
async function fetchParts(
  client: ImapFlow,
  messages: readonly DescribedMessage[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, Buffer>>> {
  const found = new Map<number, ReadonlyMap<string, Buffer>>()
  const sectionsOf = ({ contents }: DescribedMessage) => contents.texts.map(({ section }) => section).join()
  for (const [sections, group] of Map.groupBy(messages, sectionsOf)) {
    if (sections === '') continue
    const bodyParts = sections.split(',').map((key) => ({ key, start: 0, maxLength: MAX_TEXT_BYTES }))
    const fetched = await fetchByUid(client, group.map(({ uid }) => uid), { uid: true, bodyParts }) // prettier-ignore
    for (const [uid, { bodyParts: parts }] of fetched) if (parts !== undefined) found.set(uid, parts)
  }
  return found
}

async function fetchByUid(
  client: ImapFlow,
  uids: readonly number[],
  query: Parameters<ImapFlow['fetch']>[1],
): Promise<ReadonlyMap<number, FetchMessageObject>> {
  const found = new Map<number, FetchMessageObject>()
  for await (const message of client.fetch([...uids], query, { uid: true })) found.set(message.uid, message)
  return found
}

/**
 * Stores texts, unless the workspace stores none any more. An email from which a participant was taken out gets no text: the text names
 * what is not to be stored. Colleagues are never stored and do not count.
 */
export async function storeTexts(tx: Transaction, store: MessageStore, texts: readonly ReadText[]): Promise<void> {
  if (!(await storesTexts(tx, store.account.workspaceId))) return
  const model = await store.getModel()
  const stored = await lockParticipants(tx, store, texts.map(({ messageKey }) => messageKey)) // prettier-ignore
  const isWhole = ({ messageKey, participants }: ReadText) =>
    participants.every(([, address]) => stored.get(messageKey)?.has(address) === true || isOwnAddress(model, address))
  const allowed = texts.map((text) => (isWhole(text) ? text : { ...NO_TEXT, messageKey: text.messageKey }))
  await saveTexts(tx, store.mailbox, allowed, store.now())
}

/** The addresses of the stored participants of each email. They stay until the transaction ends. */
async function lockParticipants(
  tx: Transaction,
  { mailbox }: MessageStore,
  messageKeys: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.emails')
    .select(['message_key', 'participants'])
    .where(
      equal({ workspace_id: mailbox.workspaceId, mailbox_id: mailbox.id, message_key: anyOf(messageKeys, 'text') }),
    )
    .orderBy('id')
    .forShare()
    .execute()
  const addressesIn = (text: string) => (JSON.parse(text) as EmailParticipant[]).map(([, address]) => address) // `insertEmails` wrote this form
  return new Map(rows.map(({ message_key, participants }) => [message_key, new Set(addressesIn(participants))]))
}

/** A text that the server fails to send so often gets none. */
const MAX_FAILURES = 3

/** Notes that reading these texts failed. Returns those that are not read again. */
export async function noteFailure(
  on: Sql,
  { account, now }: { readonly account: Pick<ConnectedAccount, 'workspaceId'>; readonly now: () => Micros },
  unread: readonly UnreadText[],
): Promise<UnreadText[]> {
  const givenUp = unread.filter(({ failures }) => failures + 1 >= MAX_FAILURES)
  const isGivenUp = expression`failures + 1 >= ${MAX_FAILURES}::int`
  await controlQueriesIn(on)
    .updateTable('relata.email_texts')
    .set({
      failures: expression`failures + 1`,
      read_at: expression`case when ${isGivenUp} then ${timestampFromMicros(now())}::timestamptz end`,
    })
    .where(equal({ workspace_id: account.workspaceId, email_id: anyOf(unread.map(({ emailId }) => emailId)) }))
    .where('read_at', 'is', null)
    .execute()
  return givenUp
}
