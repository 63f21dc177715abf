/**
 * The API for people who are signed in: `/console/v2/…` with the workspace in `X-Workspace` is answered by the very route
 * of `/v2/…`, for the member in place of a token. So the console can do what the API can, and nothing else. Decision 0042.
 */

import type { ModelCache } from '../data-model/cache'
import { missingWorkspace } from '../errors/errors'
import { newRequestId } from '../http/response/answer'
import { createConsoleAnswers } from '../http/response/console-answer'
import { type ConsoleMember, enter, enterWorkspace, type SessionAuthenticator } from '../http/guard/session-guard'
import type { Caller } from '../http/guard/route-guard'
import { errorFromException } from '../http/response/error-from-exception'
import { urlOf } from '../http/request/request-url'
import type { AppContext } from '../platform'
import { ROLE_SCOPES } from '../scopes'

export interface Gateway {
  /** Who asks, where a request came through here; whoever is asked for again may have been signed out meanwhile. Throws then. */
  callerOf(request: Request): Caller | Promise<Caller> | undefined
  /** The answer to a request for `/console/v2/…`; `handle` is the application. */
  pass(request: Request, handle: (request: Request) => Promise<Response>): Promise<Response>
}

/** What a browser sends to us and no route of the API needs, and what only programs send. */
const NOT_PASSED_ON = ['authorization', 'cookie', 'x-csrf-token', 'x-workspace', 'origin']

export function createGateway(
  { models, settings }: Pick<AppContext, 'models' | 'settings'>,
  authenticator: SessionAuthenticator,
): Gateway {
  const admitted = new WeakMap<Request, { readonly outer: Request; caller: Caller | undefined }>()
  const answers = createConsoleAnswers(settings.brand)

  const admit = async (request: Request): Promise<Caller> => {
    const session = await enter(request, authenticator, settings.appUrl)
    const workspaceId = request.headers.get('x-workspace')
    if (workspaceId === null) throw missingWorkspace()
    const member = await enterWorkspace(authenticator, session, workspaceId)
    await bringUpToDate(models, member)
    const { actor, memberId } = member
    const id = member.workspaceId
    return {
      key: `session:${session.id}`,
      limited: false,
      workspaceId: id,
      actor,
      authorizedBy: memberId,
      scopes: scopesOf(member),
    }
  }

  return {
    callerOf(request) {
      const known = admitted.get(request)
      if (known === undefined) return undefined
      const { caller, outer } = known
      known.caller = undefined
      return caller ?? admit(outer)
    },
    async pass(request, handle) {
      const id = newRequestId()
      try {
        const caller = await admit(request)
        const inner = innerRequest(request)
        admitted.set(inner, { outer: request, caller })
        return forThisOriginOnly(await handle(inner))
      } catch (error) {
        return answers.error(id, errorFromException(error, request, id))
      }
    },
  }
}

/** Whoever is suspended does not get here. */
const scopesOf = ({ accessLevel }: ConsoleMember) => ROLE_SCOPES[accessLevel === 'admin' ? 'admin' : 'member']

/** What a member may do with lists is in the data model, which is told of changes a moment later than we are. */
async function bringUpToDate(models: ModelCache, { workspaceId, memberId, accessLevel }: ConsoleMember): Promise<void> {
  const model = await models.get(workspaceId)
  if (model.membersById.get(memberId)?.access_level !== accessLevel) await models.reload(workspaceId)
}

function innerRequest(request: Request): Request {
  const url = urlOf(request)
  url.pathname = url.pathname.slice('/console'.length)
  const headers = new Headers(request.headers)
  for (const name of NOT_PASSED_ON) headers.delete(name)
  const { method, signal, body } = request
  return new Request(url, { method, headers, signal, ...(body === null ? {} : { body }) })
}

function forThisOriginOnly(response: Response): Response {
  const forOthers = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'))
  for (const name of forOthers) response.headers.delete(name)
  return response
}
