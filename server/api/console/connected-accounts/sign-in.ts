/** Signs a member in to an email account or to calendars at their provider. See docs/connected-accounts.md (Sign in at a provider). */

import type { AppContext } from '#context'
import { hashColumn } from '#access/secrets'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { accountNotFound, connectionFailed, signInNotFound } from '#base/errors/connected-accounts'
import { timestampFromMicros } from '#base/timing/clock'
import { controlQueriesIn, equal, jsonb } from '#engine/data-model/kysely-in-transaction'
import { AccountProblem } from '#transfer/connected-accounts/account-problem'
import type { MailProviderId } from '#transfer/connected-accounts/settings'
import type { MailSignIn, SignInKind } from '#transfer/connected-accounts/sign-in/providers'
import { connectAccount, prepareAccount, replaceSecret, requireAccount } from './accounts'
import type { AccountOutput, SignedInAccount, SignInBody } from './schemas'

/** What the sign-in is for. */
type SignInTarget = SignedInAccount | { readonly account_id: string }

const LASTS = 900_000_000
const CALLBACK = '/settings/connected-accounts/callback'

/** Returns the address of the provider's page. Throws 400 for a provider that is not set up, and what `connectAccount` throws. */
export async function beginSignIn(appContext: AppContext, member: ConsoleMember, body: SignInBody): Promise<string> {
  const { db, now, settings, accountServers } = appContext
  const { provider, account, signsInTo } = await readRequest(appContext, member, body)
  const begun = await explained(async () => {
    if (accountServers.signIn === undefined) throw new AccountProblem('no_provider')
    return accountServers.signIn.begin(provider, settings.appUrl + CALLBACK, signsInTo)
  })
  const control = controlQueriesIn(db.sql)
  const expired = control.deleteFrom('relata.account_sign_ins').where('workspace_id', '=', member.workspaceId)
  await expired.where('expires_at', '<=', timestampFromMicros(now())).execute()
  await control
    .insertInto('relata.account_sign_ins')
    .values({
      workspace_id: member.workspaceId,
      state_hash: hashColumn(begun.state),
      member_id: member.memberId,
      provider,
      code_verifier: begun.codeVerifier,
      account: jsonb(account),
      expires_at: timestampFromMicros(now() + LASTS),
    })
    .execute()
  return begun.url
}

async function readRequest(appContext: AppContext, member: ConsoleMember, body: SignInBody) {
  if ('account_id' in body) {
    const row = await requireAccount(appContext, member, body.account_id)
    if (row.provider === null) throw accountNotFound(body.account_id)
    const provider = row.provider as MailProviderId // the check of the column
    const kind = row.kind as SignInKind // only accounts of these kinds have a provider
    return { provider, account: { account_id: row.id }, signsInTo: { kind, address: row.email_address } }
  }
  const { provider, ...account } = body
  const address = await prepareAccount(appContext, member, account)
  return { provider, account, signsInTo: { kind: account.kind, address } }
}

/** `query` is that with which the provider has sent the browser back. Throws 400 for a sign-in that the member did not begin, or that failed. */
export async function finishSignIn(
  appContext: AppContext,
  member: ConsoleMember,
  query: string,
): Promise<AccountOutput> {
  const { db, now, settings, accountServers } = appContext
  const state = new URLSearchParams(query).get('state') ?? ''
  const begun = await controlQueriesIn(db.sql)
    .deleteFrom('relata.account_sign_ins')
    .where(equal({ workspace_id: member.workspaceId, state_hash: hashColumn(state), member_id: member.memberId }))
    .where('expires_at', '>', timestampFromMicros(now()))
    .returning(['provider', 'code_verifier', 'account'])
    .executeTakeFirst()
  if (begun === undefined) throw signInNotFound()
  const provider = begun.provider as MailProviderId // `beginSignIn` wrote it
  const response = new URL(`${settings.appUrl}${CALLBACK}${query.startsWith('?') ? query : `?${query}`}`)
  const tokens = await explained(() => finishAt(accountServers.signIn, provider, response, { state, codeVerifier: begun.code_verifier })) // prettier-ignore
  const secret = { provider, ...tokens }
  const account = JSON.parse(begun.account) as SignInTarget // `beginSignIn` wrote it
  if ('account_id' in account) return replaceSecret(appContext, member, account.account_id, secret)
  return connectAccount(appContext, member, { ...account, secret })
}

async function finishAt(signIn: MailSignIn | undefined, ...given: Parameters<MailSignIn['finish']>) {
  if (signIn === undefined) throw new AccountProblem('no_provider')
  return signIn.finish(...given)
}

async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof AccountProblem ? connectionFailed(error) : error
  }
}
