/** What is answered before and beside the routes: preflights, overlong addresses, and paths that lead nowhere. */

import { Elysia } from 'elysia'
import { endpointNotFound, urlTooLong } from '../errors'
import { newRequestId, type Answers } from './answer'
import { failureOf } from './failure'
import { preflightHeaders } from './headers'

const MAX_URL_LENGTH = 16 * 1024

export const gate = (answers: Answers, brand: string) => {
  const preflight = preflightHeaders(brand)
  return new Elysia({ name: 'gate' })
    .onRequest(({ request }) => {
      if (request.method === 'OPTIONS')
        return new Response(null, { status: 204, headers: { ...answers.headers(newRequestId()), ...preflight } })
      if (request.url.length > MAX_URL_LENGTH) return answers.error(request, newRequestId(), urlTooLong())
      return undefined
    })
    .onError({ as: 'global' }, ({ request, error, code }) => {
      const id = newRequestId()
      const failure =
        code === 'NOT_FOUND' ? endpointNotFound(request.method, pathOf(request.url)) : failureOf(error, request, id)
      return answers.error(request, id, failure)
    })
}

/** The path as it was sent; it may be one that no URL parser takes. */
const pathOf = (url: string): string => /^[a-z]+:\/\/[^/]*([^?#]*)/i.exec(url)?.[1] ?? '/'
