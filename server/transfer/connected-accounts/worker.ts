/**
 * Reads connected accounts: one process at a time works on an account, for as long as its server sends news. See
 * docs/decisions/connected-accounts.md.
 */

import { languageOfEmail } from '#access/accounts/accounts'
import type { Selectable } from 'kysely'
import type { AppContext } from '#context'
import { accountSignInEmail } from '#crm/email/account-emails'
import { queueWorker, released, renewed, takeOne } from '#engine/queue'
import { jsonb } from '#engine/data-model/kysely-in-transaction'
import type { LogFailure } from '#base/timing/worker-statistics'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { runPeriodically } from '#base/timing/run-periodically'
import { AccountProblem } from './account-problem'
import { endToken, withFreshToken } from './sign-in/refresh-tokens'
import { AccountLeaseLost, type AccountRun } from './account'
import { kindOf } from './kinds'
import type { IcsSettings } from './settings'
import {
  accountFromRow,
  accountQueue,
  deleteAccountRow,
  failedWith,
  holdTaken,
  isPermitted,
  type PendingChange,
  readTaken,
  type TakenAccount,
  updateTaken,
  WITHOUT_FAILURE,
  withoutPending,
} from './store'

type AccountContext = Pick<AppContext, 'db' | 'now' | 'models' | 'blobs' | 'mail' | 'settings' | 'accountServers'>

/** Each has a connection to its server. Accounts beyond them wait for a slot. */
const SLOTS = 200
const RENEW_MS = 20_000

/** A lease lasts six times as long as `renewMs`. */
export const accountWorker = ({ renewMs = RENEW_MS }: { readonly renewMs?: number } = {}) =>
  queueWorker<AccountContext>({
    name: 'connected accounts',
    does: 'reads connected accounts',
    queue: accountQueue,
    everyMs: 2_000,
    slots: SLOTS,
    take: takeOne(accountQueue, ({ context, logFailure, stopping }, taken) =>
      workOn({ ...context, logFailure, renewMs }, taken, stopping),
    ),
  })

interface WorkContext extends AccountContext {
  readonly logFailure: LogFailure
  readonly renewMs: number
}

async function workOn(context: WorkContext, taken: TakenAccount, stopping: AbortSignal): Promise<void> {
  const { db, now } = context
  const lost = new AbortController()
  const renewal = runPeriodically(
    context.renewMs,
    async () => {
      const isHeld = await updateTaken(db.sql, taken, renewed(accountQueue, now()))
      if (isHeld && (await isPermitted(db.sql, taken))) return
      // The account of a member who may not have any is due, and waits.
      if (isHeld) await updateTaken(db.sql, taken, released(now()))
      lost.abort(new AccountLeaseLost())
    },
    'The lease of a connected account could not be renewed.',
  )
  const signal = AbortSignal.any([lost.signal, stopping])
  try {
    await applyChanges(context, taken, signal)
  } catch (error) {
    if (!signal.aborted && !(error instanceof AccountLeaseLost)) await settleFailure(context, taken, error)
    else if (!lost.signal.aborted) await updateTaken(db.sql, taken, released(now()))
  } finally {
    await renewal.stop()
  }
}

/** Applies what the member changed, and then reads the account. */
async function applyChanges(context: WorkContext, taken: TakenAccount, signal: AbortSignal): Promise<void> {
  const { db, now } = context
  const kind = kindOf(taken.kind)
  if (taken.state === 'removing') return remove(context, taken, signal)
  for (const change of taken.pending_changes as PendingChange[]) {
    // A change may have altered the state of the synchronisation, which the next step reads.
    const run = runOf(context, await readTaken(db.sql, taken), signal)
    await (change === 'sharing' ? kind.applySharing(run) : kind.applyExclusions(run))
    await updateTaken(db.sql, taken, { pending_changes: withoutPending(change) })
  }
  if (taken.state === 'sign-in-required') return void (await updateTaken(db.sql, taken, released(null)))
  const row = await withFreshToken(context, await readTaken(db.sql, taken))
  const dueAt = await kind.synchronise(runOf(context, row, signal))
  await updateTaken(db.sql, taken, released(signal.aborted ? now() : dueAt))
}

/** Deletes everything that came from the account, a part at a time, and then the account. */
async function remove(context: WorkContext, taken: TakenAccount, signal: AbortSignal): Promise<void> {
  const run = runOf(context, taken, signal)
  const { deletePart } = kindOf(taken.kind)
  while (await deletePart(run)) signal.throwIfAborted()
  await deleteAccountRow(context.db.sql, taken)
}

function runOf(context: WorkContext, row: TakenAccount, signal: AbortSignal): AccountRun {
  const { db, now, accountServers: servers, logFailure } = context
  let fresh = row
  const update = async (on: Parameters<typeof updateTaken>[0], changes: Readonly<Record<string, unknown>>) => {
    if (!(await updateTaken(on, row, { ...changes, ...renewed(accountQueue, now()) }))) throw new AccountLeaseLost()
  }
  return {
    appContext: context,
    servers,
    account: accountFromRow(db.secrets, row),
    async getSecret() {
      fresh = await withFreshToken(context, fresh)
      return accountFromRow(db.secrets, fresh).secret
    },
    signal,
    logFailure,
    save: (tx, { syncState, progress }) =>
      update(tx, {
        ...(syncState === undefined ? {} : { sync_state: jsonb(syncState) }),
        ...(progress === undefined ? {} : { progress: jsonb(progress) }),
      }),
    async confirmLease(tx) {
      if (!(await holdTaken(tx, row))) throw new AccountLeaseLost()
    },
    markSynced: () => update(db.sql, { ...WITHOUT_FAILURE, synced_at: timestampFromMicros(now()) }),
  }
}

const SECOND = 1_000_000
/** The delay after the first failure. It doubles with each further one. */
const FIRST_DELAY = 30 * SECOND
const MAX_DELAY = 3600 * SECOND
/** A server that had accepted the password may refuse it for a moment. After so many refusals the member has to sign in again. */
const MAX_REFUSALS = 3
/** The member has to enter another password or another address of a calendar. */
const REFUSALS: ReadonlySet<AccountProblem['code']> = new Set(['sign_in_refused', 'no_calendar'])

/** An account whose server had everything read reconnects soon, because servers close connections from time to time. */
const RECONNECT_DELAY = 2 * SECOND

/** Stores why an account could not be read, and when it is tried again. */
async function settleFailure(context: WorkContext, taken: TakenAccount, error: unknown): Promise<void> {
  const { db, now, logFailure } = context
  const row = await readTaken(db.sql, taken).catch(unlessLost)
  if (row === undefined) return
  if (!(error instanceof AccountProblem)) {
    logFailure('A connected account could not be read.', error, { id: taken.id })
    await updateTaken(db.sql, taken, { ...released(now() + delayAfter(row.failures)), failures: row.failures + 1 })
    return
  }
  const wasSynced = row.synced_at !== null && row.synced_at !== taken.synced_at
  if (error.code === 'connection_lost' && wasSynced)
    return void (await updateTaken(db.sql, taken, released(now() + RECONNECT_DELAY)))
  if (error.code === 'sign_in_refused') await endToken(context, row)
  const isRefused = error.code === 'sign_in_expired' || (REFUSALS.has(error.code) && row.failures + 1 >= MAX_REFUSALS)
  const state = isRefused ? 'sign-in-required' : 'failing'
  const dueAt = isRefused ? null : now() + delayAfter(row.failures)
  const isStored = await updateTaken(db.sql, taken, { ...failedWith(error, state, now()), ...released(dueAt) })
  if (isStored && isRefused) await askToSignIn(context, row)
}

/** The member changed the account at the same time, so it is due again. */
function unlessLost(error: unknown): undefined {
  if (!(error instanceof AccountLeaseLost)) throw error
}

const delayAfter = (failures: number): Micros =>
  Math.round(Math.min(MAX_DELAY, FIRST_DELAY * 2 ** Math.min(failures, 10)) * (1 - Math.random() / 10))

/** The inbox of the member says so, too. */
async function askToSignIn(context: WorkContext, row: Selectable<TakenAccount>): Promise<void> {
  const { db, models, mail, settings, logFailure } = context
  const { workspace, membersById } = await models.get(row.workspace_id)
  const member = membersById.get(row.member_id)
  if (member === undefined || !mail.isDelivered) return
  const language = await languageOfEmail(db, member.email_address)
  await mail
    .send(
      accountSignInEmail(
        settings,
        member.email_address,
        {
          workspace: workspace.slug,
          address: row.kind === 'ics' ? (JSON.parse(row.settings) as IcsSettings).name : row.email_address, // the settings of its kind
          answer: row.error_answer,
          secret: row.provider === null ? (row.kind === 'ics' ? 'address' : 'password') : 'sign-in',
        },
        language,
      ),
    )
    .catch((error: unknown) => logFailure('The mail server refused an email about a connected account.', error))
}
