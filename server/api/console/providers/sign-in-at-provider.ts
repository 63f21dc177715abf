/** The two requests of a sign-in at a provider: to the provider, and back. See docs/reference/sign-in.md (Provider). */

import { lockName } from '#engine/data-model/kysely-in-transaction'
import { audit } from '#access/audit-log/audit'
import { findProvider } from '#access/providers/providers'
import { type OpenIdProvider, ProviderError, type ProviderUser } from '#access/providers/openid-client'
import {
  createProviderRequest,
  type ProviderRequest,
  useProviderRequest,
  findLinkedAccount,
  type ProviderIdentity,
  linkIdentity,
} from '#access/providers/sign-ins'
import type { Device } from '#access/sessions/sessions'
import { claimAttempt, fixedWindow, networkOf } from '#access/throttle/throttle'
import { isUuid } from '#vocabulary/uuids'
import {
  emailNotVerified,
  noMemberOfProvider,
  providerFailed,
  providerUnknown,
  signInExpired,
} from '#base/errors/access'
import type { AppContext, ServiceSettings } from '#context'
import { type AuthenticatedAccount, completeFirstStep, type SignInResult } from '#api/console/session/session'
import type { Transaction } from '#db/connect'
import { createAccount, findAccountByEmail, findEmailOfAccount } from '#access/accounts/accounts'
import { findMemberByEmail, linkAccount, requireSeat } from '#access/members/members'
import { isActiveMember } from '#access/members/memberships'
import { newSecret } from '#access/secrets'
import { notifyModelChange } from '#engine/data-model/change-model'

/** The id of the provider of the installation in paths. That of a workspace has the id of the workspace. */
export const INSTALLATION = 'installation'

/** Each provider has a separate redirect address, so that no provider receives the code of another one (RFC 9700, 4.4). */
export const redirectUriOf = ({ appUrl }: Pick<ServiceSettings, 'appUrl'>, providerId: string): string =>
  `${appUrl}/sign-in/callback/${providerId}`

const BEGUN_PER_ADDRESS = fixedWindow(30, 60)

/** Returns the address of the provider's sign-in page. Throws 404, 400 and 429. */
export async function beginProviderSignIn(
  { db, now, settings, providers }: AppContext,
  providerId: string,
  browserToken: string,
  address: string | null,
): Promise<string> {
  if (address !== null) await claimAttempt(db, `provider from ${networkOf(address)}`, BEGUN_PER_ADDRESS, now())
  const { provider, workspaceId } = await getProvider({ db, settings }, providerId)
  const { url, ...secrets } = await providers
    .begin(provider, redirectUriOf(settings, providerId))
    .catch((error: unknown) => {
      throw asProviderFailed(error)
    })
  const { issuer, clientId } = provider
  await createProviderRequest(db.sql, { ...secrets, browserToken, workspaceId, issuer, clientId }, now())
  return url
}

/** Throws 401 for a response that this browser did not ask for, 400 for one that is refused, and 403 without a member. */
export async function finishProviderSignIn(
  appContext: AppContext,
  { providerId, query, browserToken }: ProviderResponse,
  device: Device,
): Promise<SignInResult> {
  const { db, now, settings, providers } = appContext
  const parameters = new URLSearchParams(query)
  const state = parameters.get('state') ?? ''
  const request = await useProviderRequest(db.sql, { state, browserToken }, now())
  if (request === undefined) throw signInExpired()
  const { provider, workspaceId } = await getProvider(appContext, providerId)
  if (!isRequestTo(request, provider, workspaceId)) throw signInExpired()
  const address = new URL(redirectUriOf(settings, providerId))
  address.search = parameters.toString()
  try {
    const user = await providers.finish(provider, address, request)
    const account = await findAccountOfUser(appContext, { workspaceId, issuer: provider.issuer }, user, device.address)
    return await completeFirstStep(appContext, account, signInOf(workspaceId, user), device)
  } catch (error) {
    if (workspaceId !== null) await auditFailure(appContext, workspaceId, provider, error, device)
    throw asProviderFailed(error)
  }
}

export interface ProviderResponse {
  readonly providerId: string
  readonly query: string
  readonly browserToken: string
}

/** A provider of the installation says by `amr` whether it asked for a second factor. */
const signInOf = (workspaceId: string | null, { hasSecondFactor, signOutUrl }: ProviderUser) => ({
  method: 'provider' as const,
  secondFactor: hasSecondFactor ? ('provider' as const) : null,
  workspaceId,
  providerSignOutUrl: signOutUrl,
})

async function getProvider(
  { db, settings }: Pick<AppContext, 'db' | 'settings'>,
  providerId: string,
): Promise<{ provider: OpenIdProvider; workspaceId: string | null }> {
  const isOfInstallation = providerId === INSTALLATION
  const ofWorkspace = isUuid(providerId) ? await findProvider(db, providerId) : undefined
  const provider = isOfInstallation ? settings.provider : ofWorkspace
  if (provider === undefined) throw providerUnknown()
  return { provider, workspaceId: isOfInstallation ? null : providerId.toLowerCase() }
}

/** An admin may have replaced the provider after the request. */
const isRequestTo = (request: ProviderRequest, { issuer, clientId }: OpenIdProvider, workspaceId: string | null) =>
  request.workspaceId === workspaceId && request.issuer === issuer && request.clientId === clientId

async function auditFailure(
  { db, now }: AppContext,
  workspaceId: string,
  { name }: OpenIdProvider,
  error: unknown,
  { address, userAgent: user_agent }: Device,
): Promise<void> {
  await audit(db.sql, {
    actor: null,
    address,
    workspaceId,
    action: 'provider.sign-in-failed',
    subject: { type: 'provider', id: null, name },
    details: { user_agent, reason: error instanceof Error ? error.message.slice(0, 500) : 'unknown' },
    now: now(),
  })
}

const asProviderFailed = (error: unknown): unknown =>
  error instanceof ProviderError ? providerFailed(error.message) : error

/**
 * Finds the account of a provider's user: by the subject once it is linked, before that by the verified email address of a
 * member. See docs/reference/sign-in.md (Who signs in).
 */
type ProviderKey = Omit<ProviderIdentity, 'subject'>

/** Throws 403 when no member has this account or address, without a seat, and when the provider did not verify the address. */
async function findAccountOfUser(
  appContext: AppContext,
  provider: ProviderKey,
  { subject, verifiedEmail }: ProviderUser,
  address: string | null,
): Promise<AuthenticatedAccount> {
  const { db, now } = appContext
  const identity = { ...provider, subject }
  return db.sql.begin(async (tx) => {
    const linked = await findLinkedAccount(tx, identity)
    if (linked === undefined && verifiedEmail === undefined) throw emailNotVerified()
    const accountId = linked ?? (await accountOfEmail(tx, appContext, provider.workspaceId, verifiedEmail ?? ''))
    if (accountId === undefined || !(await maySignIn(tx, accountId, provider.workspaceId)))
      throw noMemberOfProvider(verifiedEmail)
    const emailAddress = (await findEmailOfAccount({ sql: tx }, accountId)) ?? ''
    if (linked === undefined) {
      await linkIdentity(tx, identity, accountId, now())
      await audit(tx, {
        actor: null,
        address,
        workspaceId: provider.workspaceId,
        action: 'provider.account-linked',
        subject: { type: 'account', id: accountId, name: emailAddress },
        details: { issuer: provider.issuer, subject },
        now: now(),
      })
    }
    return { accountId, emailAddress }
  }) as Promise<AuthenticatedAccount> // the driver's type for the callback's result is wider
}

const maySignIn = async (tx: Transaction, accountId: string, workspaceId: string | null): Promise<boolean> =>
  workspaceId === null || isActiveMember(tx, accountId, workspaceId)

/** The provider of a workspace may sign in only its members; the provider of the installation may sign in all accounts. */
async function accountOfEmail(
  tx: Transaction,
  { now, settings }: AppContext,
  workspaceId: string | null,
  emailAddress: string,
): Promise<string | undefined> {
  if (workspaceId === null) return findAccountByEmail({ sql: tx }, emailAddress)
  // Concurrent first sign-ins create one account.
  await lockName(tx, `account of ${emailAddress}`)
  const member = await findMemberByEmail(tx, workspaceId, emailAddress)
  if (member === undefined || member.account_id !== null) return member?.account_id ?? undefined
  // A member who was provisioned has no account yet. Its password is unknown until the owner resets it.
  const existing = await findAccountByEmail({ sql: tx }, emailAddress)
  const password = newSecret()
  const account_id = existing ?? (await createAccount({ sql: tx }, { email_address: emailAddress, password }, now())).id
  await linkAccount(tx, workspaceId, member.id, { ...member, account_id }, now())
  await requireSeat(tx, workspaceId, settings.memberQuota)
  await notifyModelChange(tx, workspaceId)
  return account_id
}
