/**
 * Signs people in at a provider by OpenID Connect: discovery, the authorization code grant with PKCE, state and nonce, and
 * signed ID tokens. Requests follow the address rules of webhook targets. See docs/reference/sign-in.md (Provider); docs/decisions/sign-in.md.
 */

import type { ClientAuth, Configuration, CustomFetch } from 'openid-client'
import type { TargetPolicy } from '#events/webhooks/send/target'
import { newSecret } from '#access/secrets'
import { createProviderFetch, ProviderUnreachable } from './provider-fetch'

export interface OpenIdProvider {
  /** Shown on the button of the sign-in page. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

/** What a sign-in compares with the response of the provider. */
export interface RequestSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

export interface ProviderUser {
  readonly subject: string
  /** In lower case. Undefined unless the provider says that it verified the address. */
  readonly verifiedEmail: string | undefined
  /** Whether the provider says that it asked for a second factor (`amr` has `mfa`, RFC 8176). */
  readonly hasSecondFactor: boolean
  /** Where the browser signs out at the provider. Null when the provider names no such page. */
  readonly signOutUrl: string | null
}

/** Why a sign-in at a provider failed, in a sentence without secrets. */
export class ProviderError extends Error {}

export interface OpenIdClient {
  /** Throws `ProviderError` unless the provider publishes its metadata at the issuer. */
  check(provider: OpenIdProvider): Promise<void>
  /** Returns the URL of the provider's sign-in page. Throws `ProviderError`. */
  begin(provider: OpenIdProvider, redirectUri: string): Promise<RequestSecrets & { readonly url: string }>
  /** Exchanges the code in the response of the provider, and checks the ID token. Throws `ProviderError`. */
  finish(provider: OpenIdProvider, response: URL, secrets: RequestSecrets): Promise<ProviderUser>
}

const TIMEOUT_SECONDS = 10
const MAX_EMAIL = 320
/** OpenID Connect Core 2 limits `sub` to this length. */
const MAX_SUBJECT = 255

/** The library is loaded by the first sign-in. */
const library = () => import('openid-client')

export function createOpenIdClient(targets: TargetPolicy): OpenIdClient {
  const providerFetch = createProviderFetch(targets)
  return {
    async check(provider) {
      await discover(provider, providerFetch)
    },
    async begin(provider, redirectUri) {
      const config = await discover(provider, providerFetch)
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
      const secrets = { state: newSecret(), nonce: newSecret(), codeVerifier: newSecret() }
      const url = buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
        code_challenge_method: 'S256',
        state: secrets.state,
        nonce: secrets.nonce,
      })
      return { ...secrets, url: url.href }
    },
    async finish(provider, response, secrets) {
      const config = await discover(provider, providerFetch)
      return readUser(config, response, secrets).catch((error: unknown) => {
        throw explain(error)
      })
    },
  }
}

async function discover(provider: OpenIdProvider, providerFetch: CustomFetch): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = provider
  const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } = await library()
  // The target policy decides whether http is allowed, for the issuer and for the addresses in its metadata.
  const execute = [enableNonRepudiationChecks, allowInsecureRequests]
  try {
    const config = await discovery(new URL(issuer), clientId, clientSecret, await authenticationWith(clientSecret), {
      execute,
      timeout: TIMEOUT_SECONDS,
      [customFetch]: providerFetch,
    })
    if (!isWebAddress(config.serverMetadata().authorization_endpoint))
      throw new ProviderError('The metadata of the provider has no authorization endpoint.')
    return config
  } catch (error) {
    throw explain(error)
  }
}

/** HTTP Basic is the default of OpenID Connect. Providers without it say so in their metadata. */
async function authenticationWith(clientSecret: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost } = await library()
  const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const isBasic = methods === undefined || methods.includes('client_secret_basic')
    return (isBasic ? basic : post)(server, ...rest)
  }
}

async function readUser(config: Configuration, response: URL, secrets: RequestSecrets): Promise<ProviderUser> {
  const { authorizationCodeGrant, fetchUserInfo } = await library()
  const tokens = await authorizationCodeGrant(config, response, {
    pkceCodeVerifier: secrets.codeVerifier,
    expectedState: secrets.state,
    expectedNonce: secrets.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined || claims.sub.length > MAX_SUBJECT) throw new ProviderError('The ID token has no subject.')
  const hasEmail = claims['email'] !== undefined && claims['email_verified'] !== undefined
  const isInUserInfo = !hasEmail && config.serverMetadata().userinfo_endpoint !== undefined
  const source = isInUserInfo ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims
  const { amr } = claims
  return {
    subject: claims.sub,
    verifiedEmail: verifiedEmailOf(source),
    hasSecondFactor: Array.isArray(amr) && amr.includes('mfa'),
    signOutUrl: await signOutUrlOf(config, tokens.id_token),
  }
}

/** A longer ID token is left out of the URL, because servers limit the length of a URL. */
const MAX_ID_TOKEN_HINT = 6000

/** OpenID Connect RP-Initiated Logout 1.0. */
async function signOutUrlOf(config: Configuration, idToken = ''): Promise<string | null> {
  if (!isWebAddress(config.serverMetadata().end_session_endpoint)) return null
  const { buildEndSessionUrl } = await library()
  const isShort = idToken.length > 0 && idToken.length <= MAX_ID_TOKEN_HINT
  return buildEndSessionUrl(config, isShort ? { id_token_hint: idToken } : {}).href
}

/** The browser goes to pages of the provider, so a URL such as `javascript:` must not be one. */
const isWebAddress = (text: string | undefined): boolean =>
  ['https:', 'http:'].includes(URL.parse(text ?? '')?.protocol ?? '')

/** Only `true` counts as verified, not the text "true". */
function verifiedEmailOf({ email, email_verified }: Readonly<Record<string, unknown>>): string | undefined {
  if (email_verified !== true || typeof email !== 'string') return undefined
  return email.length > 0 && email.length <= MAX_EMAIL ? email.toLowerCase() : undefined
}

/** Errors of the library have codes such as `OAUTH_JWT_CLAIM_COMPARISON_FAILED`. Their causes may have tokens. */
function explain(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth++) {
    if (cause instanceof ProviderUnreachable) return new ProviderError(cause.message)
  }
  if (!(error instanceof Error)) return new ProviderError('The response of the provider could not be read.')
  return new ProviderError(`The response of the provider was refused: ${error.message}.`)
}
