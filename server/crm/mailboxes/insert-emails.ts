/** Opens mailboxes and inserts imported emails. The insert does not change an email that is already in the mailbox. See docs/decisions/meetings-and-emails.md. */

import { sql } from 'kysely'
import { type Database, renderArray, type Sql, type Transaction } from '#db/connect'
import { newId } from '#base/ids'
import { domainsOf, type StoredEmail } from './email'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Member } from '#engine/data-model/model'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

export interface NewEmail extends Omit<StoredEmail, 'id' | 'mailboxId' | 'memberId' | 'hasText'> {
  /** The hash that identifies the email in its mailbox. */
  readonly messageKey: string
  readonly threadKey: string
}

/** Returns how many of them were new. */
export async function insertEmails(
  on: Sql | Transaction,
  { workspaceId, id: mailboxId, owner }: Mailbox,
  emails: readonly NewEmail[],
): Promise<number> {
  if (emails.length === 0) return 0
  const given = JSON.stringify(emails.map(toRow))
  const { rows } = await sql<{ count: number }>`
    with given as materialized (
      select * from json_to_recordset(${given}::text::json) as g(id uuid, message_key text, thread_key text,
        sent_at timestamptz, direction text, subject_line text, participants jsonb, addresses json, domains json)
    ), inserted as (
      insert into relata.emails
        (workspace_id, mailbox_id, id, message_key, thread_key, sent_at, direction, subject_line, participants)
      select ${workspaceId}::uuid, ${mailboxId}::uuid, id, message_key, thread_key, sent_at, direction, subject_line, participants
      -- In this order, two imports of the same emails wait for each other without a deadlock.
      from given order by message_key
      on conflict (workspace_id, mailbox_id, message_key) do nothing returning id
    ), addresses as (
      insert into relata.email_addresses (workspace_id, email_address, sent_at, email_id, owner)
      select ${workspaceId}::uuid, a.value, g.sent_at, g.id, ${owner}::int
      from given g join inserted using (id), json_array_elements_text(g.addresses) as a(value)
    ), domains as (
      insert into relata.email_domains (workspace_id, email_domain, sent_at, email_id, owner)
      select ${workspaceId}::uuid, d.value, g.sent_at, g.id, ${owner}::int
      from given g join inserted using (id), json_array_elements_text(g.domains) as d(value)
    )
    select count(*)::int as count from inserted`.execute(controlQueriesIn(on))
  return rows[0]?.count ?? 0
}

function toRow({ messageKey, threadKey, sentAt, direction, subjectLine, participants }: NewEmail) {
  const addresses = [...new Set(participants.map(([, address]) => address))]
  return {
    id: newId(),
    message_key: messageKey,
    thread_key: threadKey,
    sent_at: sentAt,
    direction,
    subject_line: subjectLine,
    participants,
    addresses,
    domains: [...new Set(addresses.flatMap(domainsOf))],
  }
}

/** The threads of emails in the mailbox, by the keys of the emails. */
export async function findThreads(
  on: Sql | Transaction,
  { workspaceId, id }: Mailbox,
  messageKeys: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (messageKeys.length === 0) return new Map()
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.emails')
    .select(['message_key', 'thread_key'])
    .where(equal({ workspace_id: workspaceId, mailbox_id: id }))
    .where(sql<boolean>`message_key = any(${renderArray(messageKeys)}::text[])`)
    .execute()
  return new Map(rows.map(({ message_key, thread_key }) => [message_key, thread_key]))
}

/** The mailbox of a member. */
export interface Mailbox {
  readonly id: string
  readonly workspaceId: string
  /** The number of the actor of its member. */
  readonly owner: number
}

/** The member's mailbox for imported files; for an account, that of the account. The first call creates it. */
export async function openMailbox(
  db: Pick<Database, 'control'>,
  workspaceId: string,
  member: Member,
  now: Micros,
  accountId: string | null = null,
): Promise<Mailbox> {
  const key = { workspace_id: workspaceId, member_id: member.id, account_id: accountId }
  await db.control
    .insertInto('relata.mailboxes')
    .values({ ...key, id: newId(), created_at: timestampFromMicros(now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await db.control
    .selectFrom('relata.mailboxes')
    .select('id')
    .where(equal({ workspace_id: workspaceId, member_id: member.id }))
    .where('account_id', accountId === null ? 'is' : '=', accountId)
    .executeTakeFirstOrThrow()
  return { id, workspaceId, owner: member.actor }
}
