/**
 * Counts requests, and answers those that reach no route: preflights, URLs that are too long, invalid hosts, and unknown paths.
 * A browser gets the console's page for a path without a route.
 */

import { Elysia } from 'elysia'
import type { ApiError } from '../../errors/api-error'
import { routeNotFound, invalidHost, urlTooLong } from '../../errors/http'
import { newRequestId, type Answers } from '../response/answer'
import { createConsoleAnswers, isForConsole } from '../response/console-answer'
import { authorizationErrorPage } from '../response/error-page'
import { errorFromException } from '../response/error-from-exception'
import { preflightHeaders } from '../response/headers'
import { isHostValid, pathOf } from '../request/request-url'
import type { RequestCounter } from '../monitoring/request-counter'
import { isForScim, scimErrorResponse } from '../scim/scim-response'
import { servePage, wantsPage } from '../console-files/console-files'
import { inStandardForm, isForClients } from './oauth-endpoint'

const MAX_URL_LENGTH = 16 * 1024

export const globalHooks = (answers: Answers, brand: string, requests: RequestCounter) => {
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
