/** Queries on connected accounts. */

import { type Selectable, sql as expression } from 'kysely'
import type { Database, SecretCipher, Sql, Transaction } from '#db/connect'
import type { ConnectedAccountsTable } from '#db/schema'
import { anyOf, controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { type Queue, type Taken, updateLeased } from '#engine/queue'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { AccountProblem } from './account-problem'
import { AccountLeaseLost, type ConnectedAccount } from './account'
import { type AccountProgress, type AccountSecret, type CalendarAddress, NO_PROGRESS, type Sharing } from './settings'

/** Whether the member of a row `q` may have connected accounts. */
export const mayHaveAccounts = () => expression<boolean>`exists (
  select from relata.workspace_members m join relata.workspaces w on w.id = m.workspace_id
  where m.workspace_id = q.workspace_id and m.id = q.member_id
    and (m.access_level = 'admin' or (m.access_level = 'member' and 'connected_accounts' = any(w.member_permissions))))`

/** A process that reads an account renews its lease. The account of a dead worker is due again at once. */
export const accountQueue = {
  table: 'relata.connected_accounts',
  id: 'id',
  lease: 120_000_000,
  // A copy of the database would read the same accounts, and change tokens of the original.
  sends: true,
  // The accounts of members who may not have any wait. Accounts that are being removed do not.
  isReady: () => expression<boolean>`(q.state = 'removing' or ${mayHaveAccounts()})`,
} as const satisfies Queue<'relata.connected_accounts'>

export type AccountRow = Selectable<ConnectedAccountsTable>
export type TakenAccount = Taken<'relata.connected_accounts'>

const secretRow = (workspaceId: string, id: string) =>
  ({ table: 'connected_accounts', key: [workspaceId, id] }) as const

export function accountFromRow(secrets: SecretCipher, row: AccountRow): ConnectedAccount {
  const { workspace_id: workspaceId, id, secret } = row
  return {
    workspaceId,
    id,
    memberId: row.member_id,
    kind: row.kind,
    emailAddress: row.email_address,
    settings: JSON.parse(row.settings),
    secret: secret === null ? undefined : readSecret(secrets.decrypt(secretRow(workspaceId, id), secret)),
    sharing: row.sharing as Sharing, // the check of the column
    historyDays: row.history_days,
    syncState: JSON.parse(row.sync_state),
    progress: progressOf(row),
    createdAt: microsFromPostgres(row.created_at),
  }
}

/** Whether the member may have connected accounts, or the account is being removed. */
export async function isPermitted(on: Sql, { workspace_id, id }: TakenAccount): Promise<boolean> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.connected_accounts as q')
    .select('q.id')
    .where(equal({ 'q.workspace_id': workspace_id, 'q.id': id }))
    .where(accountQueue.isReady())
    .executeTakeFirst()
  return row !== undefined
}

const readSecret = (text: string) => JSON.parse(text) as AccountSecret // `encryptAccountSecret` wrote it

/** Members that an earlier version did not store have their first value. */
export const progressOf = ({ progress }: Pick<AccountRow, 'progress'>): AccountProgress => ({
  ...NO_PROGRESS,
  ...JSON.parse(progress),
})

export const encryptAccountSecret = (
  { secrets }: Pick<Database, 'secrets'>,
  tx: Sql | Transaction,
  { workspaceId, id }: Pick<ConnectedAccount, 'workspaceId' | 'id'>,
  secret: AccountSecret | CalendarAddress,
): Promise<string> => secrets.encrypt(tx, secretRow(workspaceId, id), JSON.stringify(secret))

export interface MemberKey {
  readonly workspaceId: string
  readonly memberId: string
}

const ofMember = (on: Sql | Transaction, { workspaceId, memberId }: MemberKey) =>
  controlQueriesIn(on)
    .selectFrom('relata.connected_accounts')
    .selectAll()
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))

export const listAccounts = (on: Sql | Transaction, member: MemberKey): Promise<AccountRow[]> =>
  ofMember(on, member).orderBy('created_at').orderBy('id').execute()

export const findAccount = (on: Sql | Transaction, member: MemberKey, id: string): Promise<AccountRow | undefined> =>
  ofMember(on, member).where('id', '=', id).executeTakeFirst()

/** The accounts of the member whose server refuses the password. */
export const listRefusedAccounts = (on: Sql | Transaction, { workspaceId, memberId }: MemberKey) =>
  controlQueriesIn(on)
    .selectFrom('relata.connected_accounts')
    .select(['id', 'email_address'])
    .where(equal({ workspace_id: workspaceId, member_id: memberId, state: 'sign-in-required' }))
    .orderBy('created_at')
    .execute()

/** What the member changes. The lease of a process that reads the account ends, so that the change applies at once. */
export async function changeAccount(
  on: Sql | Transaction,
  member: MemberKey,
  id: string,
  changes: Partial<Pick<AccountRow, 'settings' | 'secret' | 'provider' | 'sharing' | 'history_days' | 'state'>>,
  { now, pending = [] }: { readonly now: Micros; readonly pending?: readonly PendingChange[] },
): Promise<AccountRow | undefined> {
  return controlQueriesIn(on)
    .updateTable('relata.connected_accounts')
    .set({ ...changes, ...dueNow(now), pending_changes: withPending(pending) })
    .where(equal({ workspace_id: member.workspaceId, member_id: member.memberId, id }))
    .where('state', '!=', 'removing')
    .returningAll()
    .executeTakeFirst()
}

const dueNow = (now: Micros) => ({ due_at: timestampFromMicros(now), attempts: 0, leased_by: null, worker: null })

const REMOVED = { state: 'removing', sharing: 'nothing', secret: null } as const
const WITHOUT_NAMES = { email_address: '', settings: JSON.stringify({ host: '', port: 1, security: 'tls', user: '' }) }

/** Has the worker delete an account with all that came from it. Colleagues see none of it from now on. No email is sent from it any more. */
export const removeAccount = (on: Sql | Transaction, member: MemberKey, id: string, now: Micros) =>
  changeAccount(on, member, id, REMOVED, { now })

/** The same for all accounts of a member who is erased. */
export async function removeAccountsOf(tx: Transaction, member: MemberKey, now: Micros): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.connected_accounts')
    .set({ ...REMOVED, ...WITHOUT_NAMES, ...dueNow(now) })
    .where(equal({ workspace_id: member.workspaceId, member_id: member.memberId }))
    .execute()
  await controlQueriesIn(tx)
    .deleteFrom('relata.sent_emails')
    .where(equal({ workspace_id: member.workspaceId, member_id: member.memberId }))
    .execute()
}

/** Changes of the member that the worker applies to what is stored. */
export type PendingChange = 'sharing' | 'exclusions'

const withPending = (added: readonly PendingChange[]) =>
  expression<string[]>`array(select distinct unnest(pending_changes || ${anyList(added)}))`

const anyList = (texts: readonly string[]) =>
  texts.length === 0 ? expression`'{}'::text[]` : expression`array[${expression.join(texts)}]::text[]`

/** The addresses and domains that the member never wants to be stored. */
export async function listExclusions(on: Sql | Transaction, { workspaceId, memberId }: MemberKey): Promise<string[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.excluded_addresses')
    .select('pattern')
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
    .orderBy('pattern')
    .execute()
  return rows.map(({ pattern }) => pattern)
}

/** Replaces the exclusions, and has the worker apply them to all accounts of the member. */
export async function replaceExclusions(
  tx: Transaction,
  { workspaceId, memberId }: MemberKey,
  patterns: readonly string[],
  now: Micros,
): Promise<void> {
  const queries = controlQueriesIn(tx)
  // Changes of the same member follow each other.
  await queries
    .selectFrom('relata.workspace_members')
    .select('id')
    .where(equal({ workspace_id: workspaceId, id: memberId }))
    .forNoKeyUpdate()
    .execute()
  await queries
    .deleteFrom('relata.excluded_addresses')
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
    .execute()
  if (patterns.length > 0)
    await queries
      .insertInto('relata.excluded_addresses')
      .values(patterns.map((pattern) => ({ workspace_id: workspaceId, member_id: memberId, pattern })))
      .execute()
  await queries
    .updateTable('relata.connected_accounts')
    .set({ ...dueNow(now), pending_changes: withPending(['exclusions']) })
    .where(equal({ workspace_id: workspaceId, member_id: memberId, state: anyOf(['active', 'failing'], 'text') }))
    .execute()
}

/** Has the email accounts of a workspace request the texts of their emails anew, if the workspace stores texts. */
export async function requestTextsAnew(tx: Transaction, workspaceId: string, now: Micros): Promise<void> {
  const ofWorkspace = controlQueriesIn(tx)
    .updateTable('relata.connected_accounts')
    .where(equal({ workspace_id: workspaceId, kind: 'imap' }))
  // A member of `ImapSyncState`.
  await ofWorkspace.set({ sync_state: expression`sync_state - 'hasRequestedTexts'` }).execute()
  await ofWorkspace
    .set(dueNow(now))
    .where('state', '=', anyOf(['active', 'failing'], 'text'))
    .execute()
}

/** Has other accounts read everything again. Those that are being removed have nothing to read. */
export async function rereadAccounts(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
  now: Micros,
): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.connected_accounts')
    .set({ ...dueNow(now), pending_changes: withPending(['exclusions']) })
    .where(equal({ workspace_id: workspaceId, id: anyOf(ids), state: anyOf(['active', 'failing'], 'text') }))
    .execute()
}

const leaseOf = ({ workspace_id, id, leased_by }: TakenAccount) => ({
  workspaceId: workspace_id,
  id,
  leaseId: leased_by,
})

/** Changes a taken account. Returns whether the lease still held. */
export const updateTaken = async (
  on: Sql | Transaction,
  taken: TakenAccount,
  changes: Readonly<Record<string, unknown>>,
): Promise<boolean> => (await updateLeased(on, accountQueue, leaseOf(taken), changes, 'id')) !== undefined

/** The row of a taken account, as long as its lease holds. */
const rowOfTaken = (on: Sql | Transaction, { workspace_id, id, leased_by }: TakenAccount) =>
  controlQueriesIn(on).selectFrom('relata.connected_accounts').where(equal({ workspace_id, id, leased_by }))

/** Whether the lease of a taken account holds. Then nobody changes the account until the transaction ends. */
export const holdTaken = async (tx: Transaction, taken: TakenAccount): Promise<boolean> =>
  (await rowOfTaken(tx, taken).select('id').forShare().executeTakeFirst()) !== undefined

/** The newest row of a taken account. Throws `AccountLeaseLost` when another process has it. */
export async function readTaken(on: Sql, taken: TakenAccount): Promise<TakenAccount> {
  const row = await rowOfTaken(on, taken).selectAll().executeTakeFirst()
  if (row === undefined) throw new AccountLeaseLost()
  return { ...row, leased_by: taken.leased_by }
}

/** What refers to the account is deleted with it. */
export async function deleteAccountRow(on: Sql, { workspace_id, id, leased_by }: TakenAccount): Promise<void> {
  await controlQueriesIn(on)
    .deleteFrom('relata.connected_accounts')
    .where(equal({ workspace_id, id, leased_by }))
    .execute()
}

export const withoutPending = (change: PendingChange) =>
  expression<string[]>`array_remove(q.pending_changes, ${change})`

/** The columns of an account whose synchronisation failed. */
export const failedWith = ({ code, message, answer }: AccountProblem, state: AccountRow['state'], now: Micros) => ({
  state,
  error_code: code,
  error_message: message,
  error_answer: answer,
  failing_since: expression`coalesce(q.failing_since, ${timestampFromMicros(now)}::timestamptz)`,
  failures: expression`q.failures + 1`,
})

/** The columns of an account that works. */
export const WITHOUT_FAILURE = {
  state: 'active',
  error_code: null,
  error_message: null,
  error_answer: null,
  failing_since: null,
  failures: 0,
}
