/** Where apps speak for themselves. Where people decide about them is a part of the console. Spec: auth 3 to 5. */

import { Elysia } from 'elysia'
import type { Access } from '../../access/authenticate'
import { JsonText, newRequestId, type Answers } from '../../http/response/answer'
import { createTokenDoor } from '../../http/guard/oauth-endpoint'
import { giveBackToken } from '../../oauth/revoke-token'
import { exchangeToken, introspectToken, revokeToken } from '../../oauth/openapi'
import { authorizationServer, protectedResource } from '../../oauth/metadata'
import type { Platform } from '../../platform'
import { enter } from './enter'
import { introspect } from './introspect'
import { issueToken, required } from './issue-token'

const HIDDEN = { detail: { hide: true } }

/** Metadata changes with the settings alone. */
const KEPT_FOR_AN_HOUR = { 'Cache-Control': 'public, max-age=3600' }

export function oauthRoutes(platform: Platform, access: Access, answers: Answers) {
  const { settings } = platform
  const door = createTokenDoor(settings)
  const metadata = (document: object) => {
    const text = new JsonText(JSON.stringify(document), { headers: KEPT_FOR_AN_HOUR })
    return ({ request }: { request: Request }) => answers.json(request, newRequestId(), text)
  }

  return new Elysia({ name: 'oauth' })
    .post('/oauth/token', ...door(exchangeToken, (request) => issueToken(platform, request)))
    .post('/oauth/introspect', ...door(introspectToken, (request) => introspect(platform, access, request)))
    .post(
      '/oauth/revoke',
      ...door(revokeToken, async (request) => {
        const app = await enter(platform, request)
        const token = required(request.parameters, 'token')
        await giveBackToken(platform.db, app, token, { address: request.address, now: platform.now() })
        return undefined
      }),
    )
    .get('/.well-known/oauth-authorization-server', metadata(authorizationServer(settings.appUrl)), HIDDEN)
    .get('/.well-known/oauth-protected-resource', metadata(protectedResource(settings.appUrl)), HIDDEN)
}
