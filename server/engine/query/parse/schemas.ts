/**
 * The schema of a query's body. Later stages parse the filter and the sorts.
 * See docs/reference/query.md (The body).
 */

import { type Static, Type } from 'typebox'

/** The default and the maximum number of entities of a page. See docs/reference/query.md (Pages). */
const PAGE_SIZE = 500

/** Of a body that only reads, so that a misspelt filter is not answered with everything. See docs/reference/errors-and-limits.md (Unknown members). */
export const STRICT = { additionalProperties: false }

export const SortInput = Type.Object(
  {
    direction: Type.Enum(['asc', 'desc']),
    attribute: Type.Optional(Type.String({ description: 'Slug or id of an attribute.' })),
    path: Type.Optional(
      Type.Array(Type.Array(Type.String()), {
        description: 'Instead of an attribute: `[object or list, attribute]` pairs from one record to the next.',
      }),
    ),
    field: Type.Optional(
      Type.String({ description: 'A member of the value. Default: the default field of the attribute type.' }),
    ),
  },
  STRICT,
)
export type SortInput = Static<typeof SortInput>

/** No name of a time zone is longer. */
const MAX_TIME_ZONE = 64

export const TimeZone = Type.String({
  minLength: 1,
  maxLength: MAX_TIME_ZONE,
  default: 'UTC',
  description: 'The IANA name of the time zone whose days the periods of `$relative` consist of.',
})

export const QueryBody = Type.Object(
  {
    filter: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          '`$and`, `$or`, `$not`; attributes with constraints on their values; or a `path` with its `constraints`.',
      }),
    ),
    filter_view_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'A saved view whose filter is used instead of `filter`.' }),
    ),
    time_zone: Type.Optional(TimeZone),
    sorts: Type.Optional(Type.Array(SortInput)),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE, default: PAGE_SIZE })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
    cursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Instead of an offset: null for the first page, then the `next_cursor` of the previous page.',
      }),
    ),
    include_count: Type.Optional(
      Type.Boolean({
        description: 'Whether the response has the total number, as `pagination.total`.',
        default: false,
      }),
    ),
    sum: Type.Optional(
      Type.String({
        description:
          'Slug or id of a number, currency or rating attribute: the response has the sum of its values over all that the query finds, as `pagination.sum`.',
      }),
    ),
    fields: Type.Optional(
      Type.Array(Type.String(), { description: 'Slugs or ids of the attributes in the response. Default: all.' }),
    ),
  },
  STRICT,
)
export type QueryBody = Static<typeof QueryBody>

/** The response has it when the body has a cursor or requests the count or a sum. */
export const Pagination = Type.Object({
  next_cursor: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  ended_by_size: Type.Optional(
    Type.Literal(true, { description: 'The page has fewer entities than `limit`, because they are large.' }),
  ),
  total: Type.Optional(Type.Integer()),
  sum: Type.Optional(Type.Number()),
})
export type Pagination = Static<typeof Pagination>

/** The limit and offset of a body, with their defaults. */
export const pageOf = ({ limit = PAGE_SIZE, offset = 0 }: QueryBody) => ({ limit, offset })
