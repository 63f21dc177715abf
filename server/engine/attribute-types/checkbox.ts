/**
 * True or false, never null; an entity whose checkbox was never written counts as false.
 * See docs/reference/values.md (Checkbox).
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { defineAttributeType, scalarAs } from './define'
import { wrongOperand } from './definition/properties'

export const checkbox = defineAttributeType({
  type: 'checkbox',
  allows: { ...ALLOWED_SETTINGS.checkbox, match: false, null: false },

  input: Type.Object({ value: Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])]) }),
  shortForm: Type.Boolean(),
  shorthand: scalarAs('value'),
  parse: ({ value }) => ({ value: value === true || value === 'true' }),

  columns: { value: 'boolean' },
  key: ({ value }) => String(value),

  sql: { form: 'scalar', type: 'boolean', column: 'value' },
  output: Type.Object({ value: Type.Boolean() }),
  render:
    () =>
    ({ value }) =>
      `"value":${value}`,

  properties: {
    value: {
      source: 'column',
      column: 'value',
      operators: ['$eq', '$not_empty'],
      operand: booleanOperand,
      absentAs: false,
    },
  },
  defaultProperty: 'value',
  groupedBy: 'value',
  defaultSort: 'value',
})

function booleanOperand(raw: unknown): boolean {
  if (raw === true || raw === 'true') return true
  if (raw === false || raw === 'false') return false
  throw wrongOperand('boolean', raw)
}
