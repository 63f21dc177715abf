/**
 * One of the attribute's statuses. A write never creates a status.
 * See docs/reference/objects-and-attributes.md (Select options and statuses) and docs/reference/values.md (Status).
 */

import { Type } from 'typebox'
import type { Attribute } from '#engine/data-model/model'
import { ALLOWED_SETTINGS, OPTION_COLORS } from '#vocabulary/data-model'
import { RESTRICTED_OBJECTS } from '#engine/data-model/names'
import { unknownStatus } from '#base/errors/attributes'
import { defineReferringType } from './define'
import {
  currentTitles,
  findOption,
  getOption,
  optionProperty,
  optionShorthand,
  renderOptions,
} from './definition/options'
import { activeFrom } from './definition/properties'

const Id = Type.String({ format: 'uuid' })
const OptionColor = Type.Enum([...OPTION_COLORS])

export const status = defineReferringType({
  type: 'status',
  allows: { ...ALLOWED_SETTINGS.status, match: false, null: true },
  optionKind: 'status',
  notOn: RESTRICTED_OBJECTS,

  input: Type.Object({ status: Type.String({ minLength: 1 }) }),
  shorthand: optionShorthand('status', 'status_id'),
  parse: (input) => input.status,
  resolve(idOrTitle, attribute) {
    const found = findOption(attribute, idOrTitle, 'current')
    if (!found) throw notFound(attribute, idOrTitle)
    return { status: found.number }
  },

  columns: { status: 'int' },
  indexed: ['status'],
  key: (stored) => String(stored.status),

  sql: { form: 'option', column: 'status' },
  output: Type.Object({
    status: Type.Object({
      id: Type.Object({ workspace_id: Id, object_id: Id, attribute_id: Id, status_id: Id }),
      title: Type.String(),
      is_archived: Type.Boolean(),
      celebration_enabled: Type.Boolean(),
      target_time_in_status: Type.Union([Type.String(), Type.Null()]),
      color: Type.Optional(OptionColor),
    }),
  }),
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
  template: (stored, attribute) => ({ status: getOption(attribute, stored.status).id }),

  properties: {
    status: optionProperty('status', notFound),
    active_from: activeFrom,
  },
  defaultProperty: 'status',
  defaultSort: 'status',
})

function notFound(attribute: Attribute, idOrTitle: string) {
  return unknownStatus(attribute.api_slug, idOrTitle, currentTitles(attribute))
}
