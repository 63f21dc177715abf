/** The schemas of aggregates. See docs/reference/query.md (Aggregates). */

import { type Static, Type } from 'typebox'
import { QueryBody, STRICT } from '#engine/query/parse/schemas'

const MAX_AGGREGATES = 50

const AGGREGATE_FUNCTIONS = ['count', 'filled', 'empty', 'sum', 'average', 'min', 'max'] as const
export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number]

const { filter, filter_view_id, time_zone } = QueryBody.properties

export const AggregateBody = Type.Object(
  {
    filter,
    filter_view_id,
    time_zone,
    aggregates: Type.Optional(
      Type.Array(
        Type.Object(
          {
            attribute: Type.String({ description: 'Slug or id of an attribute.' }),
            function: Type.Enum([...AGGREGATE_FUNCTIONS], {
              description: '`sum`, `average`, `min` and `max` are of number, currency and rating attributes.',
            }),
          },
          STRICT,
        ),
        { maxItems: MAX_AGGREGATES },
      ),
    ),
    group_by: Type.Optional(
      Type.String({ description: 'Slug or id of a select, status, actor or record reference attribute.' }),
    ),
  },
  STRICT,
)
export type AggregateBody = Static<typeof AggregateBody>

export const AggregateAnswer = Type.Object({
  data: Type.Object({
    total: Type.Integer(),
    aggregates: Type.Array(
      Type.Object({
        attribute: Type.String(),
        function: Type.Enum([...AGGREGATE_FUNCTIONS]),
        value: Type.Union([Type.Number(), Type.Null()]),
      }),
    ),
    groups: Type.Optional(
      Type.Array(
        Type.Object({
          value: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
          total: Type.Integer(),
        }),
      ),
    ),
    has_more_groups: Type.Optional(Type.Boolean()),
  }),
})
export type AggregateAnswer = Static<typeof AggregateAnswer>
