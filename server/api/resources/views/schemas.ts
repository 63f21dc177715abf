/** The schemas of views. See docs/reference/views.md (Members). */

import { type Static, Type } from 'typebox'
import { SortInput } from '#engine/query/parse/schemas'

const Uuid = Type.String({ format: 'uuid' })

const Title = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })
const Layout = Type.Enum(['table', 'board'])
const Filter = Type.Record(Type.String(), Type.Unknown(), { description: 'As in the body of a query.' })
const Sorts = Type.Array(SortInput)
const VisibleAttributes = Type.Union([Type.Array(Type.String()), Type.Null()], {
  description: 'Slugs or ids, in order; null for all. `company.industry` is an attribute of a referenced record.',
})

const Board = Type.Union(
  [
    Type.Object({
      attribute: Type.String({ description: 'The status or select attribute whose options are the columns.' }),
      sum_attribute: Type.Optional(
        Type.Union([Type.String(), Type.Null()], {
          description: 'The number, currency or rating attribute whose sum each column shows.',
        }),
      ),
    }),
    Type.Null(),
  ],
  { description: 'Of a board; null for a table. `visible_attributes` are those on its cards.' },
)
const GroupBy = Type.Union([Type.String(), Type.Null()], {
  description:
    'The attribute by which a table groups its rows, such as a status or `company.categories`; null for no groups.',
})
const IsDefault = Type.Boolean({
  description:
    'Whether the console opens this view for everyone. At most one shared view of an object, list or activity.',
})
const IsPersonal = Type.Boolean({ description: 'Whether only the member who saved the view sees it.' })

export const ViewInput = Type.Object({
  title: Title,
  type: Layout,
  filter: Type.Optional(Filter),
  sorts: Type.Optional(Sorts),
  visible_attributes: Type.Optional(VisibleAttributes),
  board: Type.Optional(Board),
  group_by: Type.Optional(GroupBy),
  is_personal: Type.Optional(IsPersonal),
  is_default: Type.Optional(IsDefault),
})
export type ViewInput = Static<typeof ViewInput>

export const ViewChange = Type.Partial(Type.Object({ ...ViewInput.properties, is_archived: Type.Boolean() }))
export type ViewChange = Static<typeof ViewChange>

export const CreateViewBody = Type.Object({ data: ViewInput })
export const UpdateViewBody = Type.Object({ data: ViewChange })

const ViewId = Type.Union([
  Type.Object({ workspace_id: Uuid, object_id: Uuid, view_id: Uuid }),
  Type.Object({ workspace_id: Uuid, list_id: Uuid, view_id: Uuid }),
  Type.Object({ workspace_id: Uuid, activity_id: Uuid, view_id: Uuid }),
])

export const ViewItem = Type.Object({
  id: ViewId,
  title: Type.String(),
  created_at: Type.String({ format: 'date-time' }),
  type: Layout,
  is_personal: IsPersonal,
  is_default: IsDefault,
})
export type ViewItem = Static<typeof ViewItem>

/** A view. It names attributes by id. */
export const ViewOutput = Type.Object({
  ...ViewItem.properties,
  filter: Filter,
  sorts: Sorts,
  visible_attributes: VisibleAttributes,
  board: Type.Union([Type.Object({ attribute: Uuid, sum_attribute: Type.Union([Uuid, Type.Null()]) }), Type.Null()]),
  group_by: GroupBy,
  is_archived: Type.Boolean(),
})
export type ViewOutput = Static<typeof ViewOutput>

export const ViewAnswer = Type.Object({ data: ViewOutput })
export const ViewsAnswer = Type.Object({
  data: Type.Array(ViewItem),
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})
export const ViewsQuery = Type.Object({
  show_archived: Type.Optional(Type.Boolean({ default: false })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 500 })),
  cursor: Type.Optional(Type.String()),
})
export type ViewsQuery = Static<typeof ViewsQuery>
