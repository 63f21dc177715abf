/**
 * Providers at which members sign in to their email accounts and calendars with OAuth 2: the authorization code grant with PKCE, and refresh tokens.
 * Google and Microsoft are known; one more is found by its metadata. See docs/decisions/connected-accounts.md (Sign-in).
 */

import type { Configuration, ServerMetadata, TokenEndpointResponse } from 'openid-client'
import { createProviderFetch } from '#access/providers/provider-fetch'
import { newSecret } from '#access/secrets'
import type { TargetPolicy } from '#events/webhooks/send/target'
import { MAIL_PROVIDERS, type MailProviderId, type Tokens } from '#transfer/connected-accounts/settings'
import { AccountProblem, shortAnswer } from '#transfer/connected-accounts/account-problem'

/** What the operator has registered at a provider. */
export interface MailClient {
  readonly clientId: string
  readonly clientSecret: string
}

export interface OtherMailProvider extends MailClient {
  /** Where its metadata is, as for OpenID Connect. */
  readonly issuer: string
  readonly name: string
  readonly scope: string
  /** Whose tokens read calendars; undefined for a provider without them. */
  readonly calendarScope?: string | undefined
  /** The CalDAV server. Undefined: it is found by the email address. */
  readonly calendarUrl?: string | undefined
}

export interface MailClients {
  readonly google?: MailClient | undefined
  readonly microsoft?: MailClient | undefined
  readonly other?: OtherMailProvider | undefined
}

/** The kinds of accounts to which providers give access. */
export type SignInKind = 'imap' | 'caldav'

interface MailProvider extends MailClient {
  readonly name: string
  /** What the member is asked to permit. The provider is not offered for a kind without a scope. */
  readonly scopes: Readonly<Record<SignInKind, string | undefined>>
  readonly calendarUrl?: string | undefined
  /** The metadata; a text is the issuer that publishes it. */
  readonly server: ServerMetadata | string
  /** What makes the provider give a refresh token. */
  readonly parameters: Readonly<Record<string, string>>
}

const GOOGLE = {
  name: 'Google',
  scopes: { imap: 'https://mail.google.com/', caldav: 'https://www.googleapis.com/auth/calendar.readonly' },
  server: {
    issuer: 'https://accounts.google.com',
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
  },
  parameters: { access_type: 'offline', prompt: 'consent' },
}

const MICROSOFT = {
  name: 'Microsoft',
  scopes: {
    imap: 'offline_access https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send',
    // Microsoft has no CalDAV.
    caldav: undefined,
  },
  server: {
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    authorization_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  },
  parameters: { prompt: 'select_account' },
}

/** What the end of a sign-in is compared with. */
export interface SignInSecrets {
  readonly state: string
  readonly codeVerifier: string
}

export interface OfferedProvider {
  readonly id: MailProviderId
  readonly name: string
  /** The CalDAV server that the operator has set. */
  readonly calendarUrl?: string | undefined
}

/** What a member signs in to. */
export interface SignInAccount {
  readonly kind: SignInKind
  /** The email address. */
  readonly address: string
}

export interface MailSignIn {
  /** The providers that the operator has set and that give access to accounts of the kind. */
  providersFor(kind: SignInKind): readonly OfferedProvider[]
  /** Returns the address of the provider's page. Throws `AccountProblem`. */
  begin(
    id: MailProviderId,
    redirectUri: string,
    account: SignInAccount,
  ): Promise<SignInSecrets & { readonly url: string }>
  /** Exchanges the code in the address to which the provider has sent the browser. Throws `AccountProblem`. */
  finish(id: MailProviderId, response: URL, secrets: SignInSecrets): Promise<Tokens>
  /** Throws `AccountProblem`, with the code `sign_in_expired` when the member has to sign in again. */
  refresh(id: MailProviderId, refreshToken: string): Promise<Tokens>
}

/** The library is loaded by the first sign-in. */
const library = () => import('openid-client')

export function createMailSignIn(clients: MailClients, targets: TargetPolicy): MailSignIn {
  const providers: Partial<Record<MailProviderId, MailProvider>> = {
    ...(clients.google && { google: { ...GOOGLE, ...clients.google } }),
    ...(clients.microsoft && { microsoft: { ...MICROSOFT, ...clients.microsoft } }),
    ...(clients.other && {
      other: {
        ...clients.other,
        scopes: { imap: clients.other.scope, caldav: clients.other.calendarScope },
        server: clients.other.issuer,
        parameters: { prompt: 'consent' },
      },
    }),
  }
  const get = (id: MailProviderId): MailProvider => {
    const provider = providers[id]
    if (provider === undefined) throw new AccountProblem('no_provider')
    return provider
  }
  return {
    providersFor: (kind) =>
      MAIL_PROVIDERS.flatMap((id) => {
        const provider = providers[id]
        if (provider?.scopes[kind] === undefined) return []
        return [{ id, name: provider.name, calendarUrl: provider.calendarUrl }]
      }),
    begin: (id, redirectUri, { kind, address }) =>
      explained(async () => {
        const provider = get(id)
        const scope = provider.scopes[kind]
        if (scope === undefined) throw new AccountProblem('no_provider')
        const config = await configure(provider, targets)
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library()
        const secrets = { state: newSecret(), codeVerifier: newSecret() }
        const url = buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope,
          code_challenge: await calculatePKCECodeChallenge(secrets.codeVerifier),
          code_challenge_method: 'S256',
          state: secrets.state,
          login_hint: address,
          ...provider.parameters,
        })
        return { ...secrets, url: url.href }
      }),
    finish: (id, response, { state, codeVerifier }) =>
      explained(async () => {
        const config = await configure(get(id), targets)
        const { authorizationCodeGrant } = await library()
        const checks = { pkceCodeVerifier: codeVerifier, expectedState: state }
        const tokens = tokensOf(await authorizationCodeGrant(config, response, checks))
        if (tokens.refresh_token === '') throw new AccountProblem('sign_in_failed', 'It gave no refresh token.')
        return tokens
      }),
    refresh: (id, refreshToken) =>
      explained(async () => {
        const config = await configure(get(id), targets)
        const { refreshTokenGrant } = await library()
        const tokens = tokensOf(await refreshTokenGrant(config, refreshToken))
        // A provider that gives no other one goes on with this one.
        return tokens.refresh_token === '' ? { ...tokens, refresh_token: refreshToken } : tokens
      }),
  }
}

async function configure(
  { server, clientId, clientSecret }: MailProvider,
  targets: TargetPolicy,
): Promise<Configuration> {
  const { allowInsecureRequests, ClientSecretPost, Configuration: Made, customFetch, discovery } = await library()
  const fetch = createProviderFetch(targets)
  const authentication = ClientSecretPost(clientSecret)
  if (typeof server === 'string')
    // The target policy decides whether http is allowed.
    return discovery(new URL(server), clientId, clientSecret, authentication, {
      execute: [allowInsecureRequests],
      [customFetch]: fetch,
    })
  return Object.assign(new Made(server, clientId, clientSecret, authentication), { [customFetch]: fetch })
}

/** A token without an end is used for so long. */
const USUAL_SECONDS = 3600

const tokensOf = ({ access_token, refresh_token = '', expires_in = USUAL_SECONDS }: TokenEndpointResponse): Tokens => ({
  access_token,
  refresh_token,
  expires_at: Date.now() + expires_in * 1000,
})

/** Errors of the library have an `error` of the provider, or are failures of the network. Their causes may have tokens. */
async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof AccountProblem) throw error
    const details = error instanceof Error ? (error as { error?: unknown; error_description?: unknown }) : {}
    if (typeof details.error !== 'string') throw new AccountProblem('provider_unreachable')
    const { error: code, error_description: description } = details
    const answer = shortAnswer(typeof description === 'string' ? `${code}: ${description}` : code)
    throw new AccountProblem(code === 'invalid_grant' ? 'sign_in_expired' : 'sign_in_failed', answer)
  }
}
