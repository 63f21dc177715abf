import type { Access } from '../../access/authenticate'
import { renderIntrospection, type ActiveToken } from '../../access/introspection'
import type { TokenRequest } from '../../http/token-door'
import type { Platform } from '../../platform'
import { enter } from './enter'
import { required } from './issue-token'

/** What an app's own access token is good for; of any other token it learns nothing. RFC 7662; spec: auth 4.2. */
export async function introspect(
  platform: Platform,
  access: Access,
  request: TokenRequest,
): Promise<ActiveToken | { active: false }> {
  const app = await enter(platform, request)
  const token = await access.find(required(request.parameters, 'token'))
  if (token?.clientId !== app.id) return { active: false }
  const { workspace } = await platform.models.get(token.workspaceId)
  return renderIntrospection(token, workspace, platform.settings.issuer)
}
