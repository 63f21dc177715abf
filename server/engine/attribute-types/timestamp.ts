/** An instant with nanoseconds; answers have UTC. See docs/reference/values.md (Timestamp). */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { defineAttributeType, scalarAs } from './define'
import { canonicalInstant, parseInstant, renderInstant } from './formats/instants'
import { withinYears } from './definition/sql-form'
import { temporal, stringOperand } from './definition/properties'

export const timestamp = defineAttributeType({
  type: 'timestamp',
  allows: { ...ALLOWED_SETTINGS.timestamp, match: false, null: true },
  dynamicDefault: 'time',

  input: Type.Object({ value: Type.String() }),
  shortForm: Type.String(),
  shorthand: scalarAs('value'),
  parse: ({ value }) => parseInstant(value, ['value']),

  // PostgreSQL's timestamps have microseconds; `value_ns` holds the nanoseconds below.
  columns: { value: 'timestamptz', value_ns: 'smallint' },
  key: ({ value, value_ns }) => `${canonicalInstant(String(value))} ${value_ns ?? 0}`,

  sql: { form: 'scalar', type: 'timestamptz', column: 'value', nanoseconds: 'value_ns' },
  formula: {
    results: ['timestamp with time zone', 'timestamp without time zone'],
    column: 'value',
    value: withinYears,
  },
  output: Type.Object({ value: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}Z$' }) }),
  render:
    () =>
    ({ value, value_ns }) =>
      `"value":"${renderInstant(String(value), value_ns)}"`,
  plainOutput: 'instant',

  properties: {
    value: {
      ...temporal('value', (raw) => {
        const instant = parseInstant(stringOperand(raw))
        return [instant.value, instant.value_ns] as const
      }),
      remainder: 'value_ns',
    },
  },
  defaultProperty: 'value',
  groupedBy: 'value',
  defaultSort: 'value',
})
