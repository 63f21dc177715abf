/**
 * Where apps speak for themselves. Where people decide about them is a part of the console.
 * See docs/reference/access-and-oauth.md (Token endpoint, Introspection, Metadata).
 */

import { Elysia } from 'elysia'
import type { TokenAuthenticator } from '../../access/tokens/authenticate'
import { JsonText, newRequestId, type Answers } from '../../http/response/answer'
import { createOauthEndpoint } from '../../http/guard/oauth-endpoint'
import { revokePresentedToken } from '../../oauth/tokens/revoke-token'
import { exchangeToken, introspectToken, revokeToken } from '../../oauth/openapi'
import { authorizationServer, protectedResource } from '../../oauth/metadata'
import type { AppContext } from '../../platform'
import { requireClient } from './require-client'
import { introspect } from './introspect'
import { issueToken, required } from './issue-token'

const HIDDEN = { detail: { hide: true } }

/** Metadata changes with the settings alone. */
const KEPT_FOR_AN_HOUR = { 'Cache-Control': 'public, max-age=3600' }

export function oauthRoutes(appContext: AppContext, tokens: TokenAuthenticator, answers: Answers) {
  const { settings } = appContext
  const door = createOauthEndpoint(settings)
  const metadata = (document: object) => {
    const text = new JsonText(JSON.stringify(document), { headers: KEPT_FOR_AN_HOUR })
    return ({ request }: { request: Request }) => answers.json(request, newRequestId(), text)
  }

  return new Elysia({ name: 'oauth' })
    .post('/oauth/token', ...door(exchangeToken, (request) => issueToken(appContext, request)))
    .post('/oauth/introspect', ...door(introspectToken, (request) => introspect(appContext, tokens, request)))
    .post(
      '/oauth/revoke',
      ...door(revokeToken, async (request) => {
        const app = await requireClient(appContext, request)
        const token = required(request.parameters, 'token')
        await revokePresentedToken(appContext.db, app, token, { address: request.address, now: appContext.now() })
        return undefined
      }),
    )
    .get('/.well-known/oauth-authorization-server', metadata(authorizationServer(settings.appUrl)), HIDDEN)
    .get('/.well-known/oauth-protected-resource', metadata(protectedResource(settings.appUrl)), HIDDEN)
}
