import { readCredentials, type TokenAuthenticator } from '#access/tokens/authenticate'
import { renderIntrospection, type ActiveToken } from '#access/tokens/introspection'
import type { Token } from '#access/tokens/tokens'
import type { TokenRequest } from '#api/http/guard/oauth-endpoint'
import type { AppContext } from '#context'
import { requireClient, requireParameter } from './issue-token'

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
  if (token === undefined) return { active: false }
  const { workspace } = await appContext.models.get(token.workspaceId)
  return renderIntrospection(token, workspace, appContext.settings.issuer)
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
