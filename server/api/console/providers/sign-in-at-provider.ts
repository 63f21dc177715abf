/** The two requests of a sign-in at a provider: to the provider, and back. See docs/reference/sign-in.md (Provider). */

import { audit } from '#access/audit-log/audit'
import { findProvider } from '#access/providers/providers'
import { ProviderError, type OpenIdProvider, type ProviderUser } from '#access/providers/openid-client'
import { createProviderRequest, type ProviderRequest, useProviderRequest } from '#access/providers/requests'
import type { Device } from '#access/sessions/sessions'
import { fixedWindow } from '#access/throttle/rules'
import { claimAttempt } from '#access/throttle/throttle'
import { networkOf } from '#access/throttle/network'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { providerFailed, providerUnknown, signInExpired } from '#base/errors/access'
import type { AppContext, ServiceSettings } from '#context'
import { completeFirstStep, type SignInResult } from '#api/console/session/start-session'
import { findAccountOfUser } from './find-account'

/** The id of the provider of the installation in paths. That of a workspace has the id of the workspace. */
export const INSTALLATION = 'installation'

/** Each provider has a separate redirect address, so that no provider receives the code of another one (RFC 9700, 4.4). */
export const redirectUriOf = ({ appUrl }: Pick<ServiceSettings, 'appUrl'>, providerId: string): string =>
  `${appUrl}/sign-in/callback/${providerId}`

const BEGUN_PER_ADDRESS = fixedWindow(30, 60)

/** Returns the address of the provider's sign-in page. Throws 404, 400 and 429. */
export async function beginSignIn(
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
export async function finishSignIn(
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
  const ofWorkspace = isUuid(providerId) ? await findProvider(db.sql, providerId) : undefined
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

export const asProviderFailed = (error: unknown): unknown =>
  error instanceof ProviderError ? providerFailed(error.message) : error
