/**
 * What the service stores of a person besides records, entries and history, a statement for each kind. Columns with secrets are left out.
 * See docs/privacy.md.
 */

import { renderArray, type Transaction } from '#db/connect'

/** What the statements search for. */
export interface PersonParameters {
  readonly workspaceId: string
  readonly recordIds: readonly string[]
  readonly addresses: readonly string[]
  readonly expression: string
  readonly likes: readonly string[]
  readonly memberIds: readonly string[]
  readonly accountIds: readonly string[]
}

interface Subject {
  /** The name of its file, without the extension. */
  readonly name: string
  readonly table: string
  /** A condition over the row `t` and the parameters `s`. */
  readonly where: string
  /** Columns that are left out. */
  readonly secrets?: readonly string[]
  /** Whether other members keep the rows to themselves, so that only the operator exports them. */
  readonly isPrivate?: true
  /** How many rows are read at once. Fewer where rows are large. */
  readonly batch?: number
}

/** The terms of the person in any of these expressions. */
const mentions = (...texts: string[]): string =>
  `(${texts.map((text) => `(lower(${text}) like any(s.likes) and ${text} ~* s.expression)`).join(' or ')})`

const ofRecord = (column: string): string => `t.${column} = any((select records from s)::uuid[])`

const MEETINGS = `(select p.meeting_id from relata.meeting_participants p
    where p.workspace_id = (select workspace_id from s) and p.email_address = any((select addresses from s)::text[])
  union select l.meeting_id from relata.meeting_links l
    where l.workspace_id = (select workspace_id from s) and l.record_id = any((select records from s)::uuid[]))`
const RECORDINGS = `(select c.id from relata.call_recordings c
    where c.workspace_id = (select workspace_id from s) and c.meeting_id in ${MEETINGS})`
/** Whether an email is one of an address of the person, or was sent from a record of the person. */
const isOfPerson = (
  emailId: string,
) => `(${emailId} in (select a.email_id from relata.email_addresses a where a.workspace_id = (select workspace_id from s)
      and a.email_address = any((select addresses from s)::text[]))
    or ${emailId} in (select e.id from relata.email_links l
      join relata.mailboxes m on m.workspace_id = l.workspace_id and m.account_id = l.account_id
      join relata.emails e on e.workspace_id = m.workspace_id and e.mailbox_id = m.id and e.message_key = l.message_key
      where l.workspace_id = (select workspace_id from s) and l.record_id = any((select records from s)::uuid[])))`
const EMAILS = `${isOfPerson('t.id')} or ${mentions('t.subject_line')}`
const EMAIL_TEXTS = `t.read_at is not null and (${isOfPerson('t.email_id')} or ${mentions('t.text', 't.attachments::text')})`
const IS_RESTRICTED = `exists (select from relata.mailboxes m
    join relata.connected_accounts c on c.workspace_id = m.workspace_id and c.id = m.account_id
    where m.workspace_id = t.workspace_id and m.id = t.mailbox_id and c.sharing <> 'everything')`
/** Whether only connected calendars have the meeting, and none of their members shares everything. */
const isRestrictedMeeting = (meetingId: string) =>
  `coalesce((select bool_and(c.sharing <> 'everything') from relata.synced_meetings y
    join relata.connected_accounts c on c.workspace_id = y.workspace_id and c.id = y.account_id
    where y.workspace_id = t.workspace_id and y.meeting_id = ${meetingId}), false)`
const MEETING = `(t.id in ${MEETINGS} or ${mentions('t.title', 't.description')})`
const PARTICIPATION = `(t.email_address = any(s.addresses) or ${mentions('t.name')})`
const ACCOUNT = 't.account_id = any(s.accounts)'

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'notes',
    table: 'notes',
    where: `${ofRecord('parent_record_id')} or ${mentions('t.title', 't.content::text')}`,
    batch: 50,
  },
  {
    name: 'tasks',
    table: 'tasks',
    where: `t.id in (select k.task_id from relata.task_links k where k.workspace_id = s.workspace_id
      and k.record_id = any((select records from s)::uuid[])) or ${mentions('t.content')}`,
  },
  { name: 'threads', table: 'threads', where: ofRecord('record_id') },
  {
    name: 'comments',
    table: 'comments',
    where: `${ofRecord('record_id')} or t.author_id = any(s.members) or ${mentions('t.content::text')}`,
    batch: 100,
  },
  {
    name: 'meetings',
    table: 'meetings',
    where: `${MEETING} and not ${isRestrictedMeeting('t.id')}`,
    batch: 100,
  },
  {
    name: 'meeting-participations',
    table: 'meeting_participants',
    where: `${PARTICIPATION} and not ${isRestrictedMeeting('t.meeting_id')}`,
  },
  // Of connected calendars whose members do not share everything.
  {
    name: 'restricted-meetings',
    table: 'meetings',
    where: `${MEETING} and ${isRestrictedMeeting('t.id')}`,
    isPrivate: true,
    batch: 100,
  },
  {
    name: 'restricted-meeting-participations',
    table: 'meeting_participants',
    where: `${PARTICIPATION} and ${isRestrictedMeeting('t.meeting_id')}`,
    isPrivate: true,
  },
  { name: 'call-recordings', table: 'call_recordings', where: `t.meeting_id in ${MEETINGS}`, secrets: ['blob_digest'] },
  {
    name: 'transcripts',
    table: 'call_recording_transcripts',
    where: `t.call_recording_id in ${RECORDINGS} or ${mentions('t.raw_transcript')}`,
    secrets: ['lexemes'],
    batch: 5,
  },
  { name: 'emails', table: 'emails', where: `(${EMAILS}) and not ${IS_RESTRICTED}` },
  // Of connected accounts whose members do not share everything.
  { name: 'restricted-emails', table: 'emails', where: `(${EMAILS}) and ${IS_RESTRICTED}`, isPrivate: true },
  { name: 'email-texts', table: 'email_texts', where: `(${EMAIL_TEXTS}) and not ${IS_RESTRICTED}`, batch: 50 },
  {
    name: 'restricted-email-texts',
    table: 'email_texts',
    where: `(${EMAIL_TEXTS}) and ${IS_RESTRICTED}`,
    isPrivate: true,
    batch: 50,
  },
  {
    name: 'connected-accounts',
    table: 'connected_accounts',
    where: `t.member_id = any(s.members) or lower(t.email_address) = any(s.addresses)`,
    secrets: ['secret'],
    isPrivate: true,
  },
  {
    name: 'excluded-addresses',
    table: 'excluded_addresses',
    where: `t.member_id = any(s.members) or t.pattern = any(s.addresses)`,
    isPrivate: true,
  },
  {
    name: 'sent-emails',
    table: 'sent_emails',
    where: `t.member_id = any(s.members) or exists (
      select from jsonb_array_elements(t.recipients) r where r->>1 = any(s.addresses))`,
    isPrivate: true,
  },
  {
    name: 'files',
    table: 'files',
    where: `${ofRecord('record_id')} or ${mentions('t.name')}`,
    secrets: ['blob_digest'],
  },
  {
    name: 'events',
    table: 'events',
    where: `t.body->'id'->>'record_id' = any(s.record_texts) or t.body->>'parent_record_id' = any(s.record_texts)
      or ${mentions('t.body::text')}`,
  },
  {
    name: 'webhook-deliveries',
    table: 'deliveries',
    where: `${ofRecord('record_id')} or ${mentions('t.body')}`,
    secrets: ['rights'],
    batch: 100,
  },
  {
    name: 'audit-log',
    table: 'audit_log',
    where: `t.actor_id = any(s.member_texts) or t.subject_id = any(s.member_texts || s.record_texts || s.account_texts)
      or t.account_id = any(s.accounts) or ${mentions('t.subject_name', 't.details::text')}`,
  },
  {
    name: 'invitations',
    table: 'invitations',
    where: `lower(t.email_address) = any(s.addresses)`,
    secrets: ['token_hash'],
  },
  { name: 'unsubscriptions', table: 'unsubscribed_emails', where: `lower(t.email_address) = any(s.addresses)` },
  { name: 'import-problems', table: 'import_problems', where: mentions('t.value', 't.reason') },
  { name: 'jobs', table: 'jobs', where: mentions('t.filter::text', 't.operation::text'), isPrivate: true },
  { name: 'views', table: 'views', where: mentions('t.title', 't.filter::text'), isPrivate: true },
  {
    name: 'sql-queries',
    table: 'query_history',
    where: `t.member_id = any(s.members) or ${mentions('t.sql')}`,
    isPrivate: true,
  },
  {
    name: 'saved-queries',
    table: 'saved_queries',
    where: `t.member_id = any(s.members) or ${mentions('t.name', 't.sql')}`,
  },
  { name: 'assistant-calls', table: 'tool_calls', where: mentions('t.subject'), isPrivate: true },
  { name: 'recent-requests', table: 'recent_requests', where: mentions('t.requests') },
  { name: 'scim-requests', table: 'scim_requests', where: mentions('t.path', 't.detail') },
  { name: 'member', table: 'workspace_members', where: 't.id = any(s.members)' },
  { name: 'member-notifications', table: 'notifications', where: 't.member_id = any(s.members)', isPrivate: true },
  { name: 'member-followed-records', table: 'record_followers', where: 't.member_id = any(s.members)' },
  { name: 'member-teams', table: 'team_members', where: 't.member_id = any(s.members)' },
  { name: 'member-dashboard-schedules', table: 'dashboard_schedules', where: 't.member_id = any(s.members)' },
  {
    name: 'member-tokens',
    table: 'tokens',
    where: 't.authorized_by_workspace_member_id = any(s.members)',
    secrets: ['token_hash'],
  },
  { name: 'account', table: 'accounts', where: 't.id = any(s.accounts)', secrets: ['password_hash'] },
  { name: 'account-sessions', table: 'sessions', where: ACCOUNT, secrets: ['token_hash', 'provider_sign_out_url'] },
  { name: 'account-passkeys', table: 'passkeys', where: ACCOUNT, secrets: ['public_key', 'credential_id'] },
  { name: 'account-sign-in-providers', table: 'provider_identities', where: ACCOUNT },
]

/** Tables whose rows belong to an account and not to a workspace. */
const OF_ACCOUNTS = new Set(['accounts', 'sessions', 'passkeys', 'provider_identities'])

const DEFAULT_BATCH = 500

/** The rows of a kind as JSON, in batches. */
export async function* readSubject(
  tx: Transaction,
  subject: Subject,
  given: PersonParameters,
): AsyncGenerator<string[]> {
  const parameters = [
    given.workspaceId,
    renderArray(given.recordIds),
    renderArray(given.addresses),
    given.expression,
    renderArray(given.likes),
    renderArray(given.memberIds),
    renderArray(given.accountIds),
  ]
  const rows = tx.unsafe<{ line: string }[]>(subjectStatement(subject), parameters)
  for await (const batch of rows.cursor(subject.batch ?? DEFAULT_BATCH)) yield batch.map(({ line }) => line)
}

/** The statement of the rows as JSON. Its parameters are those of `readSubject`. */
function subjectStatement({ table, where, secrets = [] }: Subject): string {
  const ofWorkspace = OF_ACCOUNTS.has(table) ? '' : 't.workspace_id = s.workspace_id and '
  const left = ['workspace_id', ...secrets].map((column) => ` - '${column}'`).join('')
  return `
    with s as (
      select $1::uuid as workspace_id, $2::uuid[] as records, $3::text[] as addresses, $4::text as expression,
        $5::text[] as likes, $6::uuid[] as members, $7::uuid[] as accounts,
        $2::text[] as record_texts, $6::text[] as member_texts, $7::text[] as account_texts)
    select (to_jsonb(t)${left})::text as line from relata.${table} t, s where ${ofWorkspace}(${where})`
}
