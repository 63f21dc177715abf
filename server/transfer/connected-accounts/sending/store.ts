/** Queries on the emails that members send from their accounts. See docs/decisions/sending-email.md. */

import { type QueryCreator, type Selectable, sql as expression } from 'kysely'
import type { Database, Sql, Transaction } from '#db/connect'
import type { DB, SentEmailsTable } from '#db/schema'
import { anyOf, controlQueriesIn, jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import { type Queue, released, type Taken, updateLeased } from '#engine/queue'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { mayHaveAccounts, type MemberKey } from '#transfer/connected-accounts/store'
import type { RefusedRecipient } from './smtp'

export const sentEmailQueue = {
  table: 'relata.sent_emails',
  id: 'id',
  // `worker.ts` gives an email up earlier.
  lease: 600_000_000,
  sends: true,
  // Emails of members who may not have accounts wait, too.
  isReady: () => expression<boolean>`(${mayHaveAccounts()} and exists (
    select from relata.connected_accounts a
    where a.workspace_id = q.workspace_id and a.id = q.account_id and a.state <> 'removing'))`,
} as const satisfies Queue<'relata.sent_emails'>

export type SentEmailRow = Selectable<SentEmailsTable>
export type TakenEmail = Taken<'relata.sent_emails'>

/** Changes an email that the process has taken. Returns whether the lease still held. */
export async function updateTakenEmail(
  on: Sql | Transaction,
  { workspace_id, id, leased_by }: TakenEmail,
  changes: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const lease = { workspaceId: workspace_id, id, leaseId: leased_by }
  return (await updateLeased(on, sentEmailQueue, lease, changes, 'id')) !== undefined
}

const WITHOUT_BODY = { body_text: null, body_html: null }
const WITHOUT_ERROR = { error_code: null, error_message: null, error_answer: null, failures: 0 }

/**
 * Stores that the server has accepted an email. The process that began to send it knows, whatever another one has made of the row
 * meanwhile.
 */
export async function markSent(
  tx: Transaction,
  { workspace_id, id }: TakenEmail,
  {
    at,
    refused,
    needsCopy,
  }: { readonly at: Micros; readonly refused: readonly RefusedRecipient[]; readonly needsCopy: boolean },
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.sent_emails')
    .set({
      state: 'sent',
      sent_at: timestampFromMicros(at),
      refused: jsonb(refused.map(({ email_address, answer }) => [email_address, answer])),
      needs_copy: needsCopy,
      ...WITHOUT_ERROR,
      ...(needsCopy ? {} : WITHOUT_BODY),
      ...released(needsCopy ? at : null),
    })
    .where(equal({ workspace_id, id, state: anyOf(['sending', 'unknown'], 'text') }))
    .execute()
}

/** The folder of sent messages has its copy, or gets none. */
export const finishCopy = (db: Database, taken: TakenEmail): Promise<boolean> =>
  updateTakenEmail(db.sql, taken, { needs_copy: false, ...WITHOUT_ERROR, ...WITHOUT_BODY, ...released(null) })

/** Emails whose outcome was unknown are sent after all: the server has them in a folder. */
export async function markFound(
  tx: Transaction,
  account: { readonly workspaceId: string; readonly id: string },
  messageKeys: readonly string[],
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.sent_emails')
    .set({ state: 'sent', sent_at: expression`created_at`, ...WITHOUT_ERROR, ...WITHOUT_BODY })
    .where(
      equal({
        workspace_id: account.workspaceId,
        account_id: account.id,
        message_key: anyOf(messageKeys, 'text'),
        state: 'unknown',
      }),
    )
    .execute()
}

/** Whether the service has read the email in a folder of the account. */
export async function isInFolder(on: Sql, { workspace_id, account_id, message_key }: TakenEmail): Promise<boolean> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.synced_messages')
    .select('uid')
    .where(equal({ workspace_id, account_id, message_key }))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export interface SendLimit {
  readonly workspaceId: string
  readonly accountId: string
  readonly since: Micros
}

/** How many recipients the emails of an account have had since a time, and when the first of these was written. Others wait until the transaction ends. */
export async function countRecipients(
  tx: Transaction,
  { workspaceId, accountId, since }: SendLimit,
): Promise<{ readonly count: number; readonly first: string | null }> {
  await controlQueriesIn(tx)
    .selectFrom('relata.connected_accounts')
    .select('id')
    .where(equal({ workspace_id: workspaceId, id: accountId }))
    .forNoKeyUpdate()
    .execute()
  const row = await controlQueriesIn(tx)
    .selectFrom('relata.sent_emails')
    .select(({ fn }) => [
      fn.min('created_at').as('first'),
      expression<number>`coalesce(sum(jsonb_array_length(recipients)), 0)::int`.as('count'),
    ])
    .where(equal({ workspace_id: workspaceId, account_id: accountId }))
    .where('created_at', '>', timestampFromMicros(since))
    .executeTakeFirstOrThrow()
  return { count: row.count, first: row.first }
}

const ofMember = (on: Sql, { workspaceId, memberId }: MemberKey) =>
  controlQueriesIn(on)
    .selectFrom('relata.sent_emails')
    .selectAll()
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))

export interface SentEmailPage {
  readonly state: string | undefined
  /** The last email of the page before. */
  readonly after: { readonly createdAt: string; readonly id: string } | undefined
  readonly limit: number
}

/** The newest first. */
export const listSentEmailRows = (
  on: Sql,
  member: MemberKey,
  { state, after, limit }: SentEmailPage,
): Promise<SentEmailRow[]> =>
  ofMember(on, member)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? ''))
    .$if(after !== undefined, (query) =>
      query.where(
        expression<boolean>`(created_at, id) < (${after?.createdAt ?? ''}::timestamptz, ${after?.id ?? ''}::uuid)`,
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

export const findSentEmailRow = (on: Sql, member: MemberKey, id: string): Promise<SentEmailRow | undefined> =>
  ofMember(on, member).where('id', '=', id).executeTakeFirst()

/** Deletes an email that is not being sent and was not sent. Returns whether there was one. */
export async function deleteSentEmailRow(on: Sql, { workspaceId, memberId }: MemberKey, id: string): Promise<boolean> {
  const row = await controlQueriesIn(on)
    .with('deleted', (query) =>
      query
        .deleteFrom('relata.sent_emails')
        .where(
          equal({
            workspace_id: workspaceId,
            member_id: memberId,
            id,
            state: anyOf(['queued', 'failed', 'unknown'], 'text'),
          }),
        )
        .returning(['workspace_id', 'account_id', 'message_key']),
    )
    .with('links', deleteLinksOfDeleted)
    .selectFrom('deleted')
    .select('message_key')
    .executeTakeFirst()
  return row !== undefined
}

/** A step of a statement that deletes the links of emails that no mailbox has. */
const deleteLinksOfDeleted = (query: QueryCreator<DB & { deleted: SentEmailKey }>) =>
  query
    .deleteFrom('relata.email_links as l')
    .using('deleted')
    .whereRef('l.workspace_id', '=', 'deleted.workspace_id')
    .whereRef('l.account_id', '=', 'deleted.account_id')
    .whereRef('l.message_key', '=', 'deleted.message_key')
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('relata.mailboxes as m')
            .innerJoin('relata.emails as e', (join) =>
              join.onRef('e.workspace_id', '=', 'm.workspace_id').onRef('e.mailbox_id', '=', 'm.id'),
            )
            .select('e.id')
            .whereRef('m.workspace_id', '=', 'deleted.workspace_id')
            .whereRef('m.account_id', '=', 'deleted.account_id')
            .whereRef('e.message_key', '=', 'deleted.message_key'),
        ),
      ),
    )

type SentEmailKey = Pick<SentEmailRow, 'workspace_id' | 'account_id' | 'message_key'>

const KEPT = 30 * 86_400_000_000

/** Deletes emails that were written more than 30 days ago. Returns how many. */
export async function deleteOldSentEmails({ sql }: Database, now: Micros, limit: number): Promise<number> {
  const { count } = await controlQueriesIn(sql)
    .with(
      (cte) => cte('old').materialized(),
      (query) =>
        query
          .selectFrom('relata.sent_emails')
          .select(['workspace_id', 'id'])
          .where('created_at', '<', timestampFromMicros(now - KEPT))
          .where('state', '!=', 'sending')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
    )
    .with('deleted', (query) =>
      query
        .deleteFrom('relata.sent_emails as s')
        .using('old')
        .whereRef('s.workspace_id', '=', 'old.workspace_id')
        .whereRef('s.id', '=', 'old.id')
        .returning(['s.workspace_id', 's.account_id', 's.message_key']),
    )
    .with('links', deleteLinksOfDeleted)
    .selectFrom('deleted')
    .select((each) => each.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}
