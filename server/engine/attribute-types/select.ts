/**
 * One of the attribute's options. A write never creates an option.
 * See docs/reference/objects-and-attributes.md (Select options and statuses) and docs/reference/values.md (Select).
 */

import { Type } from 'typebox'
import type { Attribute } from '#engine/data-model/model'
import { ALLOWED_SETTINGS, OPTION_COLORS } from '#vocabulary/data-model'
import { unknownOption } from '#base/errors/attributes'
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

export const select = defineReferringType({
  type: 'select',
  allows: { ...ALLOWED_SETTINGS.select, match: false, null: true },
  optionKind: 'select',

  input: Type.Object({ option: Type.String({ minLength: 1 }) }),
  shorthand: optionShorthand('option', 'option_id'),
  parse: ({ option }) => option,
  resolve(idOrTitle, attribute) {
    const option = findOption(attribute, idOrTitle, 'current')
    if (!option) throw notFound(attribute, idOrTitle)
    return { option: option.number }
  },

  columns: { option: 'int' },
  key: ({ option }) => String(option),

  sql: { form: 'option', column: 'option' },
  output: Type.Object({
    option: Type.Object({
      id: Type.Object({ workspace_id: Id, object_id: Id, attribute_id: Id, option_id: Id }),
      title: Type.String(),
      is_archived: Type.Boolean(),
      color: Type.Optional(OptionColor),
    }),
  }),
  render(attribute, { workspace }) {
    const text = renderOptions(attribute, ({ id, title, is_archived, color }) => ({
      id: {
        workspace_id: workspace.id,
        object_id: attribute.entity_type_id,
        attribute_id: attribute.id,
        option_id: id,
      },
      title,
      is_archived,
      ...(color !== null && { color }),
    }))
    return ({ option }) => `"option":${text(option)}`
  },
  template: ({ option }, attribute) => ({ option: getOption(attribute, option).id }),

  properties: {
    option: optionProperty('option', notFound),
    active_from: activeFrom,
  },
  defaultProperty: 'option',
  defaultSort: 'option',
})

function notFound(attribute: Attribute, idOrTitle: string) {
  return unknownOption(attribute.api_slug, idOrTitle, currentTitles(attribute))
}
