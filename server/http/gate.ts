/** What is answered before and beside the routes: preflights, overlong addresses, and paths that lead nowhere. */

import { Elysia } from 'elysia'
import { type ApiError, endpointNotFound, urlTooLong } from '../errors'
import { newRequestId, type Answers } from './answer'
import { createConsoleAnswers, isForConsole } from './console-answer'
import { failureOf } from './failure'
import { preflightHeaders } from './headers'

const MAX_URL_LENGTH = 16 * 1024

export const gate = (answers: Answers, brand: string) => {
  const preflight = preflightHeaders(brand)
  const ownPages = createConsoleAnswers(brand)
  const refuse = (request: Request, id: string, error: ApiError) =>
    isForConsole(pathOf(request.url)) ? ownPages.error(id, error) : answers.error(request, id, error)

  return new Elysia({ name: 'gate' })
    .onRequest(({ request }) => {
      if (request.method === 'OPTIONS' && !isForConsole(pathOf(request.url)))
        return new Response(null, { status: 204, headers: { ...answers.headers(newRequestId()), ...preflight } })
      if (request.url.length > MAX_URL_LENGTH) return refuse(request, newRequestId(), urlTooLong())
      return undefined
    })
    .onError({ as: 'global' }, ({ request, error, code }) => {
      const id = newRequestId()
      const failure =
        code === 'NOT_FOUND' ? endpointNotFound(request.method, pathOf(request.url)) : failureOf(error, request, id)
      return refuse(request, id, failure)
    })
}

/** The path as it was sent; it may be one that no URL parser takes. */
const pathOf = (url: string): string => /^[a-z]+:\/\/[^/]*([^?#]*)/i.exec(url)?.[1] ?? '/'
