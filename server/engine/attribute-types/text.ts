/** Any Unicode text of at most 10 MB, unchanged. See docs/reference/values.md (Text). */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { InvalidValue, invalidValue } from '#base/errors/api-error'
import { defineAttributeType, scalarAs } from './define'
import { textual } from './definition/properties'

const MAX_BYTES = 10 * 1024 * 1024

export const text = defineAttributeType({
  type: 'text',
  allows: { ...ALLOWED_SETTINGS.text, match: true, null: true },
  isLabel: true,
  nameMember: 'value',

  input: Type.Object({ value: Type.String() }),
  shortForm: Type.String(),
  shorthand: scalarAs('value'),
  parse({ value }) {
    if (value === '') return undefined
    if (value.includes('\0')) throw invalidValue('Text cannot hold a NUL character.', ['value'])
    if (isTooLong(value)) throw new InvalidValue([TOO_LONG])
    return { value }
  },

  columns: { value: 'text' },
  key: ({ value }) => String(value),

  sql: { form: 'scalar', type: 'text', column: 'value' },
  output: Type.Object({ value: Type.String() }),
  render:
    () =>
    ({ value }) =>
      `"value":${JSON.stringify(value)}`,
  plainOutput: 'string',

  properties: { value: textual('value') },
  defaultProperty: 'value',
  groupedBy: 'value',
  defaultSort: 'value',
})

/** A UTF-16 unit takes at most three bytes of UTF-8, so that only long texts need counting. */
const isTooLong = (value: string): boolean => value.length * 3 > MAX_BYTES && Buffer.byteLength(value) > MAX_BYTES

const TOO_LONG = {
  code: 'too_big',
  path: ['value'],
  message: 'Text values have at most 10 MB.',
  maximum: MAX_BYTES,
  inclusive: true,
  kind: 'string',
} satisfies InvalidValue['issues'][number]
