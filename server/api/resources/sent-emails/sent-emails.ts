/** Queues, lists, reads and deletes the emails that a member sends. See docs/reference/sending-email.md. */

import type { ApiContext } from '#context'
import { runOnLookupPool, type Sql } from '#db/connect'
import type { ValidationIssue } from '#base/errors/api-error'
import {
  sendLimitReached,
  sendingNotPermitted,
  noSendingAccount,
  recipientsUnsubscribed,
  unknownTemplate,
  sentEmailNotFound,
} from '#base/errors/connected-accounts'
import { requireAllScopes, memberTokenRequired } from '#base/errors/access'
import { invalidBody, readId } from '#base/errors/http'
import {
  type FilledTemplate,
  fillTemplate,
  fillUnsubscribeUrl,
  findTemplate,
  type TemplateRow,
  unknownVariables,
  variablesOf,
} from '#crm/email/templates'
import { findUnsubscribed, signUnsubscribe } from '#crm/email/unsubscribing'
import { getObject } from '#engine/data-model/find'
import { unknownEmail, unknownFile } from '#base/errors/meetings'
import { newId } from '#base/ids'
import { sha256 } from '#base/text/sha256'
import { microsFromPostgres, timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import { domainOf, normaliseAddress } from '#crm/mailboxes/email'
import { findLinksOfSent, insertEmailLinks } from '#crm/mailboxes/email-links'
import type { Contact } from '#crm/mailboxes/linked-contacts'
import { findHiddenMailboxes, viewerOf } from '#crm/mailboxes/list-emails'
import { type LinkedRecord, lockLinkedRecords, parseLinkedRecords } from '#crm/meetings/parse-input'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import {
  findAttachments,
  type Recipient,
  type Attachment,
  attachmentsOf,
  recipientsOf,
} from '#transfer/connected-accounts/sending/compose'
import {
  countRecipients,
  type SentEmailRow,
  deleteSentEmailRow,
  findSentEmailRow,
  listSentEmailRows,
} from '#transfer/connected-accounts/sending/store'
import type { ImapSettings } from '#transfer/connected-accounts/settings'
import { type AccountRow, listAccounts, type MemberKey } from '#transfer/connected-accounts/store'
import { hasPermission } from '#vocabulary/roles'
import { isUuid } from '#vocabulary/uuids'
import { type EmailInput, MAX_RECIPIENTS, type SentEmailOutput, type SentEmailsQuery } from './schemas'
import { cursorsFor } from '#engine/query/run/cursor'

const HOUR = 3_600_000_000
const MAX_ATTACHED = 20_000_000

/** Throws 403 for callers who are no members, 400 for what cannot be sent, and 429 when the account has sent too much. */
export const sendEmail = (context: ApiContext, input: EmailInput): Promise<SentEmailOutput> =>
  retryOnConflict(context, (context) => queueEmail(context, input))

async function queueEmail(context: ApiContext, input: EmailInput): Promise<SentEmailOutput> {
  const { db, now, workers } = context
  const member = requirePermittedMember(context)
  const recipients = parseRecipients(input)
  const { account, answered } = await findAccountAndAnswered(context, member, input)
  const template = await findGivenTemplate(context, input.template_id)
  const { subject, text } = await textsOf(context, input, { answered, template })
  const unsubscribeUrl = template?.unsubscribe === true ? await linkFor(context, recipients) : null
  await refuseUnsubscribed(db.sql, member, recipients)
  await checkAttachments(context, input.attachment_file_ids ?? [])
  const links = linksOf(context, input)
  const created = await db.sql.begin(async (tx) => {
    const { count, first } = await countRecipients(tx, {
      workspaceId: member.workspaceId,
      accountId: account.id,
      since: now() - HOUR,
    })
    if (count + recipients.length > context.sendLimit) {
      const at = first === null ? now() : microsFromPostgres(first)
      throw sendLimitReached(context.sendLimit, new Date((at + HOUR) / 1000))
    }
    const message_id = `${crypto.randomUUID()}@${domainOf(account.email_address)}`
    const messageKey = sha256(message_id)
    const at = timestampFromMicros(now())
    await lockLinkedRecords(tx, context.model, links)
    await insertEmailLinks(tx, { workspaceId: member.workspaceId, accountId: account.id, messageKey, links }, now())
    return controlQueriesIn(tx)
      .insertInto('relata.sent_emails')
      .values({
        workspace_id: member.workspaceId,
        id: newId(),
        account_id: account.id,
        member_id: member.memberId,
        message_id,
        message_key: messageKey,
        from_address: account.email_address,
        from_name: await findName(tx, member),
        recipients: jsonb(recipients),
        subject,
        body_text: unsubscribeUrl === null ? text : fillUnsubscribeUrl(text, unsubscribeUrl),
        body_html: input.html ?? null,
        unsubscribe_url: unsubscribeUrl,
        attachments: jsonb((input.attachment_file_ids ?? []).map((id) => id.toLowerCase())),
        reply_to_key: answered?.messageKey ?? null,
        created_at: at,
        due_at: at,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
  workers?.wake('sent emails')
  return renderSentEmail(context, created as SentEmailRow) // the driver's type for the callback's result is wider
}

/** Throws 403 without the scopes of records, and 400 for an unknown object. */
function linksOf({ model, scopes }: ApiContext, { linked_records = [] }: EmailInput): LinkedRecord[] {
  if (linked_records.length > 0) requireAllScopes(scopes, ['record_permission:read', 'object_configuration:read'])
  return parseLinkedRecords(model, linked_records)
}

/** Throws 403 when the workspace does not permit its members to have accounts. */
function requirePermittedMember(context: ApiContext): MemberKey {
  const member = sendingMember(context)
  const { workspace, membersById } = context.model
  const accessLevel = membersById.get(member.memberId)?.access_level ?? 'suspended'
  if (!hasPermission({ accessLevel, memberPermissions: workspace.member_permissions }, 'connected_accounts'))
    throw sendingNotPermitted()
  return member
}

const issue = (path: (string | number)[], message: string): ValidationIssue => ({ code: 'invalid', path, message })

/** Each address once, with the first of its roles. */
function parseRecipients(input: EmailInput): Recipient[] {
  const issues: ValidationIssue[] = []
  const found = new Map<string, Recipient>()
  for (const role of ['to', 'cc', 'bcc'] as const)
    for (const [index, text] of (input[role] ?? []).entries()) {
      const address = normaliseAddress(text)
      if (address === undefined)
        issues.push({ ...issue(['data', role, index], 'Invalid email address'), code: 'invalid_string', string_validation: 'email' }) // prettier-ignore
      else if (!found.has(address)) found.set(address, [role, address])
    }
  if (issues.length > 0) throw invalidBody(issues)
  if (found.size === 0) throw invalidBody([issue(['data', 'to'], 'At least one recipient is required')])
  if (found.size > MAX_RECIPIENTS)
    throw invalidBody([{ ...issue(['data'], `An email has at most ${MAX_RECIPIENTS} recipients`), code: 'too_big' }])
  return [...found.values()]
}

/** The email that is answered, as it is in the mailbox of the account. */
interface Answered {
  readonly accountId: string
  readonly messageKey: string
  readonly subjectLine: string | null
}

/** The account that `from` names; without it, the one that has the answered email, or the first one. */
async function findAccountAndAnswered(
  context: ApiContext,
  member: MemberKey,
  { from, reply_to_email_id }: EmailInput,
): Promise<{ readonly account: AccountRow; readonly answered: Answered | undefined }> {
  const { sql } = context.db
  const address = from === undefined ? undefined : normaliseAddress(from)
  if (from !== undefined && address === undefined)
    throw invalidBody([{ ...issue(['data', 'from'], 'Invalid email address'), code: 'invalid_string' }])
  const accounts = (await listAccounts(sql, member)).filter(
    (row) => sends(row) && (address === undefined || row.email_address === address),
  )
  const [first] = accounts
  if (first === undefined) throw noSendingAccount(from)
  if (reply_to_email_id === undefined) return { account: first, answered: undefined }
  const copies = isUuid(reply_to_email_id) ? await findCopies(context, reply_to_email_id.toLowerCase()) : []
  for (const account of accounts) {
    const answered = copies.find(({ accountId }) => accountId === account.id)
    if (answered !== undefined) return { account, answered }
  }
  throw unknownEmail(reply_to_email_id)
}

const sends = ({ kind, state, settings }: AccountRow): boolean =>
  kind === 'imap' && state !== 'removing' && (JSON.parse(settings) as ImapSettings).smtp !== undefined

/** The email in the mailboxes of all accounts that have it, if the caller sees the named one. */
async function findCopies({ db, model, ...caller }: ApiContext, id: string): Promise<Answered[]> {
  const hidden = await findHiddenMailboxes(db.sql, model.workspace.id, viewerOf(caller))
  const rows = await controlQueriesIn(db.sql)
    .selectFrom('relata.emails as named')
    .innerJoin('relata.emails as e', (join) =>
      join.onRef('e.workspace_id', '=', 'named.workspace_id').onRef('e.message_key', '=', 'named.message_key'),
    )
    .innerJoin('relata.mailboxes as m', (join) =>
      join.onRef('m.workspace_id', '=', 'e.workspace_id').onRef('m.id', '=', 'e.mailbox_id'),
    )
    .select(['named.mailbox_id', 'm.account_id', 'e.message_key', 'e.subject_line'])
    .where(equal({ 'named.workspace_id': model.workspace.id, 'named.id': id }))
    .execute()
  return rows.flatMap(({ mailbox_id, account_id, message_key, subject_line }) =>
    account_id === null || hidden.includes(mailbox_id)
      ? []
      : [{ accountId: account_id, messageKey: message_key, subjectLine: subject_line }],
  )
}

const MAX_SUBJECT = 490

function replySubject(answered: Answered | undefined): string | undefined {
  if (answered === undefined) return undefined
  const subject = answered.subjectLine ?? ''
  return /^re:/i.test(subject) ? subject.slice(0, MAX_SUBJECT) : `Re: ${subject.slice(0, MAX_SUBJECT)}`
}

/** Throws 400 for an unknown template. */
async function findGivenTemplate({ db, model }: ApiContext, id: string | undefined): Promise<TemplateRow | undefined> {
  if (id === undefined) return undefined
  const template = await findTemplate(db.sql, model, id)
  if (template === undefined) throw unknownTemplate(id)
  return template
}

interface Sources {
  readonly answered: Answered | undefined
  readonly template: TemplateRow | undefined
}

/** Those of the request, else those of the template for the record. Throws 400 for a variable without a value. */
async function textsOf(context: ApiContext, input: EmailInput, { answered, template }: Sources) {
  const isFilled = template !== undefined && (input.subject === undefined || input.text === undefined)
  const filled = isFilled ? await fillFor(context, template, input) : undefined
  const subject = input.subject ?? filled?.subject ?? replySubject(answered)
  const text = input.text ?? filled?.text
  if (subject === undefined) throw invalidBody([issue(['data', 'subject'], 'subject is required')])
  if (text === undefined) throw invalidBody([issue(['data', 'text'], 'text is required')])
  return { subject, text }
}

async function fillFor(context: ApiContext, template: TemplateRow, { record_id }: EmailInput): Promise<FilledTemplate> {
  if (record_id === undefined)
    throw invalidBody([issue(['data', 'record_id'], 'record_id is required with template_id')])
  requireAllScopes(context.scopes, ['record_permission:read', 'object_configuration:read'])
  const object = getObject(context.model, template.object_id)
  const names = variablesOf(context.model, object, template.unsubscribe)
  const issues = [
    ...unknownVariables(template.subject, names, ['data', 'template_id']),
    ...unknownVariables(template.body, names, ['data', 'template_id']),
  ]
  if (issues.length > 0) throw invalidBody(issues)
  const filled = await fillTemplate(context, object, template, readId('Record', record_id))
  const [missing] = filled.missing
  if (missing !== undefined)
    throw invalidBody([issue(['data', 'template_id'], `The record has no ${missing}; {{${missing} | text}} has a text for this`)]) // prettier-ignore
  return filled
}

/** Each recipient has a link of their own. Throws 400 for several. */
async function linkFor({ db, model, appUrl }: ApiContext, recipients: readonly Recipient[]): Promise<string> {
  const [first, ...others] = recipients
  if (first === undefined || others.length > 0)
    throw invalidBody([issue(['data', 'to'], 'An email with a link for unsubscribing has one recipient')])
  return appUrl + (await signUnsubscribe(db, { workspaceId: model.workspace.id, address: first[1] }))
}

/** Throws 400 for addresses that unsubscribed. See docs/reference/emails.md (Unsubscribed addresses). */
async function refuseUnsubscribed(
  on: Sql,
  { workspaceId }: MemberKey,
  recipients: readonly Recipient[],
): Promise<void> {
  const addresses = recipients.map(([, address]) => address)
  const rows = await findUnsubscribed(on, workspaceId, addresses)
  if (rows.length > 0) throw recipientsUnsubscribed(rows.map(({ email_address }) => email_address))
}

/** Throws 400 for files that do not exist, that the member does not see, without a content, and that are too large together. */
async function checkAttachments({ db, model }: ApiContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const found = await findAttachments(
    db.sql,
    model.workspace.id,
    ids.filter(isUuid).map((id) => id.toLowerCase()),
  )
  let size = 0
  for (const id of ids) {
    const file = found.get(id.toLowerCase())
    if (file === undefined || isHiddenObjectId(model, file.objectId)) throw unknownFile(id)
    if (file.digest === null)
      throw invalidBody([issue(['data', 'attachment_file_ids'], `The file ${id} has no content`)])
    size += file.size
  }
  if (size > MAX_ATTACHED)
    throw invalidBody([{ ...issue(['data', 'attachment_file_ids'], 'Attachments have at most 20 MB together'), code: 'too_big' }]) // prettier-ignore
}

async function findName(on: Parameters<typeof controlQueriesIn>[0], member: MemberKey): Promise<string | null> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.workspace_members')
    .select(['first_name', 'last_name'])
    .where(equal({ workspace_id: member.workspaceId, id: member.memberId }))
    .executeTakeFirst()
  // A name is one line of a header.
  const name = [row?.first_name, row?.last_name]
    .join(' ')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
  return name === '' ? null : name
}

/** The routes are for members and for tokens that act for one. */
function sendingMember({ model, memberId }: ApiContext): MemberKey {
  if (memberId === undefined) throw memberTokenRequired()
  return { workspaceId: model.workspace.id, memberId }
}

interface SentEmailsPage {
  readonly data: SentEmailOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** The newest first. Throws 400 for a cursor of another list. */
export async function listSentEmails(context: ApiContext, query: SentEmailsQuery): Promise<SentEmailsPage> {
  const member = sendingMember(context)
  const { limit = 25, cursor, state } = query
  const cursors = await cursorsFor(context, { id: 'sent emails' }, query)
  const [createdAt, id] = cursor === undefined ? [] : cursors.decode(cursor)
  const after = cursor === undefined ? undefined : { createdAt: String(createdAt), id: String(id) }
  const rows = await listSentEmailRows(context.db.sql, member, { state, after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    data: await renderSentEmails(context, page),
    pagination: { next_cursor: last && rows.length > limit ? cursors.encode([last.created_at, last.id]) : null },
  }
}

/** Throws 404, and 400 when the id is not a UUID. */
export async function getSentEmail(context: ApiContext, sentEmailId: string): Promise<SentEmailOutput> {
  const member = sendingMember(context)
  const row = await findSentEmailRow(context.db.sql, member, readId('Sent email', sentEmailId))
  if (row === undefined) throw sentEmailNotFound(sentEmailId)
  return renderSentEmail(context, row)
}

/** Throws 404 for an email that is being sent or was sent, too. */
export async function deleteSentEmail(context: ApiContext, sentEmailId: string): Promise<object> {
  const member = sendingMember(context)
  const isDeleted = await deleteSentEmailRow(context.db.sql, member, readId('Sent email', sentEmailId))
  if (!isDeleted) throw sentEmailNotFound(sentEmailId)
  return {}
}

async function renderSentEmail(context: ApiContext, row: SentEmailRow): Promise<SentEmailOutput> {
  const [rendered] = await renderSentEmails(context, [row])
  return rendered as SentEmailOutput // one for each row
}

async function renderSentEmails(context: ApiContext, rows: readonly SentEmailRow[]): Promise<SentEmailOutput[]> {
  const ids = [...new Set(rows.flatMap(attachmentsOf))]
  const { db, model } = context
  const [files, links] = await Promise.all([
    findAttachments(db.sql, model.workspace.id, ids),
    runOnLookupPool(db, (sql) => findLinksOfSent(sql, model, rows)),
  ])
  return rows.map((row) => render(row, files, links.get(row.message_key) ?? []))
}

function render(row: SentEmailRow, files: ReadonlyMap<string, Attachment>, links: readonly Contact[]): SentEmailOutput {
  const refusals = new Map(JSON.parse(row.refused) as [string, string][]) // `markSent` wrote this form
  return {
    id: { workspace_id: row.workspace_id, sent_email_id: row.id },
    state: row.state as SentEmailOutput['state'], // the check of the column
    message_id: row.message_id,
    from: row.from_address,
    recipients: recipientsOf(row).map(([role, email_address]) => ({
      role,
      email_address,
      refusal: refusals.get(email_address) ?? null,
    })),
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    attachments: attachmentsOf(row).map((id) => {
      const file = files.get(id)
      return { file_id: id, name: file?.name ?? null, content_size: file?.size ?? null }
    }),
    is_reply: row.reply_to_key !== null,
    linked_records: links.map(({ object, id }) => ({
      object_slug: object.api_slug,
      object_id: object.id,
      record_id: id,
    })),
    error:
      row.error_code === null
        ? null
        : { code: row.error_code, message: row.error_message ?? '', answer: row.error_answer },
    next_attempt_at: row.state === 'queued' && row.leased_by === null ? timestampOrNull(row.due_at) : null,
    created_at: timestampFromPostgres(row.created_at),
    sent_at: timestampOrNull(row.sent_at),
  }
}
