/** The members `limit` and `offset` of queries and bodies. See docs/reference/errors-and-limits.md (Pagination). */

import { Type } from 'typebox'

/** The largest integer that JavaScript represents exactly. PostgreSQL's offsets have 64 bits. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER

/** `limit` and `offset` with the endpoint's own default and maximum; for queries and for bodies. */
export const limitOffset = (defaultLimit: number, maxLimit: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_OFFSET, default: 0 })),
})

/** `limit` and `offset` of endpoints without a default limit. */
export const optionalLimitOffset = () => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_OFFSET })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_OFFSET, default: 0 })),
})

/** Returns one page of `items`. */
export function limitOffsetOf<T>(items: readonly T[], { limit, offset = 0 }: { limit?: number; offset?: number }): T[] {
  return items.slice(offset, limit === undefined ? undefined : offset + limit)
}
