/** Deletes emails, and takes participants out of them. See docs/reference/emails.md (Deletion) and docs/reference/trash.md. */

import { anyOf, controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import { sql as expression } from 'kysely'
import type { Transaction } from '#db/connect'
import { domainsOf, type EmailParticipant } from './email'
import { clearTexts } from './email-texts'
import type { Mailbox } from './insert-emails'

/** Emails that are changed at once, so that those of a person with very many fit into memory. */
const BATCH_SIZE = 1_000

interface LockedEmail {
  readonly id: string
  readonly mailbox_id: string
  readonly sent_at: string
  readonly participants: readonly EmailParticipant[]
  /** The address of the member whose mailbox it is. */
  readonly member_address: string
}

/** Deletes an email. Returns the addresses of its participants; undefined if it does not exist or is in a hidden mailbox. */
export async function deleteEmail(
  tx: Transaction,
  workspaceId: string,
  id: string,
  hiddenMailboxes: readonly string[],
): Promise<string[] | undefined> {
  const locked = await lockEmails(tx, workspaceId, [id])
  const emails = locked.filter(({ mailbox_id }) => !hiddenMailboxes.includes(mailbox_id))
  if (emails.length === 0) return undefined
  await deleteRows(tx, workspaceId, emails)
  return addressesOf(emails)
}

/** Deletes emails of a mailbox by their keys. Returns the addresses of their participants. */
export async function deleteEmailsByKeys(
  tx: Transaction,
  { workspaceId, id }: Pick<Mailbox, 'workspaceId' | 'id'>,
  messageKeys: readonly string[],
): Promise<{ readonly deleted: number; readonly addresses: string[] }> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.emails')
    .select('id')
    .where(equal({ workspace_id: workspaceId, mailbox_id: id, message_key: anyOf(messageKeys, 'text') }))
    .execute()
  return deleteAll(tx, workspaceId, rows.map((row) => row.id)) // prettier-ignore
}

/** Deletes up to 1,000 emails of a mailbox. Returns the addresses of their participants. */
export async function deletePartOfMailbox(
  tx: Transaction,
  { workspaceId, id }: Pick<Mailbox, 'workspaceId' | 'id'>,
): Promise<{ readonly deleted: number; readonly addresses: string[] }> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.emails')
    .select('id')
    .where(equal({ workspace_id: workspaceId, mailbox_id: id }))
    .limit(BATCH_SIZE)
    .execute()
  return deleteAll(tx, workspaceId, rows.map((row) => row.id)) // prettier-ignore
}

/** Which participants to take out of the emails of a mailbox. */
export interface Removal {
  readonly isRemoved: (address: string) => boolean
  /** Whether an address is the member's own. An email without another one is deleted. */
  readonly isOwn: (address: string) => boolean
  /** The `last` of the part before. */
  readonly after: string
}

export interface RemovedPart {
  /** Undefined at the end of the mailbox. */
  readonly last: string | undefined
  /** The keys of the deleted emails. */
  readonly deleted: readonly string[]
  /** The addresses of the participants of all changed and deleted emails. */
  readonly addresses: readonly string[]
}

/** Takes participants out of up to 1,000 emails, in the order of their keys. */
export async function removeFromPartOfMailbox(
  tx: Transaction,
  { workspaceId, id }: Pick<Mailbox, 'workspaceId' | 'id'>,
  { isRemoved, isOwn, after }: Removal,
): Promise<RemovedPart> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.emails')
    .select(['id', 'message_key', 'participants'])
    .where(equal({ workspace_id: workspaceId, mailbox_id: id }))
    .where('message_key', '>', after)
    .orderBy('message_key')
    .limit(BATCH_SIZE)
    .execute()
  const addressesIn = (text: string) => (JSON.parse(text) as EmailParticipant[]).map(([, address]) => address) // `insertEmails` wrote this form
  const affected = rows.filter(({ participants }) => addressesIn(participants).some(isRemoved))
  const emails = affected.length === 0 ? [] : await lockEmails(tx, workspaceId, affected.map((row) => row.id)) // prettier-ignore
  const isLeft = ({ participants }: LockedEmail) =>
    participants.some(([, address]) => !isRemoved(address) && !isOwn(address))
  const deleted = emails.filter((email) => !isLeft(email))
  const left = emails.filter(isLeft)
  const removed = new Set(addressesOf(emails).filter(isRemoved))
  await deleteRows(tx, workspaceId, deleted)
  await changeParticipants(tx, workspaceId, left, removed)
  const keys = keyRows(left, (participants) => participants.map(([, address]) => address).filter(isRemoved))
  await deleteKeys(tx, workspaceId, ADDRESSES, keys)
  const deletedIds = new Set(deleted.map((email) => email.id))
  return {
    last: rows.at(-1)?.message_key,
    deleted: rows.filter((row) => deletedIds.has(row.id)).map(({ message_key }) => message_key),
    addresses: addressesOf(emails),
  }
}

async function deleteAll(tx: Transaction, workspaceId: string, ids: readonly string[]) {
  const emails = ids.length === 0 ? [] : await lockEmails(tx, workspaceId, ids)
  await deleteRows(tx, workspaceId, emails)
  return { deleted: emails.length, addresses: addressesOf(emails) }
}

/**
 * Takes the addresses out of all emails, and deletes emails that have no participant left besides the member whose mailbox it is.
 * Returns the addresses of the participants of deleted emails.
 */
export async function removeParticipants(
  tx: Transaction,
  workspaceId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const removed = new Set(addresses)
  const affected = new Set<string>()
  for (;;) {
    const rows = await findAddressRows(tx, workspaceId, addresses)
    if (rows.length === 0) return [...affected]
    const ids = [...new Set(rows.map(({ id }) => id))]
    const emails = await lockEmails(tx, workspaceId, ids)
    const isLeft = ({ participants, member_address }: LockedEmail) =>
      participants.some(([, address]) => !removed.has(address) && address !== member_address)
    const deleted = emails.filter((email) => !isLeft(email))
    await deleteRows(tx, workspaceId, deleted)
    await changeParticipants(tx, workspaceId, emails.filter(isLeft), removed)
    // After this, the next batch has other rows.
    await deleteKeys(tx, workspaceId, ADDRESSES, rows)
    for (const address of addressesOf(deleted)) affected.add(address)
  }
}

/** A row of `email_addresses` or `email_domains`, whose members are its primary key. */
interface KeyRow {
  readonly id: string
  readonly sent_at: string
  readonly key: string
}

const findAddressRows = (tx: Transaction, workspaceId: string, addresses: readonly string[]): Promise<KeyRow[]> =>
  controlQueriesIn(tx)
    .selectFrom('relata.email_addresses')
    .select(['email_id as id', 'sent_at', 'email_address as key'])
    .where(equal({ workspace_id: workspaceId, email_address: anyOf(addresses, 'text') }))
    .limit(BATCH_SIZE)
    .execute()

async function lockEmails(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<LockedEmail[]> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.emails as e')
    .innerJoin('relata.mailboxes as m', onEqual({ 'm.workspace_id': 'e.workspace_id', 'm.id': 'e.mailbox_id' }))
    .innerJoin('relata.workspace_members as w', onEqual({ 'w.workspace_id': 'm.workspace_id', 'w.id': 'm.member_id' }))
    .select(['e.id', 'e.mailbox_id', 'e.sent_at', 'e.participants', 'w.email_address as member_address'])
    .where(equal({ 'e.workspace_id': workspaceId, 'e.id': anyOf(ids) }))
    .orderBy('e.id')
    .forUpdate('e')
    .execute()
  return rows.map((row) => ({ ...row, participants: JSON.parse(row.participants) as EmailParticipant[] })) // `insertEmails` wrote this form
}

async function changeParticipants(
  tx: Transaction,
  workspaceId: string,
  emails: readonly LockedEmail[],
  removed: ReadonlySet<string>,
): Promise<void> {
  if (emails.length === 0) return
  const left = emails.map((email) => ({
    id: email.id,
    participants: email.participants.filter(([, address]) => !removed.has(address)),
  }))
  const rows = expression<{ id: string; participants: string }>`json_to_recordset(${JSON.stringify(left)}::text::json)`
  await controlQueriesIn(tx)
    .updateTable('relata.emails as e')
    .from(rows.as<'l'>(expression`l(id uuid, participants jsonb)`))
    .set(({ ref }) => ({ participants: ref('l.participants') }))
    .where('e.workspace_id', '=', workspaceId)
    .whereRef('e.id', '=', 'l.id')
    .execute()
  // A text may name whom the participants do not.
  await clearTexts(
    tx,
    workspaceId,
    left.map(({ id }) => id),
  )
  const remaining = new Map(left.map(({ id, participants }) => [id, new Set(domainsIn(participants))]))
  await deleteKeys(
    tx,
    workspaceId,
    DOMAINS,
    keyRows(emails, domainsIn).filter(({ id, key }) => !remaining.get(id)?.has(key)),
  )
}

async function deleteRows(tx: Transaction, workspaceId: string, emails: readonly LockedEmail[]): Promise<void> {
  if (emails.length === 0) return
  await controlQueriesIn(tx)
    .with('deleted', (query) =>
      query
        .deleteFrom('relata.emails')
        .where(equal({ workspace_id: workspaceId, id: anyOf(emails.map(({ id }) => id)) }))
        .returning(['mailbox_id', 'message_key']),
    )
    .deleteFrom('relata.email_links as l')
    .using('deleted')
    .innerJoin('relata.mailboxes as m', 'm.id', 'deleted.mailbox_id')
    .where(equal({ 'l.workspace_id': workspaceId, 'm.workspace_id': workspaceId }))
    .whereRef('l.account_id', '=', 'm.account_id')
    .whereRef('l.message_key', '=', 'deleted.message_key')
    .execute()
  await deleteKeys(
    tx,
    workspaceId,
    ADDRESSES,
    keyRows(emails, (participants) => participants.map(([, address]) => address)),
  )
  await deleteKeys(tx, workspaceId, DOMAINS, keyRows(emails, domainsIn))
}

const keyRows = (
  emails: readonly LockedEmail[],
  keysOf: (participants: readonly EmailParticipant[]) => readonly string[],
): KeyRow[] =>
  emails.flatMap(({ id, sent_at, participants }) => keysOf(participants).map((key) => ({ id, sent_at, key })))

/** The tables that find emails by a key, and the column of the key. */
const ADDRESSES = ['relata.email_addresses', 'email_address'] as const
const DOMAINS = ['relata.email_domains', 'email_domain'] as const

/** Deletes rows of one of these tables. */
async function deleteKeys(
  tx: Transaction,
  workspaceId: string,
  [table, column]: typeof ADDRESSES | typeof DOMAINS,
  rows: readonly KeyRow[],
): Promise<void> {
  const queries = controlQueriesIn(tx)
  const given = expression<KeyRow>`json_to_recordset(${JSON.stringify(rows)}::text::json)`
  await queries
    .deleteFrom(queries.dynamic.table(table).as('k'))
    .using(given.as<'r'>(expression`r(id uuid, sent_at timestamptz, key text)`))
    .where('k.workspace_id', '=', workspaceId)
    .whereRef(queries.dynamic.ref<never>(`k.${column}`), '=', 'r.key')
    .whereRef('k.sent_at', '=', 'r.sent_at')
    .whereRef('k.email_id', '=', 'r.id')
    .execute()
}

const addressesOf = (emails: readonly LockedEmail[]): string[] => [
  ...new Set(emails.flatMap(({ participants }) => participants.map(([, address]) => address))),
]

const domainsIn = (participants: readonly EmailParticipant[]): string[] => [
  ...new Set(participants.flatMap(([, address]) => domainsOf(address))),
]
