/**
 * One of the attribute's statuses. A write never creates a status.
 * See docs/reference/objects-and-attributes.md (Select options and statuses) and docs/reference/values.md (Status).
 */

import { Type } from 'typebox'
import { ALLOWED_SETTINGS, OPTION_COLORS } from '#vocabulary/data-model'
import { RESTRICTED_OBJECTS } from '#engine/data-model/names'
import { unknownStatus } from '#base/errors/attributes'
import { defineReferringType } from './define'
import { optionMembers, renderOptions } from './definition/options'

const Id = Type.String({ format: 'uuid' })
const OptionColor = Type.Enum([...OPTION_COLORS])

export const StatusOutput = Type.Object({
  status: Type.Object({
    id: Type.Object({ workspace_id: Id, object_id: Id, attribute_id: Id, status_id: Id }),
    title: Type.String(),
    is_archived: Type.Boolean(),
    celebration_enabled: Type.Boolean(),
    target_time_in_status: Type.Union([Type.String(), Type.Null()]),
    color: Type.Optional(OptionColor),
  }),
})

export const status = defineReferringType({
  type: 'status',
  allows: { ...ALLOWED_SETTINGS.status, match: false, null: true },
  optionKind: 'status',
  ...optionMembers('status', unknownStatus),
  notOn: RESTRICTED_OBJECTS,

  input: Type.Object({ status: Type.String({ minLength: 1 }) }),
  parse: (input) => input.status,

  indexed: ['status'],

  output: StatusOutput,
  render(attribute, { workspace }) {
    const text = renderOptions(attribute, (option) => ({
      id: {
        workspace_id: workspace.id,
        object_id: attribute.entity_type_id,
        attribute_id: attribute.id,
        status_id: option.id,
      },
      title: option.title,
      is_archived: option.is_archived,
      celebration_enabled: option.celebration_enabled,
      target_time_in_status: option.target_time_in_status,
      ...(option.color !== null && { color: option.color }),
    }))
    return (stored) => `"status":${text(stored.status)}`
  },
})
