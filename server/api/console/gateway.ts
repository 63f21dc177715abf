/**
 * The gateway lets the console call the API with a session. The route of `/v2/…` answers a request for `/console/v2/…`, with
 * the workspace in `X-Workspace` and the member in place of a token. See docs/decisions/console-gateway.md.
 */

import { scopesOfRole } from '#vocabulary/roles'
import { missingWorkspace } from '#base/errors/access'
import { newRequestId } from '#api/http/response/answer'
import { createConsoleAnswers } from '#api/http/response/console-answer'
import { requireSession, requireMember, type SessionAuthenticator } from '#api/http/guard/session-guard'
import type { AuthenticationWay, Caller } from '#api/http/guard/caller'
import { errorFromException } from '#api/http/response/error-from-exception'
import { urlOf } from '#api/http/request/request-url'
import type { AppContext } from '#context'

/**
 * Authenticates the requests that came through it, by their session. A second call for a request authenticates again, because
 * the session may have ended, and throws in that case.
 */
export interface Gateway extends AuthenticationWay {
  /** Answers a request for `/console/v2/…`. `handle` is the application. */
  pass(request: Request, handle: (request: Request) => Promise<Response>): Promise<Response>
}

/** The headers that the gateway removes. */
const REMOVED_HEADERS = ['authorization', 'cookie', 'x-csrf-token', 'x-workspace', 'origin']

export function createGateway(
  { models, settings }: Pick<AppContext, 'models' | 'settings'>,
  authenticator: SessionAuthenticator,
): Gateway {
  const authenticated = new WeakMap<Request, { readonly outer: Request; caller: Caller | undefined }>()
  const answers = createConsoleAnswers(settings.brand)

  const authenticate = async (request: Request): Promise<Caller> => {
    const session = await requireSession(request, authenticator, settings.appUrl)
    const workspaceId = request.headers.get('x-workspace')
    if (workspaceId === null) throw missingWorkspace()
    const member = await requireMember(authenticator, session, workspaceId)
    // The request then has at least the access, and at most the objects, that its member had when it came.
    await models.getSince(workspaceId, member.modelVersion)
    const { actor, memberId, move } = member
    const id = member.workspaceId
    return {
      key: `session:${session.id}`,
      limited: false,
      workspaceId: id,
      actor,
      authorizedBy: memberId,
      scopes: scopesOfRole(member),
      move,
    }
  }

  return {
    callerOf(request) {
      const entry = authenticated.get(request)
      if (entry === undefined) return undefined
      const { caller, outer } = entry
      entry.caller = undefined
      return caller ?? authenticate(outer)
    },
    async pass(request, handle) {
      const id = newRequestId()
      try {
        const caller = await authenticate(request)
        const inner = innerRequest(request)
        authenticated.set(inner, { outer: request, caller })
        return withoutCorsHeaders(await handle(inner))
      } catch (error) {
        return answers.error(id, errorFromException(error, request, id))
      }
    },
  }
}

function innerRequest(request: Request): Request {
  const url = urlOf(request)
  url.pathname = url.pathname.slice('/console'.length)
  const headers = new Headers(request.headers)
  for (const name of REMOVED_HEADERS) headers.delete(name)
  const { method, signal, body } = request
  return new Request(url, { method, headers, signal, ...(body === null ? {} : { body }) })
}

function withoutCorsHeaders(response: Response): Response {
  const corsHeaders = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
  for (const name of corsHeaders) response.headers.delete(name)
  return response
}
