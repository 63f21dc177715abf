/**
 * Counts requests against the rate limits of their callers, and sets the headers that describe the limit.
 * See docs/reference/errors-and-limits.md (Rate limits).
 */

import { ApiError } from '#base/errors/api-error'
import { rateLimited } from '#base/errors/http'
import type { RateLimitResult, RequestKind, RateLimiter } from './rate-limiter'
import type { Authenticate, Caller } from '#api/http/guard/caller'

export interface CountedRequest {
  /** Undefined for a request that is not counted. */
  rateLimit: RateLimitResult | undefined
}

/** The kind of most requests with this method. */
export const requestKindOf = (method: string): RequestKind => (method === 'GET' || method === 'HEAD' ? 'read' : 'write')

/** Throws 429 when the caller has reached the limit. */
export async function countRequest(
  limits: RateLimiter,
  caller: string,
  kind: RequestKind,
  counted: CountedRequest,
): Promise<void> {
  const result = await limits.count(caller, kind)
  counted.rateLimit = result
  if (result?.retryAt !== undefined) throw rateLimited(new Date(result.retryAt))
}

/** Counts a request to an open route if it has a valid token. */
export async function countOpenRequest(
  limits: RateLimiter,
  authenticate: Authenticate,
  incoming: CountedRequest & { readonly request: Request; readonly bearer: string | undefined },
): Promise<void> {
  const { request, bearer } = incoming
  const caller = await findCaller(authenticate, request, bearer)
  if (caller?.limited === true) await countRequest(limits, caller.key, requestKindOf(request.method), incoming)
}

async function findCaller(
  authenticate: Authenticate,
  request: Request,
  bearer: string | undefined,
): Promise<Caller | undefined> {
  try {
    return await authenticate(request, bearer)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}

/** Sets the RateLimit headers of a counted request. The bucket is full again after at most a second. */
export function setRateLimitHeaders(response: Response, { rateLimit }: CountedRequest): Response {
  if (rateLimit === undefined) return response
  const { limit, remaining } = rateLimit
  response.headers.set('RateLimit-Limit', String(limit))
  response.headers.set('RateLimit-Remaining', String(remaining))
  response.headers.set('RateLimit-Reset', remaining < limit ? '1' : '0')
  return response
}
