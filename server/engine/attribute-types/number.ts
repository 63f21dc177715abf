/** A 64-bit floating-point number, not rounded. See docs/reference/values.md (Number). */

import { Type } from 'typebox'
import { ALLOWED_SETTINGS, THOUSANDS_SEPARATORS } from '#vocabulary/data-model'
import { defineAttributeType, defineConfig, scalarAs } from './define'
import { isFinite, NUMERIC_RESULTS } from './definition/sql-form'
import { numberOperand, ordered } from './definition/properties'

export const NumberConfig = Type.Object({ thousands_separators: Type.Enum([...THOUSANDS_SEPARATORS]) })

export const number = defineAttributeType({
  type: 'number',
  allows: { ...ALLOWED_SETTINGS.number, match: true, null: true },
  config: defineConfig({
    member: 'number',
    input: NumberConfig,
    initial: {},
    parse: (input) => ({ number: input }),
  }),

  input: Type.Object({ value: Type.Number() }),
  shortForm: Type.Number(),
  shorthand: scalarAs('value'),
  // Minus zero is stored and rendered as zero.
  parse: ({ value }) => ({ value: value + 0 }),

  columns: { value: 'double precision' },
  key: ({ value }) => String(value),

  // A conversion of `double precision` itself would keep only 15 digits.
  sql: { form: 'scalar', type: 'numeric', column: 'value', convert: (value) => `${value}::text::numeric` },
  formula: {
    results: NUMERIC_RESULTS,
    column: 'value',
    hasAllNumbers: true,
    value: (result) => `case when ${isFinite(result)} then ${result} + 0 end`,
  },
  output: Type.Object({ value: Type.Number() }),
  render:
    () =>
    ({ value }) =>
      `"value":${value}`,
  plainOutput: 'number',

  properties: { value: ordered('value', numberOperand) },
  defaultProperty: 'value',
  defaultSort: 'value',
})
