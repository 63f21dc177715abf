/**
 * The endpoint for assistants: the Model Context Protocol over streamable HTTP. Each request has its own server and nothing
 * is kept between requests, so any process can answer. See docs/reference/assistants.md (Endpoint); docs/decisions/assistants.md.
 */

import type { TokenAuthenticator } from '#access/tokens/authenticate'
import type { AppContext } from '#context'
import { untrustedOrigin } from '#base/errors/access'
import { ApiError } from '#base/errors/api-error'
import type { Caller } from '#api/http/guard/caller'
import { makeRequestContext } from '#api/http/guard/request-context'
import { readBody } from '#api/http/request/read-body'
import { createAnswers, newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { ASSISTANT_RESOURCE_PATH } from '#access/oauth/metadata'
import { requireAllScopes } from '#vocabulary/scopes'
import { makeServer } from './make-server'
import type { OperationCaller } from './operation-caller'
import type { AssistantRequest } from './run-tool'

/** Answers one request to the endpoint. `bearer` is the token that `bearerTokens` read. */
export type AnswerAssistant = (request: Request, bearer: string | undefined) => Promise<Response>

/** Every tool reads the data model. */
const NEEDED = ['object_configuration:read'] as const

export function createMcpEndpoint(
  appContext: AppContext,
  access: TokenAuthenticator,
  caller: OperationCaller,
): AnswerAssistant {
  const { settings } = appContext
  const answers = createAnswers(settings.brand)
  const metadataUrl = settings.appUrl + ASSISTANT_RESOURCE_PATH

  const authenticate = async (request: Request, bearer: string | undefined): Promise<Caller> => {
    const token = await access.authenticate(request.headers.get('authorization'), bearer, 'mcp')
    requireAllScopes(token.scopes, NEEDED)
    return token
  }
  const answer = async (request: Request, bearer: string | undefined): Promise<Response> => {
    refuseOtherOrigin(request, settings.appUrl)
    const authenticated = await authenticate(request, bearer)
    const parsedBody = request.method === 'POST' ? await readBody(request, settings.bodyLimit) : undefined
    const assistantRequest: AssistantRequest = {
      appContext,
      caller: authenticated,
      context: await makeRequestContext(appContext, authenticated, request),
      operations: await caller.operations(),
    }
    return serve(assistantRequest, request, parsedBody)
  }
  return async (request, bearer) => {
    const id = newRequestId()
    try {
      const response = await answer(request, bearer)
      for (const [name, value] of Object.entries(answers.headers(id))) response.headers.set(name, value)
      response.headers.set('Cache-Control', 'no-store')
      return response
    } catch (error) {
      return answers.error(request, id, withMetadata(errorFromException(error, request, id), metadataUrl))
    }
  }
}

/** The SDK takes a second to load, so that it is loaded at the first request. */
async function serve(assistantRequest: AssistantRequest, request: Request, parsedBody: unknown): Promise<Response> {
  const sdk = await import('@modelcontextprotocol/server')
  const handler = sdk.createMcpHandler(() => makeServer(sdk, assistantRequest))
  return handler.fetch(request, parsedBody === undefined ? {} : { parsedBody })
}

/** Pages of other origins are refused, also those that reach this service by DNS rebinding. */
function refuseOtherOrigin({ headers }: Request, appUrl: string): void {
  const origin = headers.get('origin')
  if (origin !== null && origin !== new URL(appUrl).origin) throw untrustedOrigin()
}

/** Names the metadata of this resource, where a client finds the authorization server. RFC 9728, 5.1. */
function withMetadata({ status, type, code, message, extra, headers }: ApiError, metadataUrl: string): ApiError {
  const challenge = headers['WWW-Authenticate']
  if (challenge === undefined) return new ApiError(status, type, code, message, extra, headers)
  const separator = challenge.includes('=') ? ', ' : ' '
  const withUrl = `${challenge}${separator}resource_metadata="${metadataUrl}"`
  return new ApiError(status, type, code, message, extra, { ...headers, 'WWW-Authenticate': withUrl })
}
