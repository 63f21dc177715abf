/**
 * The statement of lists of emails, newest first. A list without a filter reads one range of `emails_sent`. Each address and
 * each domain of a filter is one range of a primary key, and PostgreSQL merges the ranges. See docs/reference/emails.md (Filters).
 */

import { type RawBuilder, sql } from 'kysely'
import { renderArray, type Sql } from '../../db/connect'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'
import type { Direction, Participant, StoredEmail } from './email'

/** An email meets it that has one of the addresses or one of the domains. */
export interface AddressFilter {
  readonly addresses: readonly string[]
  readonly domains: readonly string[]
}

/** The place of an email in the order. */
export interface EmailPlace {
  readonly sentAt: string
  readonly id: string
}

export interface EmailList {
  /** Undefined: emails of all addresses. */
  readonly filter: AddressFilter | undefined
  /** Both bounds are exclusive. */
  readonly sentAfter?: string | undefined
  readonly sentBefore?: string | undefined
  /** Only emails after this place in the order, which are older. */
  readonly place?: EmailPlace | undefined
  readonly limit: number
}

interface EmailRow {
  readonly id: string
  readonly mailbox_id: string
  readonly member_id: string
  readonly sent_at: string
  readonly direction: Direction
  readonly subject_line: string | null
  readonly participants: string
}

export async function listEmailRows(db: Sql, workspaceId: string, list: EmailList): Promise<StoredEmail[]> {
  if (list.filter?.addresses.length === 0 && list.filter.domains.length === 0) return []
  const { rows } = await sql<EmailRow>`
    with page as materialized (
      select sent_at, id from (${rangesOf(workspaceId, list)}) ranges order by sent_at desc, id desc limit ${list.limit}
    )
    select e.id, e.mailbox_id, m.member_id, e.sent_at, e.direction, e.subject_line, e.participants
    from page join relata.emails e on e.workspace_id = ${workspaceId} and e.id = page.id
      join relata.mailboxes m on m.workspace_id = ${workspaceId} and m.id = e.mailbox_id
    order by page.sent_at desc, page.id desc`.execute(controlQueriesIn(db))
  return rows.map(parseRow)
}

function rangesOf(workspaceId: string, list: EmailList): RawBuilder<unknown> {
  const { filter, limit } = list
  if (filter === undefined)
    return sql`
      select sent_at, id from relata.emails where workspace_id = ${workspaceId} ${conditionsOf(list, 'id')}
      order by sent_at desc, id desc limit ${limit}`
  const rangesIn = (table: string, column: string, keys: readonly string[]) => sql`
    select r.sent_at, r.email_id as id from unnest(${renderArray(keys)}::text[]) as k(key), lateral (
      select sent_at, email_id from ${sql.raw(table)}
      where workspace_id = ${workspaceId} and ${sql.raw(column)} = k.key ${conditionsOf(list, 'email_id')}
      order by sent_at desc, email_id desc limit ${limit}) r`
  const ranges = [
    ...(filter.addresses.length > 0 ? [rangesIn('relata.email_addresses', 'email_address', filter.addresses)] : []),
    ...(filter.domains.length > 0 ? [rangesIn('relata.email_domains', 'email_domain', filter.domains)] : []),
  ]
  // An email may have several of the addresses.
  return sql`select distinct sent_at, id from (${sql.join(ranges, sql` union all `)}) each_range`
}

function conditionsOf({ sentAfter, sentBefore, place }: EmailList, id: 'id' | 'email_id'): RawBuilder<unknown> {
  const conditions: RawBuilder<unknown>[] = []
  if (sentAfter !== undefined) conditions.push(sql`and sent_at > ${sentAfter}::timestamptz`)
  if (sentBefore !== undefined) conditions.push(sql`and sent_at < ${sentBefore}::timestamptz`)
  if (place !== undefined)
    conditions.push(sql`and (sent_at, ${sql.raw(id)}) < (${place.sentAt}::timestamptz, ${place.id}::uuid)`)
  return sql.join(conditions, sql` `)
}

const parseRow = ({
  id,
  mailbox_id,
  member_id,
  sent_at,
  direction,
  subject_line,
  participants,
}: EmailRow): StoredEmail => ({
  id,
  mailboxId: mailbox_id,
  memberId: member_id,
  sentAt: sent_at,
  direction,
  subjectLine: subject_line,
  participants: JSON.parse(participants) as Participant[], // `insertEmails` wrote this form
})
