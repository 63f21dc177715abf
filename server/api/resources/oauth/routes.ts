/**
 * The OAuth endpoints that apps call. The console has the consent page.
 * See docs/reference/access-and-oauth.md (Token endpoint, Introspection, Metadata).
 */

import { Elysia } from 'elysia'
import type { TokenAuthenticator } from '#access/tokens/authenticate'
import { JsonText, newRequestId, type Answers } from '#api/http/response/answer'
import { createOauthEndpoint, createRegistrationEndpoint } from '#api/http/guard/oauth-endpoint'
import { readBody } from '#api/http/request/read-body'
import { OPEN_BODY_LIMIT } from '#api/http/request/body-limits'
import { registerClient } from '#access/oauth/clients'
import { revokePresentedToken } from '#access/oauth/tokens/grants'
import {
  exchangeToken,
  introspectToken,
  registerClientOperation as registration,
  revokeTokenOperation,
} from '#access/oauth/openapi'
import {
  ASSISTANT_RESOURCE_PATH,
  assistantResource,
  authorizationServer,
  protectedResource,
} from '#access/oauth/metadata'
import type { AppContext } from '#context'
import { introspect, issueToken, requireClient, requireParameter } from './tokens'

const HIDDEN = { detail: { hide: true } }

/** Metadata changes only with the settings. */
const CACHED_FOR_AN_HOUR = { 'Cache-Control': 'public, max-age=3600' }

export function oauthRoutes(appContext: AppContext, tokens: TokenAuthenticator, answers: Answers) {
  const { settings } = appContext
  const endpoint = createOauthEndpoint(settings)
  const registrationEndpoint = createRegistrationEndpoint(settings)
  const metadata = (document: object) => {
    const text = new JsonText(JSON.stringify(document), { headers: CACHED_FOR_AN_HOUR })
    return ({ request }: { request: Request }) => answers.json(request, newRequestId(), text)
  }

  return new Elysia({ name: 'oauth' })
    .post('/oauth/token', ...endpoint(exchangeToken, (request) => issueToken(appContext, request)))
    .post('/oauth/introspect', ...endpoint(introspectToken, (request) => introspect(appContext, tokens, request)))
    .post(
      '/oauth/revoke',
      ...endpoint(revokeTokenOperation, async (request) => {
        const app = await requireClient(appContext, request)
        const token = requireParameter(request.parameters, 'token')
        await revokePresentedToken(appContext.db, app, token, { address: request.address, now: appContext.now() })
        return undefined
      }),
    )
    .post(
      '/oauth/register',
      ...registrationEndpoint(registration, async ({ request, address }) =>
        registerClient(appContext.db, await readBody(request, OPEN_BODY_LIMIT), { address, now: appContext.now() }),
      ),
    )
    .get(ASSISTANT_RESOURCE_PATH, metadata(assistantResource(settings.appUrl)), HIDDEN)
    .get('/.well-known/oauth-authorization-server', metadata(authorizationServer(settings.appUrl)), HIDDEN)
    .get('/.well-known/oauth-protected-resource', metadata(protectedResource(settings.appUrl)), HIDDEN)
}
