/**
 * The metadata of the authorization server and of the protected resource. RFC 8414 and 9728;
 * see docs/reference/access-and-oauth.md (Metadata).
 */

import { SCOPES_IN_ORDER } from '#vocabulary/scopes'
import { ASSISTANT_SCOPES } from './requested-scopes'
import type { TokenResource } from '#access/tokens/tokens'
import type { App } from './apps/apps'

// The part of the service for which a client requests a token. RFC 8707;
// see docs/reference/assistants.md (Authorization).

/** The path of the endpoint for assistants. */
export const MCP_PATH = '/mcp'

/**
 * Returns the resource that the parameter `resource` names, or 'unknown'. Clients that registered themselves get tokens for
 * the endpoint for assistants only.
 */
export function readResource(app: App, requested: string | undefined, baseUrl: string): TokenResource | 'unknown' {
  const isForAssistants = app.workspace_id === null
  if (requested === undefined) return isForAssistants ? 'mcp' : null
  const url = URL.parse(requested)?.href.replace(/\/$/, '')
  if (url === baseUrl + MCP_PATH) return 'mcp'
  return url === baseUrl && !isForAssistants ? null : 'unknown'
}

/** The resource of a token whose request names fewer resources than were granted. Undefined when it names others. */
export function narrowResource(
  granted: TokenResource,
  requested: TokenResource | 'unknown',
): TokenResource | undefined {
  if (requested === 'unknown') return undefined
  return granted === null || granted === requested ? requested : undefined
}

/** The methods by which clients authenticate at the token endpoints. */
const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post', 'none']

export const authorizationServer = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/oauth/introspect`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
  scopes_supported: SCOPES_IN_ORDER,
  authorization_response_iss_parameter_supported: true,
  service_documentation: `${baseUrl}/docs`,
})

export const protectedResource = (baseUrl: string) => ({
  resource: baseUrl,
  authorization_servers: [baseUrl],
  scopes_supported: SCOPES_IN_ORDER,
  bearer_methods_supported: ['header'],
  resource_documentation: `${baseUrl}/docs`,
})

/** The path of the metadata of the endpoint for assistants. RFC 9728, 3.1. */
export const ASSISTANT_RESOURCE_PATH = `/.well-known/oauth-protected-resource${MCP_PATH}`

export const assistantResource = (baseUrl: string) => ({
  ...protectedResource(baseUrl),
  resource: baseUrl + MCP_PATH,
  scopes_supported: ASSISTANT_SCOPES,
  resource_name: 'Relata',
})
