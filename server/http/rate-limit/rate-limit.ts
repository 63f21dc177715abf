/**
 * Counting requests, and telling callers how many more they may make.
 * See docs/reference/errors-and-limits.md (Rate limits).
 */

import { ApiError } from '../../errors/api-error'
import { rateLimited } from '../../errors/http'
import type { RateLimitResult, RequestKind, RateLimiter } from './rate-limiter'
import type { Authenticate, Caller } from '../guard/caller'

/** What is known of a request while it is answered. */
export interface Visit {
  /** Absent for one that is not counted. */
  allowance: RateLimitResult | undefined
}

/** What most requests with this method are. */
export const kindOf = (method: string): RequestKind => (method === 'GET' || method === 'HEAD' ? 'read' : 'write')

/** Throws 429 when the caller has to wait. */
export async function countRequest(
  limits: RateLimiter,
  caller: string,
  kind: RequestKind,
  visit: Visit,
): Promise<void> {
  const allowance = await limits.count(caller, kind)
  visit.allowance = allowance
  if (allowance?.retryAt !== undefined) throw rateLimited(new Date(allowance.retryAt))
}

/** The same where no token is needed, when it comes with a good one. */
export async function countKnown(
  limits: RateLimiter,
  authenticate: Authenticate,
  request: Request,
  visit: Visit,
): Promise<void> {
  const caller = await identify(authenticate, request)
  if (caller?.limited === true) await countRequest(limits, caller.key, kindOf(request.method), visit)
}

async function identify(authenticate: Authenticate, request: Request): Promise<Caller | undefined> {
  try {
    return await authenticate(request)
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}

/** Says what is left on an answer of whatever kind. A full second's worth is there again after a second. */
export function withAllowance(response: Response, { allowance }: Visit): Response {
  if (allowance === undefined) return response
  const { limit, remaining } = allowance
  response.headers.set('RateLimit-Limit', String(limit))
  response.headers.set('RateLimit-Remaining', String(remaining))
  response.headers.set('RateLimit-Reset', remaining < limit ? '1' : '0')
  return response
}
