/** A calendar day, independent of time zones. See docs/reference/values.md (Date). */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { defineAttributeType, scalarAs } from './define'
import { parseDate } from './formats/instants'
import { withinYears } from './definition/sql-form'
import { temporal, stringOperand } from './definition/properties'

export const date = defineAttributeType({
  type: 'date',
  allows: { ...ALLOWED_SETTINGS.date, match: false, null: true },
  dynamicDefault: 'time',

  input: Type.Object({ value: Type.String() }),
  shortForm: Type.String(),
  shorthand: scalarAs('value'),
  parse: ({ value }) => ({ value: parseDate(value, ['value']) }),

  columns: { value: 'date' },
  key: ({ value }) => String(value),

  sql: { form: 'scalar', type: 'date', column: 'value' },
  formula: { results: ['date'], column: 'value', value: withinYears },
  output: Type.Object({ value: Type.String({ format: 'date' }) }),
  render:
    () =>
    ({ value }) =>
      `"value":"${value}"`,
  plainOutput: 'string',

  properties: { value: temporal('value', (raw) => parseDate(stringOperand(raw))) },
  defaultProperty: 'value',
  groupedBy: 'value',
  defaultSort: 'value',
})
