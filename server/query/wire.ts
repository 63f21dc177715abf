/** The body of a query as far as its shape goes; what its filter and sorts say is read by the stages after this. Spec: query. */

import { type Static, Type } from 'typebox'

/** How many holders a page has when nothing is said, and at most. Spec: query 6. */
const PAGE_SIZE = 500

export const SortInput = Type.Object({
  direction: Type.Enum(['asc', 'desc']),
  attribute: Type.Optional(Type.String({ description: 'Slug or id of an attribute.' })),
  path: Type.Optional(
    Type.Array(Type.Array(Type.String()), {
      description: 'Instead of an attribute: `[object or list, attribute]` pairs from one record to the next.',
    }),
  ),
  field: Type.Optional(Type.String({ description: 'A member of the value, where not the usual one is meant.' })),
})
export type SortInput = Static<typeof SortInput>

export const QueryBody = Type.Object({
  filter: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        '`$and`, `$or`, `$not`; attributes with what is asked of their values; or a `path` with its `constraints`.',
    }),
  ),
  filter_view_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'A saved view whose filter is used instead of `filter`.' }),
  ),
  sorts: Type.Optional(Type.Array(SortInput)),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_SIZE, default: PAGE_SIZE })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
})
export type QueryBody = Static<typeof QueryBody>

export const limitOf = ({ limit = PAGE_SIZE }: QueryBody): number => limit
