/** Reads path parameters, query and body of a request. */

import type { TObject, TSchema } from 'typebox'
import { invalidBody, routeNotFound } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'
import { isValidUnicode } from '#api/http/request/invalid-unicode'
import { readBody } from '#api/http/request/read-body'
import { compileQuery } from '#api/http/request/read-parameters'
import { pathOf } from '#api/http/request/request-url'
import type { OpenInput, OpenRouteSpec } from './route'

/** Throws 404 for a path parameter that Elysia could not decode, or that is not valid Unicode. */
export function requireValidParams<P extends Readonly<Record<string, string>>>(request: Request, params: P): P {
  for (const name in params) {
    const value: unknown = params[name]
    if (typeof value !== 'string' || !isValidUnicode(value)) throw routeNotFound(request.method, pathOf(request))
  }
  return params
}

/** Returns a function that reads the query and the body of a request, and checks them against the schemas of the route. */
export function compileReader<Q extends TObject, B extends TSchema>(
  spec: Pick<OpenRouteSpec<Q, B>, 'query' | 'body' | 'bodyOptional'>,
  limit: number,
) {
  const readQuery = spec.query === undefined ? undefined : compileQuery(spec.query)
  const check = spec.body === undefined ? undefined : compileCheck(spec.body)
  return async (request: Request): Promise<Pick<OpenInput<Q, B>, 'query' | 'body'>> => {
    const query = readQuery?.(request)
    let body: unknown
    if (check !== undefined) {
      body = (await readBody(request, limit)) ?? (spec.bodyOptional === true ? {} : undefined)
      const issues = check(body)
      if (issues.length > 0) throw invalidBody(issues)
    }
    // Both match their schemas here. A route without a schema gets undefined.
    return { query, body } as Pick<OpenInput<Q, B>, 'query' | 'body'>
  }
}
