/** The views that a member pinned to the navigation. */

import { type Static, Type } from 'typebox'
import { listOf } from '#api/console/schemas'

const ViewPin = Type.Object({
  view_id: Type.String(),
  title: Type.String(),
  type: Type.Enum(['table', 'board']),
  entity_type: Type.Object({
    kind: Type.Enum(['objects', 'lists', 'activities']),
    id: Type.String(),
    slug: Type.String(),
  }),
})
export type ViewPin = Static<typeof ViewPin>

export const ViewPinsAnswer = listOf(ViewPin)
