/**
 * Counts requests, and answers those that reach no route: preflights, URLs that are too long, invalid hosts, unknown paths, and all
 * requests of a process that is superseded.
 * A browser gets the console's page for a path without a route.
 */

import { Elysia } from 'elysia'
import type { AppContext } from '#context'
import type { ApiError } from '#base/errors/api-error'
import { invalidHost, routeNotFound, serviceUnavailable, urlTooLong } from '#base/errors/http'
import { newRequestId, type Answers } from '#api/http/response/answer'
import { createConsoleAnswers, isForConsole } from '#api/http/response/console-answer'
import { authorizationErrorPage } from '#api/http/response/error-page'
import { errorFromException } from '#api/http/response/error-from-exception'
import { preflightHeaders } from '#api/http/response/headers'
import { isHostValid, pathOf } from '#api/http/request/request-url'
import { isForScim, scimErrorResponse } from '#api/http/scim/scim-response'
import { servePage, wantsPage } from '#api/http/console-files/console-files'
import { inStandardForm, isForClients } from './oauth-endpoint'

const MAX_URL_LENGTH = 16 * 1024

/** A process that is superseded still answers health checks. */
const HEALTH_PATHS = ['/healthz', '/readyz']
/** Until then, a load balancer has found a process of the newer version. */
const SUPERSEDED_RETRY_AFTER_MS = 5000

export const globalHooks = (
  answers: Answers,
  brand: string,
  { requests, superseded }: Pick<AppContext, 'requests' | 'superseded'>,
) => {
  const preflight = preflightHeaders(brand)
  const ownPages = createConsoleAnswers(brand)
  const refuse = (request: Request, id: string, error: ApiError) => {
    const path = pathOf(request)
    if (isAuthorizationRequest(request, path)) return authorizationErrorPage(error)
    if (isForConsole(path)) return ownPages.error(id, error)
    if (isForScim(path)) return scimErrorResponse(answers, request, id, error)
    return answers.error(request, id, isForClients(path) ? inStandardForm(error) : error)
  }

  return new Elysia({ name: 'global-hooks' })
    .onRequest(({ request }) => {
      requests.add()
      if (superseded?.signal.aborted === true && !HEALTH_PATHS.includes(pathOf(request)))
        return refuse(request, newRequestId(), serviceUnavailable(new Date(Date.now() + SUPERSEDED_RETRY_AFTER_MS)))
      if (request.url.length > MAX_URL_LENGTH) return refuse(request, newRequestId(), urlTooLong())
      if (!isHostValid(request)) return refuse(request, newRequestId(), invalidHost())
      if (request.method === 'OPTIONS' && !isForConsole(pathOf(request)))
        return new Response(null, { status: 204, headers: { ...answers.headers(newRequestId()), ...preflight } })
      return undefined
    })
    .onError({ as: 'global' }, ({ request, error, code }) => {
      const id = newRequestId()
      const path = pathOf(request)
      const failure =
        code === 'NOT_FOUND' ? routeNotFound(request.method, path) : errorFromException(error, request, id)
      if (failure.status === 404 && wantsPage(request, path)) return servePage(request, { status: 404 })
      return refuse(request, id, failure)
    })
}

/** Whether the request comes from a browser at the authorization endpoint, whose errors are pages. */
const isAuthorizationRequest = ({ method }: Request, path: string): boolean =>
  path === '/authorize' && (method === 'GET' || method === 'POST')
