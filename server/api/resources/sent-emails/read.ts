/** Lists, reads and deletes the emails that a member sends. See docs/reference/sending-email.md. */

import type { ApiContext } from '#context'
import { memberTokenRequired } from '#base/errors/access'
import { sentEmailNotFound } from '#base/errors/connected-accounts'
import { readId } from '#base/errors/http'
import { timestampFromPostgres } from '#base/timing/clock'
import { cursorsFor } from '#engine/query/run/cursor'
import {
  type Attachment,
  attachmentsOf,
  findAttachments,
  recipientsOf,
} from '#transfer/connected-accounts/sending/compose'
import {
  deleteSentEmailRow,
  findSentEmailRow,
  listSentEmailRows,
  type SentEmailRow,
} from '#transfer/connected-accounts/sending/store'
import type { MemberKey } from '#transfer/connected-accounts/store'
import type { SentEmailOutput, SentEmailsQuery } from './schemas'

/** The routes are for members and for tokens that act for one. */
export function sendingMember({ model, memberId }: ApiContext): MemberKey {
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

export async function renderSentEmail(context: ApiContext, row: SentEmailRow): Promise<SentEmailOutput> {
  const files = await findAttachments(context.db.sql, context.model.workspace.id, attachmentsOf(row))
  return render(row, files)
}

async function renderSentEmails(context: ApiContext, rows: readonly SentEmailRow[]): Promise<SentEmailOutput[]> {
  const ids = [...new Set(rows.flatMap(attachmentsOf))]
  const files = await findAttachments(context.db.sql, context.model.workspace.id, ids)
  return rows.map((row) => render(row, files))
}

function render(row: SentEmailRow, files: ReadonlyMap<string, Attachment>): SentEmailOutput {
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
    error:
      row.error_code === null
        ? null
        : { code: row.error_code, message: row.error_message ?? '', answer: row.error_answer },
    next_attempt_at: row.state === 'queued' && row.leased_by === null ? renderTime(row.due_at) : null,
    created_at: timestampFromPostgres(row.created_at),
    sent_at: renderTime(row.sent_at),
  }
}

const renderTime = (time: string | null): string | null => (time === null ? null : timestampFromPostgres(time))
