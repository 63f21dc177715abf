/**
 * The first, last and full name of a person. See docs/reference/values.md (Personal name).
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { type TSchema, Type } from 'typebox'
import { defineAttributeType } from './define'
import { textual } from './definition/properties'

/** Many times the longest name. */
const MAX_LENGTH = 2000

const nameOf = <T extends TSchema>(text: T) => Type.Object({ first_name: text, last_name: text, full_name: text })

export const personalName = defineAttributeType({
  type: 'personal-name',
  allows: { ...ALLOWED_SETTINGS['personal-name'], match: false, null: true },
  nameMember: 'full_name',

  input: nameOf(Type.String({ maxLength: MAX_LENGTH })),
  shortForm: Type.String({ description: 'Last name, comma, first name.' }),
  shorthand: (raw) => (typeof raw === 'string' ? splitName(raw) : raw),
  parse({ first_name, last_name, full_name }) {
    if (first_name === '' && last_name === '' && full_name === '') return undefined
    return { first_name, last_name, full_name }
  },

  columns: { full_name: 'text', first_name: 'text', last_name: 'text' },
  key: ({ first_name, last_name, full_name }) => JSON.stringify([first_name, last_name, full_name]),

  sql: {
    form: 'struct',
    type: 'personal_name',
    fields: [
      { name: 'first_name', column: 'first_name' },
      { name: 'last_name', column: 'last_name' },
      { name: 'full_name', column: 'full_name' },
    ],
  },
  output: nameOf(Type.String()),
  render: () => (stored) =>
    `"first_name":${JSON.stringify(stored.first_name)},"last_name":${JSON.stringify(stored.last_name)},` +
    `"full_name":${JSON.stringify(stored.full_name)}`,

  properties: {
    full_name: textual('full_name'),
    first_name: textual('first_name'),
    last_name: textual('last_name'),
  },
  defaultProperty: 'full_name',
  defaultSort: 'full_name',
})

/** `Last, First`; further commas belong to the first name, and without any there is no last name. */
function splitName(text: string) {
  const comma = text.indexOf(',')
  const last_name = comma < 0 ? '' : text.slice(0, comma).trim()
  const first_name = text.slice(comma + 1).trim()
  return { first_name, last_name, full_name: `${first_name} ${last_name}`.trim() }
}
