/** Issues and introspects tokens of apps. See docs/reference/access-and-oauth.md. */

import { invalidClient, oauthError } from '#base/errors/protocols'
import type { TokenRequest } from '#api/http/guard/oauth-endpoint'
import { exchangeCode, refreshToken } from '#access/oauth/tokens/exchange-code'
import { readResource } from '#access/oauth/metadata'
import type { IssuedTokens } from '#access/oauth/tokens/tokens'
import type { AppContext } from '#context'
import { audit } from '#access/audit-log/audit'
import { checkGuess } from '#access/throttle/guesses'
import { fixedWindow } from '#access/throttle/throttle'
import { isUuid } from '#vocabulary/uuids'
import type { App } from '#access/oauth/apps/apps'
import { authenticateClient, readClientCredentials } from '#access/oauth/clients'
import { readCredentials, type TokenAuthenticator } from '#access/tokens/authenticate'
import { type ActiveToken, introspectToken } from '#access/tokens/introspection'
import type { Token } from '#access/tokens/tokens'

/**
 * Exchanges a code or a refresh token for an access token. There are no implicit and password grants.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */
export async function issueToken(appContext: AppContext, request: TokenRequest): Promise<IssuedTokens> {
  const { db, now, settings } = appContext
  const { parameters, address } = request
  const app = await requireClient(appContext, request)
  const issueContext = { actorType: settings.appActor, address, now: now() }
  const requested = parameters.get('resource')
  const resource = requested === undefined ? undefined : readResource(app, requested, settings.appUrl)
  switch (requireParameter(parameters, 'grant_type')) {
    case 'authorization_code': {
      const code = requireParameter(parameters, 'code')
      const [redirectUri, verifier] = [parameters.get('redirect_uri'), parameters.get('code_verifier')]
      return exchangeCode(db, app, { code, redirectUri, verifier, resource }, issueContext)
    }
    case 'refresh_token': {
      const token = requireParameter(parameters, 'refresh_token')
      return refreshToken(db, app, { token, scope: parameters.get('scope'), resource }, issueContext)
    }
    default:
      throw oauthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  }
}

export function requireParameter(parameters: TokenRequest['parameters'], name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw oauthError('invalid_request', `${name} is missing.`)
  return value
}

/**
 * Authenticates the app at a token endpoint. Failures are entries of the audit log, and too many are refused with 429.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */
const MINUTES = 10 * 60

/** Throws `invalid_client`, and 429 after too many failures. */
export async function requireClient(
  appContext: AppContext,
  { request, parameters, address }: TokenRequest,
): Promise<App> {
  const { db, now } = appContext
  const credentials = readClientCredentials(request.headers.get('authorization'), parameters)
  const clientId = isUuid(credentials.clientId) ? credentials.clientId.toLowerCase() : 'unknown'
  const from = address ?? 'unknown'
  const limits = [
    { subject: `client ${clientId} from ${from}`, rule: fixedWindow(50, MINUTES) },
    { subject: `clients from ${from}`, rule: fixedWindow(200, MINUTES) },
  ]
  const { authentication } = await checkGuess(db, limits, now, async () => {
    const found = await authenticateClient(db, credentials, now())
    return { isRight: found.isClient, authentication: found }
  })
  if (authentication.isClient) return authentication.app
  const { app } = authentication
  // The answer does not wait for the audit log, so its time does not show whether the app exists.
  if (app !== undefined) void auditFailure(appContext, app, address)
  throw invalidClient(credentials.usedHeader)
}

async function auditFailure({ db, now }: AppContext, app: App, address: string | null): Promise<void> {
  const { id, name, workspace_id: workspaceId } = app
  const subject = { type: 'app', id, name }
  await audit(db.sql, {
    workspaceId,
    actor: null,
    action: 'app.authentication-failed',
    subject,
    address,
    now: now(),
  }).catch(
    () => undefined, // the request is refused even when the entry could not be stored
  )
}

/**
 * Answers for a token that belongs to the authenticated app, and for the token that the request itself presents as Bearer.
 * Every other token is answered as inactive. RFC 7662; see docs/reference/access-and-oauth.md (Introspection).
 */
export async function introspect(
  appContext: AppContext,
  tokens: TokenAuthenticator,
  request: TokenRequest,
): Promise<ActiveToken | { active: false }> {
  const token = presentsToken(request)
    ? await findPresented(tokens, request)
    : await findOfClient(appContext, tokens, request)
  return introspectToken(appContext, token)
}

/** A request with client credentials authenticates as a client instead. */
const presentsToken = ({ request, parameters }: TokenRequest): boolean =>
  /^\s*bearer(?:\s|$)/i.test(request.headers.get('authorization') ?? '') &&
  !parameters.has('client_id') &&
  !parameters.has('client_secret')

async function findPresented(
  tokens: TokenAuthenticator,
  { request, parameters }: TokenRequest,
): Promise<Token | undefined> {
  const credentials = readCredentials(request.headers.get('authorization'))
  if (credentials.kind !== 'token') return undefined
  const subject = parameters.get('token') ?? credentials.token
  return subject === credentials.token ? tokens.find(subject) : undefined
}

async function findOfClient(
  appContext: AppContext,
  tokens: TokenAuthenticator,
  request: TokenRequest,
): Promise<Token | undefined> {
  const app = await requireClient(appContext, request)
  const token = await tokens.find(requireParameter(request.parameters, 'token'))
  return token?.clientId === app.id ? token : undefined
}
