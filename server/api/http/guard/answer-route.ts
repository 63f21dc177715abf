/** Makes the response of a route from its output, or from the error that it throws. */

import type { ApiContext, AppContext } from '#context'
import { setRateLimitHeaders } from '#api/http/rate-limit/rate-limit'
import { createAnswers, newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import { EventStream, streamResponse } from '#api/http/response/event-stream'
import { JsonStream, jsonStreamResponse } from '#api/http/response/json-stream'
import { renderOutput } from '#api/http/response/output'
import { requireValidParams } from './read-input'
import type { GuardedRoute, IncomingRequest, Output, PathParams } from './route'

/** The steps that differ between routes. */
export interface RouteSteps {
  /** Guards and runs the operation. */
  run(incoming: IncomingRequest): Promise<Output>
  /** Checks again the access of the caller of an open event stream. Undefined for a route without streams. */
  renew?(incoming: IncomingRequest): Promise<ApiContext>
}

export function createRouteHandler({
  settings,
  models,
  shutdownSignal,
}: AppContext): (steps: RouteSteps) => GuardedRoute[0] {
  const answers = createAnswers(settings.brand)
  return ({ run, renew }) =>
    // Elysia reads the parameter list of this function to decide what it prepares for each request.
    async ({ request, params, bearer }) => {
      const id = newRequestId()
      // The values of the path parameters are checked before their use.
      const incoming: IncomingRequest = {
        request,
        params: params as PathParams,
        bearer,
        isDryRun: false,
        rateLimit: undefined,
        workspaceId: undefined,
      }
      try {
        requireValidParams(request, incoming.params)
        const output = await run(incoming)
        const renewed = async () => renew?.(incoming).catch(() => undefined)
        if (output instanceof EventStream) {
          // The stream ends when the caller is no longer allowed to read it.
          return streamResponse(output, answers.headers(id), renewed, {
            stopping: shutdownSignal,
            // Access changes with the data model, which has the members.
            onAccessChange: (notify) => models.onChange((changed) => changed === incoming.workspaceId && notify()),
          })
        }
        if (output instanceof JsonStream) {
          const headers = answers.headers(id, output.options.queryScore)
          return setRateLimitHeaders(jsonStreamResponse(output, headers, renewed), incoming)
        }
        return setOwnHeaders(await answers.json(request, id, renderOutput(output)), incoming)
      } catch (error) {
        return setOwnHeaders(await answers.error(request, id, errorFromException(error, request, id)), incoming)
      }
    }
}

/** Sets the headers that depend on the request. */
function setOwnHeaders(response: Response, incoming: IncomingRequest): Response {
  if (incoming.isDryRun) response.headers.set('Dry-Run', 'true')
  return setRateLimitHeaders(response, incoming)
}
