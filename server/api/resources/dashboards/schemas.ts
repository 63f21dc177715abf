/** Wire shapes of dashboards and their charts. See docs/reference/dashboards.md. */

import { type Static, Type } from 'typebox'
import { AggregateInput, GroupInput } from '#engine/query/aggregate/schemas'
import { CHART_KINDS, GRID_COLUMNS, MAX_CHARTS } from '#vocabulary/charts'

const STRICT = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })
const Title = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })
const IsPersonal = Type.Boolean({ description: 'Whether only the member who saved the dashboard sees it.' })

const MAX_AGGREGATES = 4
const MAX_ROW = 1000
const MAX_HEIGHT = 20

const Source = Type.Union([
  Type.Object({ object: Type.String({ description: 'Slug or id of an object.' }) }, STRICT),
  Type.Object({ list: Type.String({ description: 'Slug or id of a list.' }) }, STRICT),
  Type.Object({ saved_query_id: Uuid }, STRICT),
])

const Place = Type.Object(
  {
    column: Type.Integer({ minimum: 0, maximum: GRID_COLUMNS - 1 }),
    row: Type.Integer({ minimum: 0, maximum: MAX_ROW }),
    width: Type.Integer({ minimum: 1, maximum: GRID_COLUMNS }),
    height: Type.Integer({ minimum: 1, maximum: MAX_HEIGHT }),
  },
  { ...STRICT, description: `Where the chart is, in a grid of ${GRID_COLUMNS} columns.` },
)

const ChartMembers = {
  title: Title,
  kind: Type.Enum([...CHART_KINDS]),
  source: Source,
  place: Place,
  filter: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'As in the body of a query.' })),
  aggregates: Type.Optional(
    Type.Array(AggregateInput, {
      maxItems: MAX_AGGREGATES,
      description: 'By default the number of records or entries.',
    }),
  ),
  group_by: Type.Optional(GroupInput),
  split_by: Type.Optional(GroupInput),
  attribute: Type.Optional(Type.String({ description: 'The status attribute of a funnel and of times in status.' })),
  time_attribute: Type.Optional(
    Type.String({
      description: 'The date or time to which the period of a dashboard applies; `created_at` by default.',
    }),
  ),
  owner_attribute: Type.Optional(
    Type.String({ description: 'The actor attribute to which the owner of a dashboard applies.' }),
  ),
}

export const ChartInput = Type.Object(
  {
    id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Of a chart of the dashboard; absent for a new one.' }),
    ),
    ...ChartMembers,
  },
  STRICT,
)
export type ChartInput = Static<typeof ChartInput>

/** A chart names objects, lists and attributes by id. */
export const ChartOutput = Type.Object({ id: Uuid, ...ChartMembers })
export type ChartOutput = Static<typeof ChartOutput>

const Charts = Type.Array(ChartInput, { maxItems: MAX_CHARTS })

const DashboardInput = Type.Object(
  { title: Title, charts: Type.Optional(Charts), is_personal: Type.Optional(IsPersonal) },
  STRICT,
)
export type DashboardInput = Static<typeof DashboardInput>
export const CreateDashboardBody = Type.Object({ data: DashboardInput }, STRICT)

const DashboardChange = Type.Partial(DashboardInput)
export type DashboardChange = Static<typeof DashboardChange>
export const UpdateDashboardBody = Type.Object({ data: DashboardChange }, STRICT)

export const DashboardItem = Type.Object({
  id: Type.Object({ workspace_id: Uuid, dashboard_id: Uuid }),
  title: Type.String(),
  is_personal: IsPersonal,
  created_at: Type.String({ format: 'date-time' }),
  updated_at: Type.String({ format: 'date-time' }),
})
export type DashboardItem = Static<typeof DashboardItem>

export const DashboardOutput = Type.Object({
  ...DashboardItem.properties,
  charts: Type.Array(ChartOutput),
  hidden_charts: Type.Integer({ description: 'How many charts name something that the caller does not see.' }),
})
export type DashboardOutput = Static<typeof DashboardOutput>

export const DashboardAnswer = Type.Object({ data: DashboardOutput })
export const DashboardsAnswer = Type.Object({ data: Type.Array(DashboardItem) })
