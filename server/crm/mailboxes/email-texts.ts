/** The texts of emails, which a workspace stores only when it is set to. See docs/decisions/email-texts.md. */

import { sql as expression } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { anyOf, controlQueriesIn, equal, hasRow } from '#engine/data-model/kysely-in-transaction'
import type { Mailbox } from './insert-emails'

export interface EmailAttachment {
  readonly name: string | null
  readonly content_type: string
  /** In bytes. Null where the server does not say it. */
  readonly size: number | null
}

export interface EmailText {
  /** Null for an email without a text, and for one whose text is not stored. */
  readonly text: string | null
  /** Whether the email says more than the stored text. */
  readonly isCut: boolean
  readonly attachments: readonly EmailAttachment[]
}

/** The attachments of a row. */
export const attachmentsIn = (stored: string): EmailAttachment[] =>
  // `saveTexts` wrote this form.
  (JSON.parse(stored) as [string | null, string, number | null][]).map(([name, content_type, size]) => ({
    name,
    content_type,
    size,
  }))

export const NO_TEXT: EmailText = { text: null, isCut: false, attachments: [] }

/** Whether the workspace stores texts. In a transaction, the setting stays until its end. */
export const storesTexts = (on: Sql | Transaction, workspaceId: string): Promise<boolean> =>
  hasRow(
    controlQueriesIn(on)
      .selectFrom('relata.workspaces')
      .select('id')
      .where(equal({ id: workspaceId, stores_email_texts: true }))
      .forShare(),
  )

type MailboxKey = Pick<Mailbox, 'workspaceId' | 'id'>

/** Notes that the texts of these emails are to be read. Those that were read stay. */
export async function requestTexts(
  tx: Transaction,
  { workspaceId, id }: MailboxKey,
  messageKeys: readonly string[],
): Promise<void> {
  if (messageKeys.length === 0) return
  await controlQueriesIn(tx)
    .insertInto('relata.email_texts')
    .columns(['workspace_id', 'email_id', 'mailbox_id', 'sent_at'])
    .expression(({ selectFrom }) =>
      selectFrom('relata.emails')
        .select(['workspace_id', 'id', 'mailbox_id', 'sent_at'])
        .where(equal({ workspace_id: workspaceId, mailbox_id: id, message_key: anyOf(messageKeys, 'text') })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Emails whose texts are requested at once. */
const BATCH_SIZE = 1_000

/** The same for a part of the emails of a mailbox, in the order of their keys. Returns the key of the last one; undefined at the end. */
export async function requestPartOfTexts(
  tx: Transaction,
  mailbox: MailboxKey,
  after: string,
): Promise<string | undefined> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.emails')
    .select('message_key')
    .where(equal({ workspace_id: mailbox.workspaceId, mailbox_id: mailbox.id }))
    .where('message_key', '>', after)
    .orderBy('message_key')
    .limit(BATCH_SIZE)
    .execute()
  const keys = rows.map(({ message_key }) => message_key)
  await requestTexts(tx, mailbox, keys)
  return keys.at(-1)
}

/** The text of the email with this key in a mailbox. */
export interface MessageText extends EmailText {
  readonly messageKey: string
}

/** Stores the texts of emails of a mailbox, also of those whose texts were not requested. */
export async function saveTexts(
  tx: Transaction,
  { workspaceId, id }: MailboxKey,
  texts: readonly MessageText[],
  now: Micros,
): Promise<void> {
  if (texts.length === 0) return
  const rows = texts.map(({ messageKey, text, isCut, attachments }) => ({
    message_key: messageKey,
    text,
    is_cut: isCut,
    attachments: attachments.map(({ name, content_type, size }) => [name, content_type, size]),
  }))
  const given = expression<GivenText>`json_to_recordset(${JSON.stringify(rows)}::text::json)`
  await controlQueriesIn(tx)
    .insertInto('relata.email_texts')
    .columns(['workspace_id', 'email_id', 'mailbox_id', 'sent_at', 'read_at', 'text', 'is_cut', 'attachments'])
    .expression(({ selectFrom }) =>
      selectFrom('relata.emails as e')
        .innerJoin(
          given.as<'g'>(expression`g(message_key text, text text, is_cut boolean, attachments jsonb)`),
          (join) => join.onRef('g.message_key', '=', 'e.message_key'),
        )
        .select(['e.workspace_id', 'e.id', 'e.mailbox_id', 'e.sent_at'])
        .select(expression<string>`${timestampFromMicros(now)}::timestamptz`.as('read_at'))
        .select(['g.text', 'g.is_cut', 'g.attachments'])
        .where(equal({ 'e.workspace_id': workspaceId, 'e.mailbox_id': id })),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'email_id']).doUpdateSet(({ ref }) => ({
        read_at: ref('excluded.read_at'),
        text: ref('excluded.text'),
        is_cut: ref('excluded.is_cut'),
        attachments: ref('excluded.attachments'),
      })),
    )
    .execute()
}

interface GivenText {
  readonly message_key: string
  readonly text: string | null
  readonly is_cut: boolean
  readonly attachments: string
}

/** Deletes the stored texts of these emails. They are not read again. */
export async function clearTexts(tx: Transaction, workspaceId: string, emailIds: readonly string[]): Promise<void> {
  if (emailIds.length === 0) return
  await controlQueriesIn(tx)
    .updateTable('relata.email_texts')
    .set({ text: null, is_cut: false, attachments: '[]' })
    .where(equal({ workspace_id: workspaceId, email_id: anyOf(emailIds) }))
    .where('read_at', 'is not', null)
    .execute()
}

/** How many texts of a mailbox are to be read. */
export async function countUnreadTexts(on: Sql, { workspaceId, id }: MailboxKey): Promise<number> {
  const { count } = await controlQueriesIn(on)
    .selectFrom('relata.email_texts')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where(equal({ workspace_id: workspaceId, mailbox_id: id }))
    .where('read_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes texts of workspaces that store none any more. Returns how many. */
export async function deleteUnwantedTexts(
  { sql }: Pick<Database, 'sql'>,
  _now: Micros,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .with(
      (cte) => cte('unwanted').materialized(),
      (query) =>
        query
          .selectFrom('relata.all_workspaces as w')
          .innerJoinLateral(
            (from) =>
              from
                .selectFrom('relata.email_texts as t')
                .select(['t.workspace_id', 't.email_id'])
                .whereRef('t.workspace_id', '=', 'w.id')
                .limit(limit)
                .forUpdate()
                .skipLocked()
                .as('t'),
            (join) => join.onTrue(),
          )
          .select(['t.workspace_id', 't.email_id'])
          .where('w.stores_email_texts', '=', false)
          .limit(limit),
    )
    .deleteFrom('relata.email_texts as t')
    .using('unwanted')
    .whereRef('t.workspace_id', '=', 'unwanted.workspace_id')
    .whereRef('t.email_id', '=', 'unwanted.email_id')
    .executeTakeFirst()
  return Number(numDeletedRows)
}
