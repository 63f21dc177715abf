import { oauthError } from '#base/errors/protocols/oauth'
import type { TokenRequest } from '#api/http/guard/oauth-endpoint'
import { exchangeCode } from '#access/oauth/tokens/exchange-code'
import { readResource } from '#access/oauth/resource'
import { refreshToken } from '#access/oauth/tokens/refresh'
import type { IssuedTokens } from '#access/oauth/tokens/tokens'
import type { AppContext } from '#context'
import { requireClient } from './require-client'

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
