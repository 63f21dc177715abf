/** Members by which a caller asks for a part of a result. See docs/reference/errors-and-limits.md (Pagination). */

import { Type } from 'typebox'

/** PostgreSQL counts rows in 64 bits; JavaScript is exact up to here. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER

/** `limit` and `offset` with the endpoint's own default and maximum; for queries and for bodies. */
export const limitOffset = (defaultLimit: number, maxLimit: number) => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: maxLimit, default: defaultLimit })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_OFFSET, default: 0 })),
})

/** `limit` and `offset` of endpoints that give everything when not asked for less. */
export const optionalLimitOffset = () => ({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_OFFSET })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_OFFSET, default: 0 })),
})

/** The part of `items` that was asked for, when all of them are at hand. */
export function pageOf<T>(items: readonly T[], { limit, offset = 0 }: { limit?: number; offset?: number }): T[] {
  return items.slice(offset, limit === undefined ? undefined : offset + limit)
}
