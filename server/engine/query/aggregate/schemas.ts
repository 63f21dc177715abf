/** The schemas of aggregates and status histories. See docs/reference/query.md (Aggregates, Status histories). */

import { type Static, Type } from 'typebox'
import { StatusOutput } from '#engine/attribute-types/status'
import { QueryBody, SortInput, STRICT } from '#engine/query/parse/schemas'
import { PERIOD_UNITS } from '#vocabulary/relative-periods'

const MAX_AGGREGATES = 50

const AGGREGATE_FUNCTIONS = ['count', 'filled', 'empty', 'sum', 'average', 'min', 'max'] as const
export type AggregateFunction = (typeof AGGREGATE_FUNCTIONS)[number]

const { filter, filter_view_id, time_zone } = QueryBody.properties
const { path } = SortInput.properties

const AGGREGATE = {
  attribute: Type.Optional(Type.String({ description: 'Slug or id of an attribute. `count` needs none.' })),
  function: Type.Enum([...AGGREGATE_FUNCTIONS], {
    description: '`sum`, `average`, `min` and `max` are of number, currency and rating attributes.',
  }),
}

/** Of an attribute of the entities themselves. */
export const AggregateInput = Type.Object(AGGREGATE, STRICT)

const PathAggregateInput = Type.Object({ ...AGGREGATE, path }, STRICT)
export type PathAggregateInput = Static<typeof PathAggregateInput>

const AttributeName = Type.String({ description: 'Slug or id of an attribute.' })

const step = Type.Optional(
  Type.Enum([...PERIOD_UNITS], { description: 'Of dates and times; `day` by default. Weeks begin on Monday.' }),
)

/** By an attribute of the entities themselves. */
export const GroupInput = Type.Union([AttributeName, Type.Object({ attribute: AttributeName, step }, STRICT)])
export type GroupInput = Static<typeof GroupInput>

const PathGroupInput = Type.Union([
  AttributeName,
  Type.Object({ attribute: Type.Optional(AttributeName), path, step }, STRICT),
])
export type PathGroupInput = Static<typeof PathGroupInput>

export const AggregateBody = Type.Object(
  {
    filter,
    filter_view_id,
    time_zone,
    aggregates: Type.Optional(Type.Array(PathAggregateInput, { maxItems: MAX_AGGREGATES })),
    group_by: Type.Optional(PathGroupInput),
    split_by: Type.Optional(PathGroupInput),
  },
  STRICT,
)
export type AggregateBody = Static<typeof AggregateBody>

const GroupMembers = {
  value: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  total: Type.Integer(),
  aggregate_values: Type.Optional(
    Type.Array(Type.Union([Type.Number(), Type.Null()]), {
      description: 'Of the group, in the order of `aggregates`. Absent without aggregates.',
    }),
  ),
}

export const AggregateAnswer = Type.Object({
  data: Type.Object({
    total: Type.Integer(),
    aggregates: Type.Array(
      Type.Object({
        attribute: Type.Optional(Type.String()),
        path,
        function: Type.Enum([...AGGREGATE_FUNCTIONS]),
        value: Type.Union([Type.Number(), Type.Null()]),
      }),
    ),
    groups: Type.Optional(
      Type.Array(Type.Object({ ...GroupMembers, splits: Type.Optional(Type.Array(Type.Object(GroupMembers))) })),
    ),
    has_more_groups: Type.Optional(Type.Boolean()),
    has_more_splits: Type.Optional(Type.Boolean()),
  }),
})
export type AggregateAnswer = Static<typeof AggregateAnswer>

export const StatusHistoryBody = Type.Object(
  {
    filter,
    filter_view_id,
    time_zone,
    attribute: Type.String({ description: 'Slug or id of a status attribute.' }),
    entered: Type.Optional(
      Type.Union([Type.String(), Type.Record(Type.String(), Type.Unknown())], {
        description: 'When a status was given, as a constraint on a timestamp in a filter. By default at any time.',
      }),
    ),
  },
  STRICT,
)
export type StatusHistoryBody = Static<typeof StatusHistoryBody>

const Seconds = Type.Union([Type.Number(), Type.Null()])

export const StatusHistoryAnswer = Type.Object({
  data: Type.Object({
    statuses: Type.Array(
      Type.Object({
        ...StatusOutput.properties,
        reached: Type.Integer({ description: 'The number of records or entries that were given the status.' }),
        current: Type.Integer({ description: 'How many of them have it.' }),
        ended: Type.Integer({ description: 'How often it was followed by another one, or taken away.' }),
        average_seconds: Seconds,
        median_seconds: Seconds,
        over_target: Type.Integer({ description: 'How many have it for longer than its `target_time_in_status`.' }),
      }),
    ),
  }),
})
export type StatusHistoryAnswer = Static<typeof StatusHistoryAnswer>
