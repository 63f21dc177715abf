/** Deletes emails, and takes participants out of them. See docs/reference/emails.md (Deletion) and docs/reference/trash.md. */

import { renderArray, type Transaction } from '#db/connect'
import { domainsOf, type EmailParticipant } from './email'

/** Emails that are changed at once, so that those of a person with very many fit into memory. */
const BATCH_SIZE = 1_000

interface LockedEmail {
  readonly id: string
  readonly sent_at: string
  readonly participants: readonly EmailParticipant[]
  /** The address of the member whose mailbox it is. */
  readonly member_address: string
}

/** Deletes an email. Returns the addresses of its participants; undefined if it does not exist. */
export async function deleteEmail(tx: Transaction, workspaceId: string, id: string): Promise<string[] | undefined> {
  const emails = await lockEmails(tx, workspaceId, [id])
  if (emails.length === 0) return undefined
  await deleteRows(tx, workspaceId, emails)
  return addressesOf(emails)
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
    await deleteAddresses(tx, workspaceId, rows)
    for (const address of addressesOf(deleted)) affected.add(address)
  }
}

/** A row of `email_addresses` or `email_domains`, whose members are its primary key. */
interface KeyRow {
  readonly id: string
  readonly sent_at: string
  readonly key: string
}

async function findAddressRows(tx: Transaction, workspaceId: string, addresses: readonly string[]): Promise<KeyRow[]> {
  return tx<KeyRow[]>`
    select email_id as id, sent_at, email_address as key from relata.email_addresses
    where workspace_id = ${workspaceId} and email_address = any(${renderArray(addresses)}::text[]) limit ${BATCH_SIZE}`
}

async function lockEmails(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<LockedEmail[]> {
  const rows = await tx<(Omit<LockedEmail, 'participants'> & { participants: string })[]>`
    select e.id, e.sent_at, e.participants, w.email_address as member_address
    from relata.emails e
    join relata.mailboxes m on m.workspace_id = e.workspace_id and m.id = e.mailbox_id
    join relata.workspace_members w on w.workspace_id = m.workspace_id and w.id = m.member_id
    where e.workspace_id = ${workspaceId} and e.id = any(${renderArray(ids)}::uuid[]) order by e.id for update of e`
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
  await tx`
    update relata.emails e set participants = l.participants
    from json_to_recordset(${JSON.stringify(left)}::text::json) as l(id uuid, participants jsonb)
    where e.workspace_id = ${workspaceId} and e.id = l.id`
  const remaining = new Map(left.map(({ id, participants }) => [id, new Set(domainsIn(participants))]))
  const rows = keyRows(emails, domainsIn)
  await deleteDomains(
    tx,
    workspaceId,
    rows.filter(({ id, key }) => !remaining.get(id)?.has(key)),
  )
}

async function deleteRows(tx: Transaction, workspaceId: string, emails: readonly LockedEmail[]): Promise<void> {
  if (emails.length === 0) return
  const ids = renderArray(emails.map(({ id }) => id))
  await tx`delete from relata.emails where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`
  await deleteAddresses(
    tx,
    workspaceId,
    keyRows(emails, (participants) => participants.map(([, address]) => address)),
  )
  await deleteDomains(tx, workspaceId, keyRows(emails, domainsIn))
}

const keyRows = (
  emails: readonly LockedEmail[],
  keysOf: (participants: readonly EmailParticipant[]) => readonly string[],
): KeyRow[] =>
  emails.flatMap(({ id, sent_at, participants }) => keysOf(participants).map((key) => ({ id, sent_at, key })))

async function deleteAddresses(tx: Transaction, workspaceId: string, rows: readonly KeyRow[]): Promise<void> {
  await tx`
    delete from relata.email_addresses a
    using json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, sent_at timestamptz, key text)
    where a.workspace_id = ${workspaceId} and a.email_address = r.key and a.sent_at = r.sent_at and a.email_id = r.id`
}

async function deleteDomains(tx: Transaction, workspaceId: string, rows: readonly KeyRow[]): Promise<void> {
  await tx`
    delete from relata.email_domains d
    using json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, sent_at timestamptz, key text)
    where d.workspace_id = ${workspaceId} and d.email_domain = r.key and d.sent_at = r.sent_at and d.email_id = r.id`
}

const addressesOf = (emails: readonly LockedEmail[]): string[] => [
  ...new Set(emails.flatMap(({ participants }) => participants.map(([, address]) => address))),
]

const domainsIn = (participants: readonly EmailParticipant[]): string[] => [
  ...new Set(participants.flatMap(([, address]) => domainsOf(address))),
]
