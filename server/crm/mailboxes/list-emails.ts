/**
 * The statement of lists of emails, newest first. A list without a filter reads one range of `emails_sent`. Each address and
 * each domain of a filter is one range of a primary key, and PostgreSQL merges the ranges with the emails that were sent from the
 * records of the filter. See docs/reference/emails.md (Filters).
 */

import { type Database, runOnLookupPool, type ReadPools, runRead, type Sql, type Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { controlQueriesIn, equal, onEqual } from '#engine/data-model/kysely-in-transaction'
import {
  columnTexts,
  compileStatement,
  type Placeholder,
  selectRows,
  statementsByShape,
  typedParam,
} from '#engine/storage/statement'
import { attachmentsIn, type EmailText, NO_TEXT } from './email-texts'
import type { Direction, EmailParticipant, StoredEmail } from './email'

/** An email meets it that has one of the addresses or one of the domains. */
export interface AddressFilter {
  readonly addresses: readonly string[]
  readonly domains: readonly string[]
}

/** Emails that were sent from one of the records meet it, too. */
export interface EmailFilter extends AddressFilter {
  readonly recordIds?: readonly string[]
}

/** The place of an email in the order. */
export interface EmailPlace {
  readonly sentAt: string
  readonly id: string
}

export interface EmailList {
  /** Undefined: emails of all addresses. */
  readonly filter: EmailFilter | undefined
  /** Both bounds are exclusive. */
  readonly sentAfter?: string | undefined
  readonly sentBefore?: string | undefined
  /** Only emails after this place in the order, which are older. */
  readonly place?: EmailPlace | undefined
  readonly limit: number
  /** The member who reads. Others see of a connected account only what its member shares. */
  readonly viewer: string | undefined
  /** Whether an email that is in several mailboxes is listed once. */
  readonly isDistinct?: boolean
  /** Whether to look for texts. */
  readonly looksForTexts?: boolean
  /** Only the email with this id. */
  readonly id?: string
}

/** The member who reads: a person, or a token that acts for one. A key or an app of the workspace is no member. */
export const viewerOf = ({ memberId, clientId }: Pick<RequestContext, 'memberId' | 'clientId'>): string | undefined =>
  clientId === undefined ? memberId : undefined

/** The mailboxes of connected accounts whose members share nothing. `viewer` sees the own ones. */
export async function findHiddenMailboxes(
  on: Sql | Transaction,
  workspaceId: string,
  viewer: string | undefined,
): Promise<string[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.connected_accounts as a')
    .innerJoin('relata.mailboxes as m', onEqual({ 'm.workspace_id': 'a.workspace_id', 'm.account_id': 'a.id' }))
    .select('m.id')
    .where(equal({ 'a.workspace_id': workspaceId, 'a.sharing': 'nothing' }))
    .$if(viewer !== undefined, (query) => query.where('a.member_id', '!=', viewer ?? ''))
    .execute()
  return rows.map(({ id }) => id)
}

interface EmailRow {
  readonly id: string
  readonly mailbox_id: string
  readonly member_id: string
  readonly sent_at: string
  readonly direction: Direction
  readonly subject_line: string | null
  readonly participants: string
  readonly has_text: boolean
}

/** Lists of more addresses and domains take longer, so they have the time limit of queries. */
const FEW_KEYS = 20

export async function listEmailRows(db: Database, workspaceId: string, asked: EmailList): Promise<StoredEmail[]> {
  const { addresses = [], domains = [], recordIds: records = [] } = asked.filter ?? {}
  const keyCount = addresses.length + domains.length + records.length
  if (asked.filter !== undefined && keyCount === 0) return []
  const hidden = await runOnLookupPool(db, (on) => findHiddenMailboxes(on, workspaceId, asked.viewer))
  const list = { ...asked, hidden }
  const { sentAfter, sentBefore, place, limit, viewer, id } = list
  const page = { place_at: place?.sentAt, place_id: place?.id, limit, viewer, hidden, id }
  const texts = columnTexts({ workspace: workspaceId, addresses, domains, records, sentAfter, sentBefore, ...page })
  const send = (on: Sql) => selectRows<EmailRow>(on, statementOf(list), texts)
  const sendOn = (pools: ReadPools) => (keyCount > FEW_KEYS ? send(pools.queries) : runOnLookupPool(pools, send))
  const rows = await (id === undefined ? runRead(db, sendOn) : sendOn(db))
  return rows.map(parseRow)
}

const statementOf = statementsByShape(shapeOf, textOf)

interface ResolvedList extends EmailList {
  readonly hidden: readonly string[]
}

function shapeOf(list: ResolvedList): string {
  const { filter, sentAfter, sentBefore, place, id, hidden, isDistinct = false, looksForTexts = false } = list
  const counts = [filter?.addresses.length, filter?.domains.length, filter?.recordIds?.length, hidden.length]
  const given = counts.map((count = 0) => count > 0)
  const isGiven = [sentAfter, sentBefore, place, id].map((member) => member !== undefined)
  return [...given, isDistinct, looksForTexts, ...isGiven].join()
}

const COLUMNS = 'e.id, e.mailbox_id, m.member_id, e.sent_at, e.direction, e.participants'

function textOf(param: Placeholder, list: ResolvedList): string {
  const workspace = typedParam(param, 'workspace', 'uuid')
  const limit = typedParam(param, 'limit', 'bigint')
  const mailboxOfEmail = `relata.mailboxes m on m.workspace_id = ${workspace} and m.id = e.mailbox_id
    left join relata.connected_accounts a on a.workspace_id = m.workspace_id and a.id = m.account_id`
  const subject = `case when a.sharing <> 'everything' and m.member_id is distinct from ${typedParam(param, 'viewer', 'uuid')}
    then null else e.subject_line end as subject_line`
  // An aggregate, as below.
  const text = `(select count(*) from ${textsOfMessage(param)}) > 0 as has_text`
  const columns = [COLUMNS, subject, ...(list.looksForTexts === true ? [text] : ['false as has_text'])].join()
  if (list.filter === undefined)
    return `
      select ${columns} from relata.emails e join ${mailboxOfEmail}
      where e.workspace_id = ${workspace} ${conditionsOf(param, list, 'id')} order by e.sent_at desc, e.id desc limit ${limit}`
  // An email may have several of the addresses.
  return `
    with page as materialized (
      select distinct sent_at, id from (${rangesOf(param, list.filter, list)}) ranges
      order by sent_at desc, id desc limit ${limit}
    )
    select ${columns}
    from page join relata.emails e on e.workspace_id = ${workspace} and e.id = page.id join ${mailboxOfEmail}
    order by page.sent_at desc, page.id desc`
}

function rangesOf(param: Placeholder, { addresses, domains, recordIds = [] }: EmailFilter, list: ResolvedList): string {
  const rangesIn = (name: keyof AddressFilter, controlTable: string, column: string) => `
    select r.sent_at, r.email_id as id from unnest(${typedParam(param, name, 'text[]')}) as k(key), lateral (
      select e.sent_at, e.email_id from ${controlTable} e
      where e.workspace_id = ${typedParam(param, 'workspace', 'uuid')} and e.${column} = k.key
        ${conditionsOf(param, list, 'email_id')}
      order by e.sent_at desc, e.email_id desc limit ${typedParam(param, 'limit', 'bigint')}) r`
  return [
    ...(addresses.length > 0 ? [rangesIn('addresses', 'relata.email_addresses', 'email_address')] : []),
    ...(domains.length > 0 ? [rangesIn('domains', 'relata.email_domains', 'email_domain')] : []),
    ...(recordIds.length > 0 ? [sentFrom(param, list)] : []),
  ].join(' union all ')
}

/**
 * The emails that were sent from records. Of an email that is listed once, the copy that lists by addresses have. With `limit`, PostgreSQL looks
 * up each email by its key, and never reads all emails of a time.
 */
function sentFrom(param: Placeholder, list: ResolvedList): string {
  const { hidden, isDistinct = false } = list
  const workspace = typedParam(param, 'workspace', 'uuid')
  const isVisible = (mailbox: string) =>
    hidden.length === 0 ? '' : `and ${mailbox} <> all(${typedParam(param, 'hidden', 'uuid[]')})`
  const listedId = isDistinct
    ? `(select o.id from relata.emails o where o.workspace_id = ${workspace} and o.sent_at = s.sent_at
        and o.message_key = s.message_key ${isVisible('o.mailbox_id')} order by o.id desc limit 1)`
    : 's.id'
  return `
    (select e.sent_at, e.id from (
      select s.sent_at, ${listedId} as id from relata.email_links l
      join relata.mailboxes m on m.workspace_id = ${workspace} and m.account_id = l.account_id ${isVisible('m.id')}
      cross join lateral (
        select s.sent_at, s.id, s.message_key from relata.emails s
        where s.workspace_id = ${workspace} and s.mailbox_id = m.id and s.message_key = l.message_key limit 1) s
      where l.workspace_id = ${workspace} and l.record_id = any(${typedParam(param, 'records', 'uuid[]')})) e
    where true ${boundsOf(param, list, 'id')}
    order by e.sent_at desc, e.id desc limit ${typedParam(param, 'limit', 'bigint')})`
}

function conditionsOf(param: Placeholder, list: ResolvedList, id: 'id' | 'email_id'): string {
  const { hidden, isDistinct = false } = list
  const of = (name: string, type: string) => typedParam(param, name, type)
  const isVisible = (mailbox: string) => (hidden.length === 0 ? '' : `and ${mailbox} <> all(${of('hidden', 'uuid[]')})`)
  // As aggregates, PostgreSQL looks them up for each email of the range, and never joins all emails.
  const email = `relata.emails x where x.workspace_id = ${of('workspace', 'uuid')} and x.id = e.${id}`
  return [
    ...(list.id === undefined ? [] : [`and e.${id} = ${of('id', 'uuid')}`]),
    ...(hidden.length === 0 ? [] : [`and (select count(*) from ${email} ${isVisible('x.mailbox_id')}) = 1`]),
    ...(isDistinct
      ? [
          `and (select count(*) from relata.emails o where o.workspace_id = ${of('workspace', 'uuid')} and o.sent_at = e.sent_at and o.id > e.${id}
            ${isVisible('o.mailbox_id')} and o.message_key = (select x.message_key from ${email})) = 0`,
        ]
      : []),
    boundsOf(param, list, id),
  ].join(' ')
}

function boundsOf(param: Placeholder, { sentAfter, sentBefore, place }: ResolvedList, id: 'id' | 'email_id'): string {
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
  has_text,
}: EmailRow): StoredEmail => ({
  id,
  mailboxId: mailbox_id,
  memberId: member_id,
  sentAt: sent_at,
  direction,
  subjectLine: subject_line,
  participants: JSON.parse(participants) as EmailParticipant[], // `insertEmails` wrote this form
  hasText: has_text,
})

/** The texts `t` of the message of an email `e`, in the mailboxes `x` of all accounts `c` that have it, as far as `viewer` may read them. */
const textsOfMessage = (param: Placeholder): string => `relata.emails o
  join relata.email_texts t on t.workspace_id = o.workspace_id and t.email_id = o.id
  join relata.mailboxes x on x.workspace_id = o.workspace_id and x.id = o.mailbox_id
  join relata.connected_accounts c on c.workspace_id = x.workspace_id and c.id = x.account_id
  where o.workspace_id = e.workspace_id and o.sent_at = e.sent_at and o.message_key = e.message_key
    and (t.text is not null or t.attachments <> '[]')
    and (c.sharing = 'everything' or x.member_id = ${typedParam(param, 'viewer', 'uuid')})`

interface TextRow {
  readonly text: string | null
  readonly is_cut: boolean
  readonly attachments: string
}

/** The email's own text comes before that of the same message in another mailbox. */
const TEXT_OF_EMAIL = compileStatement(
  (param) => `
    select v.text, v.is_cut, v.attachments
    from relata.emails e, lateral (select t.text, t.is_cut, t.attachments, o.id from ${textsOfMessage(param)}) v
    where e.workspace_id = ${typedParam(param, 'workspace', 'uuid')} and e.id = ${typedParam(param, 'id', 'uuid')}
    order by v.text is null, v.id <> e.id, v.id limit 1`,
)

/** The text of an email as `viewer` may read it. */
export async function findText(
  on: Sql,
  workspaceId: string,
  id: string,
  viewer: string | undefined,
): Promise<EmailText> {
  const [row] = await selectRows<TextRow>(on, TEXT_OF_EMAIL, columnTexts({ workspace: workspaceId, id, viewer }))
  return row === undefined
    ? NO_TEXT
    : { text: row.text, isCut: row.is_cut, attachments: attachmentsIn(row.attachments) }
}

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
