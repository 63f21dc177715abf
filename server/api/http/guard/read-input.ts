/** Reads path parameters, query and body of a request. */

import type { TObject, TSchema } from 'typebox'
import { invalidBody, routeNotFound } from '#base/errors/http'
import { compileCheck } from '#base/validation/compile-check'
import { compileUnknownMembers } from '#base/validation/unknown-members'
import { isValidUnicode } from '#api/http/request/parse-body'
import { readBody } from '#api/http/request/read-body'
import { compileQuery, unknownParameters } from '#api/http/request/read-parameters'
import { pathOf } from '#api/http/request/request-url'
import type { IncomingRequest, OpenInput, OpenRouteSpec } from './route'

/** Throws 404 for a path parameter that Elysia could not decode, or that is not valid Unicode. */
export function requireValidParams<P extends Readonly<Record<string, string>>>(request: Request, params: P): P {
  for (const name in params) {
    const value: unknown = params[name]
    if (typeof value !== 'string' || !isValidUnicode(value)) throw routeNotFound(request.method, pathOf(request))
  }
  return params
}

/** A response names at most this number of unknown members. */
const MAX_IGNORED = 20

/**
 * Returns a function that reads the query and the body of a request, and checks them against the schemas of the route. It stores in
 * `incoming` what the schemas do not name.
 */
export function compileReader<Q extends TObject, B extends TSchema>(
  spec: Pick<OpenRouteSpec<Q, B>, 'query' | 'body' | 'documentedBody' | 'bodyOptional'>,
  limit: number,
) {
  const readQuery = spec.query === undefined ? undefined : compileQuery(spec.query)
  const check = spec.body === undefined ? undefined : compileCheck(spec.body)
  const documented = spec.documentedBody ?? spec.body
  const findUnknown = documented === undefined ? undefined : compileUnknownMembers(documented, MAX_IGNORED)
  const parameters = new Set(Object.keys(spec.query?.properties ?? {}))
  return async (
    request: Request,
    incoming?: Pick<IncomingRequest, 'ignored'>,
  ): Promise<Pick<OpenInput<Q, B>, 'query' | 'body'>> => {
    if (incoming !== undefined) incoming.ignored = unknownParameters(request, parameters).slice(0, MAX_IGNORED)
    const query = readQuery?.(request)
    let body: unknown
    if (check !== undefined) {
      body = (await readBody(request, limit)) ?? (spec.bodyOptional === true ? {} : undefined)
      const issues = check(body)
      if (issues.length > 0) throw invalidBody(issues)
      if (incoming !== undefined && findUnknown !== undefined)
        incoming.ignored = [...incoming.ignored, ...findUnknown(body)]
    }
    // Both match their schemas here. A route without a schema gets undefined.
    return { query, body } as Pick<OpenInput<Q, B>, 'query' | 'body'>
  }
}
