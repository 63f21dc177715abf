/**
 * The statement of lists of emails, newest first. A list without a filter reads one range of `emails_sent`. Each address and
 * each domain of a filter is one range of a primary key, and PostgreSQL merges the ranges. See docs/reference/emails.md (Filters).
 */

import { type Database, type Sql, runOnLookupPool } from '#db/connect'
import { columnTexts, type Placeholder, selectRows, statementsByShape, typedParam } from '#engine/storage/statement'
import type { Direction, EmailParticipant, StoredEmail } from './email'

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

/** Lists of more addresses and domains take longer, so they have the time limit of queries. */
const FEW_KEYS = 20

export async function listEmailRows(
  db: Pick<Database, 'sql' | 'lookups' | 'queries'>,
  workspaceId: string,
  list: EmailList,
): Promise<StoredEmail[]> {
  const { addresses = [], domains = [] } = list.filter ?? {}
  const keyCount = addresses.length + domains.length
  if (list.filter !== undefined && keyCount === 0) return []
  const { sentAfter, sentBefore, place, limit } = list
  const page = { place_at: place?.sentAt, place_id: place?.id, limit }
  const texts = columnTexts({ workspace: workspaceId, addresses, domains, sentAfter, sentBefore, ...page })
  const send = (on: Sql) => selectRows<EmailRow>(on, statementOf(list), texts)
  const rows = await (keyCount > FEW_KEYS ? send(db.queries) : runOnLookupPool(db, send))
  return rows.map(parseRow)
}

const statementOf = statementsByShape(shapeOf, textOf)

function shapeOf({ filter, sentAfter, sentBefore, place }: EmailList): string {
  const given = [filter?.addresses.length, filter?.domains.length].map((count = 0) => count > 0)
  return [...given, ...[sentAfter, sentBefore, place].map((member) => member !== undefined)].join()
}

const COLUMNS = 'e.id, e.mailbox_id, m.member_id, e.sent_at, e.direction, e.subject_line, e.participants'

function textOf(param: Placeholder, list: EmailList): string {
  const workspace = typedParam(param, 'workspace', 'uuid')
  const limit = typedParam(param, 'limit', 'bigint')
  const mailboxOfEmail = `relata.mailboxes m on m.workspace_id = ${workspace} and m.id = e.mailbox_id`
  if (list.filter === undefined)
    return `
      select ${COLUMNS} from relata.emails e join ${mailboxOfEmail}
      where e.workspace_id = ${workspace} ${conditionsOf(param, list, 'id')} order by e.sent_at desc, e.id desc limit ${limit}`
  // An email may have several of the addresses.
  return `
    with page as materialized (
      select distinct sent_at, id from (${rangesOf(param, list.filter, list)}) ranges
      order by sent_at desc, id desc limit ${limit}
    )
    select ${COLUMNS}
    from page join relata.emails e on e.workspace_id = ${workspace} and e.id = page.id join ${mailboxOfEmail}
    order by page.sent_at desc, page.id desc`
}

function rangesOf(param: Placeholder, { addresses, domains }: AddressFilter, list: EmailList): string {
  const rangesIn = (name: keyof AddressFilter, controlTable: string, column: string) => `
    select r.sent_at, r.email_id as id from unnest(${typedParam(param, name, 'text[]')}) as k(key), lateral (
      select e.sent_at, e.email_id from ${controlTable} e
      where e.workspace_id = ${typedParam(param, 'workspace', 'uuid')} and e.${column} = k.key
        ${conditionsOf(param, list, 'email_id')}
      order by e.sent_at desc, e.email_id desc limit ${typedParam(param, 'limit', 'bigint')}) r`
  return [
    ...(addresses.length > 0 ? [rangesIn('addresses', 'relata.email_addresses', 'email_address')] : []),
    ...(domains.length > 0 ? [rangesIn('domains', 'relata.email_domains', 'email_domain')] : []),
  ].join(' union all ')
}

function conditionsOf(param: Placeholder, { sentAfter, sentBefore, place }: EmailList, id: 'id' | 'email_id'): string {
  const of = (name: string, type: string) => typedParam(param, name, type)
  return [
    ...(sentAfter === undefined ? [] : [`and e.sent_at > ${of('sentAfter', 'timestamptz')}`]),
    ...(sentBefore === undefined ? [] : [`and e.sent_at < ${of('sentBefore', 'timestamptz')}`]),
    ...(place === undefined
      ? []
      : [`and (e.sent_at, e.${id}) < (${of('place_at', 'timestamptz')}, ${of('place_id', 'uuid')})`]),
  ].join(' ')
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
  participants: JSON.parse(participants) as EmailParticipant[], // `insertEmails` wrote this form
})

const ADDRESSES_AT_ONCE = 1_000

/** The next addresses of participants of a mailbox's emails after `after`, in their order. */
export async function listMailboxAddresses(
  { control }: Pick<Database, 'control'>,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  after: string,
): Promise<string[]> {
  const rows = await control
    .selectFrom('relata.email_addresses as a')
    .select('a.email_address')
    .distinct()
    .where('a.workspace_id', '=', workspaceId)
    .where('a.email_address', '>', after)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('relata.emails as e')
          .select('e.id')
          .whereRef('e.workspace_id', '=', 'a.workspace_id')
          .whereRef('e.id', '=', 'a.email_id')
          .where('e.mailbox_id', '=', id),
      ),
    )
    .orderBy('a.email_address')
    .limit(ADDRESSES_AT_ONCE)
    .execute()
  return rows.map(({ email_address }) => email_address)
}
