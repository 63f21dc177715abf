/** Stars from 0 to 5, also fractions of a star. See docs/reference/values.md (Rating). */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { defineAttributeType } from './define'
import { numberOperand, ordered } from './definition/properties'
import { scalarAs } from './definition/shorthand'

const Stars = Type.Number({ minimum: 0, maximum: 5 })

export const rating = defineAttributeType({
  type: 'rating',
  allows: { ...ALLOWED_SETTINGS.rating, match: false, null: true },

  input: Type.Object({ value: Stars }),
  shortForm: Stars,
  shorthand: scalarAs('value'),
  // Minus zero is stored and rendered as zero.
  parse: ({ value }) => ({ value: value + 0 }),

  columns: { value: 'double precision' },
  key: ({ value }) => String(value),

  sql: { form: 'scalar', type: 'numeric', column: 'value', convert: (value) => `${value}::text::numeric` },
  output: Type.Object({ value: Stars }),
  render:
    () =>
    ({ value }) =>
      `"value":${value}`,
  plainOutput: 'number',

  properties: { value: ordered('value', numberOperand) },
  defaultProperty: 'value',
  defaultSort: 'value',
})
