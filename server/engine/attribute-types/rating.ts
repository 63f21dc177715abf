/** Stars from 0 to 5, also fractions of a star: a number within these limits. See docs/reference/values.md (Rating). */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { defineAttributeType } from './define'
import { NUMERIC_RESULTS } from './definition/sql-form'
import { number } from './number'

const Stars = Type.Number({ minimum: 0, maximum: 5 })

const { config: _, ...numeric } = number

export const rating = defineAttributeType({
  ...numeric,
  type: 'rating',
  allows: { ...ALLOWED_SETTINGS.rating, match: false, null: true },

  input: Type.Object({ value: Stars }),
  shortForm: Stars,
  formula: {
    results: NUMERIC_RESULTS,
    column: 'value',
    value: (result) => `case when ${result} between 0 and 5 then ${result} + 0 end`,
  },
  output: Type.Object({ value: Stars }),
  groupedBy: 'value',
})
