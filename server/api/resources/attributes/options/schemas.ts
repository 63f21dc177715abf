/**
 * The schemas of select options and statuses. See docs/reference/objects-and-attributes.md (Select options and statuses).
 */

import { type Static, Type } from 'typebox'
import { DURATION_PATTERN } from '#engine/data-model/find'
import { OPTION_COLORS } from '#vocabulary/data-model'

const Uuid = Type.String({ format: 'uuid' })
const Title = Type.String({ minLength: 1, description: 'Unique within the attribute, in any case.' })
const Duration = Type.Union([Type.String({ pattern: DURATION_PATTERN }), Type.Null()])

export const SortOrder = Type.Integer({
  minimum: 0,
  description:
    'The new index among the options, or among the custom attributes, from 0; archived ones count. Beyond the end, it is the last one.',
})

const OptionColor = Type.Enum([...OPTION_COLORS])
const Color = Type.Union([OptionColor, Type.Null()], {
  description: 'Without a color, the console derives one from the id.',
})

export const OptionInput = Type.Object({ title: Title, color: Type.Optional(Color) })
export const StatusInput = Type.Object({
  title: Title,
  celebration_enabled: Type.Optional(Type.Boolean()),
  target_time_in_status: Type.Optional(Duration),
  color: Type.Optional(Color),
})

export const OptionChange = Type.Partial(
  Type.Object({ title: Title, is_archived: Type.Boolean(), color: Color, sort_order: SortOrder }),
)
export const StatusChange = Type.Partial(
  Type.Object({
    title: Title,
    celebration_enabled: Type.Boolean(),
    target_time_in_status: Duration,
    color: Color,
    is_archived: Type.Boolean(),
    sort_order: SortOrder,
  }),
)

/** The members of a new option. An option has only a title and a color. */
export type NewOption = Static<typeof StatusInput>
export type ChangedOption = Static<typeof StatusChange>

export const OptionOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, object_id: Uuid, attribute_id: Uuid, option_id: Uuid }),
  title: Type.String(),
  is_archived: Type.Boolean(),
  color: Type.Optional(OptionColor),
})
export type OptionOutput = Static<typeof OptionOutput>

export const StatusOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, object_id: Uuid, attribute_id: Uuid, status_id: Uuid }),
  title: Type.String(),
  is_archived: Type.Boolean(),
  celebration_enabled: Type.Boolean(),
  target_time_in_status: Type.Union([Type.String(), Type.Null()]),
  color: Type.Optional(OptionColor),
})
export type StatusOutput = Static<typeof StatusOutput>
