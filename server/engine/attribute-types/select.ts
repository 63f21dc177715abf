/**
 * One of the attribute's options. A write never creates an option.
 * See docs/reference/objects-and-attributes.md (Select options and statuses) and docs/reference/values.md (Select).
 */

import { Type } from 'typebox'
import { ALLOWED_SETTINGS, OPTION_COLORS } from '#vocabulary/data-model'
import { unknownOption } from '#base/errors/attributes'
import { defineReferringType } from './define'
import { optionMembers, renderOptions } from './definition/options'

const Id = Type.String({ format: 'uuid' })
const OptionColor = Type.Enum([...OPTION_COLORS])

export const select = defineReferringType({
  type: 'select',
  allows: { ...ALLOWED_SETTINGS.select, match: false, null: true },
  optionKind: 'select',
  ...optionMembers('option', unknownOption),

  input: Type.Object({ option: Type.String({ minLength: 1 }) }),
  parse: (input) => input.option,

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
})
