/**
 * The part of the service for which a client requests a token. RFC 8707;
 * see docs/reference/assistants.md (Authorization).
 */

import type { TokenResource } from '#access/tokens/tokens'
import type { App } from './apps/apps'

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
