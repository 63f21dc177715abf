/** The types of attributes. See docs/reference/values.md (Types at a glance). */
export const TYPE_NAMES = [
  'text',
  'number',
  'checkbox',
  'currency',
  'date',
  'timestamp',
  'rating',
  'status',
  'select',
  'record-reference',
  'actor-reference',
  'location',
  'domain',
  'email-address',
  'phone-number',
  'interaction',
  'personal-name',
] as const

export type TypeName = (typeof TYPE_NAMES)[number]
