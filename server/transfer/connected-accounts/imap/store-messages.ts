/** Stores messages of an IMAP folder as emails of the mailbox of the account, and deletes those that the server no longer has. */

import { sql as expression } from 'kysely'
import type { FetchMessageObject } from 'imapflow'
import { type Database, renderArray, type Sql, type Transaction } from '#db/connect'
import { deleteEmailsByKeys } from '#crm/mailboxes/delete-emails'
import { type Mailbox, openMailbox } from '#crm/mailboxes/insert-emails'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'
import type { Clock } from '#base/timing/clock'
import { isSliceOver, nextTurn } from '#base/timing/in-slices'
import { type DatedMessage, parseReporting, storeMessages } from '#transfer/mail-files/import-messages'
import { HEADER_NAMES, readHeaders } from '#transfer/mail-files/raw-message'
import type { ConnectedAccount, AccountRun } from '#transfer/connected-accounts/account'
import { markFound } from '#transfer/connected-accounts/sending/store'
import { createExclusions } from '#transfer/connected-accounts/exclusions'
import type { AccountProgress, ImapSettings } from '#transfer/connected-accounts/settings'
import { normaliseAddress } from '#crm/mailboxes/email'
import { listAccounts, listExclusions } from '#transfer/connected-accounts/store'

export interface MessageStore {
  readonly account: ConnectedAccount<ImapSettings>
  readonly db: Database
  readonly now: Clock
  readonly mailbox: Mailbox
  /** The addresses of the member. A message from one of them is outbound. */
  readonly ownAddresses: ReadonlySet<string>
  /** The addresses and domains that the member excludes. */
  readonly exclusions: readonly string[]
  /** The newest data model, which changes while the account is read. */
  getModel(): Promise<DataModel>
}

/** What is fetched of a message. */
export const FETCHED = { uid: true, flags: true, headers: [...HEADER_NAMES] } as const

export interface ReadMessage {
  readonly uid: number
  readonly message: DatedMessage
}

export interface ReadMessages {
  /** The messages to store. */
  readonly messages: readonly ReadMessage[]
  /** Those that cannot be stored. */
  readonly problems: AccountProgress['problems']
}

/** Parses fetched messages. Drafts are left out, excluded addresses are taken out, and so are messages without another address. */
export async function readFetched(
  store: MessageStore,
  path: string,
  fetched: readonly FetchMessageObject[],
): Promise<ReadMessages> {
  const messages: ReadMessage[] = []
  const problems: { item: string; reason: string }[] = []
  const isExcluded = createExclusions(await store.getModel(), store.exclusions, store.ownAddresses)
  for (const { uid, flags, headers } of fetched) {
    if (flags?.has('\\Draft') === true || flags?.has('\\Deleted') === true) continue
    const { message, problems: found } = await parseReporting(readHeaders(headers ?? new Uint8Array()), store.now())
    const skipped = found.find(({ outcome }) => outcome === 'skipped')
    if (skipped !== undefined) problems.push({ item: `${path} ${uid}`, reason: skipped.reason })
    const allowed = message && withoutExcluded(store, isExcluded, message)
    if (allowed !== undefined) messages.push({ uid, message: allowed })
    if (isSliceOver()) await nextTurn()
  }
  return { messages, problems }
}

/** A message that the account sent. */
export interface SentMessage {
  /** With all participants. */
  readonly given: DatedMessage
  /** Without excluded addresses. */
  readonly allowed: DatedMessage
}

/** Parses the headers of a message that the account sent. Undefined when the exclusions leave nothing to store. */
export async function readSent(store: MessageStore, headers: Uint8Array): Promise<SentMessage | undefined> {
  const isExcluded = createExclusions(await store.getModel(), store.exclusions, store.ownAddresses)
  const { message: given } = await parseReporting(readHeaders(headers), store.now())
  const allowed = given && withoutExcluded(store, isExcluded, given)
  return given && allowed && { given, allowed }
}

function withoutExcluded(
  { ownAddresses }: MessageStore,
  isExcluded: (address: string) => boolean,
  message: DatedMessage,
): DatedMessage | undefined {
  const participants = message.participants.filter(([, address]) => !isExcluded(address))
  return participants.some(([, address]) => !ownAddresses.has(address)) ? { ...message, participants } : undefined
}

/** Stores the messages and which of the folder they are. Returns how many emails were new. */
export async function storeRead(
  tx: Transaction,
  store: MessageStore,
  folder: number,
  messages: readonly ReadMessage[],
): Promise<number> {
  if (messages.length === 0) return 0
  // A message may be in a folder twice.
  const byKey = [...new Map(messages.map(({ message }) => [message.messageKey, message])).values()]
  const { mailbox, ownAddresses, db, now } = store
  const context = { model: await store.getModel(), db, now }
  const created = await storeMessages(tx, { context, mailbox, ownAddresses }, byKey)
  await markFound(tx, store.account, byKey.map(({ messageKey }) => messageKey)) // prettier-ignore
  const { workspaceId, id } = store.account
  const rows = messages.map(({ uid, message }) => ({ uid, message_key: message.messageKey }))
  const given = expression<StoredMessage>`json_to_recordset(${JSON.stringify(rows)}::text::json)`
  await controlQueriesIn(tx)
    .insertInto('relata.synced_messages')
    .columns(['workspace_id', 'account_id', 'folder', 'uid', 'message_key'])
    .expression(({ selectFrom, val }) =>
      selectFrom(given.as<'m'>(expression`m(uid bigint, message_key text)`)).select([
        expression<string>`${val(workspaceId)}::uuid`.as('workspace_id'),
        expression<string>`${val(id)}::uuid`.as('account_id'),
        expression<number>`${val(folder)}::int`.as('folder'),
        'm.uid',
        'm.message_key',
      ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return created
}

interface StoredMessage {
  readonly uid: string
  readonly message_key: string
}

/** The UIDs from `from` up to but without `to` whose messages are stored. */
export async function listStoredUids(
  on: Sql,
  { workspaceId, id }: Pick<ConnectedAccount, 'workspaceId' | 'id'>,
  folder: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.synced_messages')
    .select('uid')
    .where(equal({ workspace_id: workspaceId, account_id: id, folder }))
    .where('uid', '>=', String(from))
    .where('uid', '<', String(to))
    .execute()
  return rows.map(({ uid }) => Number(uid))
}

/** Forgets messages of a folder, and deletes their emails unless another folder has them. Returns how many were deleted. */
export async function deleteVanished(
  tx: Transaction,
  store: MessageStore,
  folder: number,
  uids: readonly number[],
): Promise<number> {
  if (uids.length === 0) return 0
  const { workspaceId, id } = store.account
  const rows = await controlQueriesIn(tx)
    .deleteFrom('relata.synced_messages')
    .where(equal({ workspace_id: workspaceId, account_id: id, folder }))
    .where(expression<boolean>`uid = any(${renderArray(uids.map(String))}::bigint[])`)
    .returning('message_key')
    .execute()
  return deleteWithoutMessage(tx, store, [...new Set(rows.map(({ message_key }) => message_key))])
}

/** Deletes the emails with these keys that are in no folder. */
async function deleteWithoutMessage(tx: Transaction, store: MessageStore, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0
  const { workspaceId, id } = store.account
  const present = await controlQueriesIn(tx)
    .selectFrom('relata.synced_messages')
    .select('message_key')
    .where(equal({ workspace_id: workspaceId, account_id: id, message_key: anyOf(keys, 'text') }))
    .execute()
  const elsewhere = new Set(present.map(({ message_key }) => message_key))
  const gone = keys.filter((key) => !elsewhere.has(key))
  if (gone.length === 0) return 0
  const { deleted, addresses } = await deleteEmailsByKeys(tx, store.mailbox, gone)
  await requestRefreshesFor(tx, await store.getModel(), addresses, store.now())
  return deleted
}

/** Forgets messages by the keys of their emails, so that a walk through their folders reads them again. */
export async function forgetMessages(
  tx: Transaction,
  { account }: MessageStore,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  await controlQueriesIn(tx)
    .deleteFrom('relata.synced_messages')
    .where(equal({ workspace_id: account.workspaceId, account_id: account.id, message_key: anyOf(keys, 'text') }))
    .execute()
}

/** Messages of a folder that are deleted at once. */
const BATCH_SIZE = 1_000

/** Deletes a part of a folder that is gone. Returns how many messages it had and how many emails were deleted. */
export async function deletePartOfFolder(
  tx: Transaction,
  store: MessageStore,
  folder: number,
): Promise<{ readonly messages: number; readonly emails: number }> {
  const { workspaceId, id } = store.account
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.synced_messages')
    .select('uid')
    .where(equal({ workspace_id: workspaceId, account_id: id, folder }))
    .limit(BATCH_SIZE)
    .execute()
  const uids = rows.map(({ uid }) => Number(uid))
  return { messages: uids.length, emails: await deleteVanished(tx, store, folder, uids) }
}

// What storing the messages of an account needs: its mailbox, the member's own addresses, the exclusions.

export async function openMessageStore({
  appContext,
  account,
}: Pick<AccountRun<ImapSettings>, 'appContext' | 'account'>): Promise<MessageStore> {
  const { db, now, models } = appContext
  const { workspaceId, memberId } = account
  const find = async () => (await models.get(workspaceId)).membersById.get(memberId)
  const member = (await find()) ?? (await models.reload(workspaceId)).membersById.get(memberId)
  if (member === undefined) throw new Error(`The member ${memberId} of an account does not exist.`)
  const accounts = await listAccounts(db.sql, account)
  const texts = [member.email_address, account.settings.user, ...accounts.map((each) => each.email_address)]
  return {
    account,
    db,
    now,
    mailbox: await openMailbox(db, workspaceId, member, now(), account.id),
    ownAddresses: new Set(texts.flatMap((text) => normaliseAddress(text) ?? [])),
    exclusions: await listExclusions(db.sql, account),
    getModel: () => models.get(workspaceId),
  }
}
