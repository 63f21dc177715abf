/** Default values between the wire and a form that holds one text. */

import type { Attribute, AttributeInput } from '../../../api/data-model/attributes'

type Default = NonNullable<AttributeInput['default_value']>
type Type = Attribute['type']

/** How a default of a type is written. Types that are not here get theirs over the API alone. */
export const DEFAULT_EDITORS: Readonly<
  Partial<Record<Type, 'text' | 'number' | 'checkbox' | 'choice' | 'time' | 'member'>>
> = {
  text: 'text',
  domain: 'text',
  'email-address': 'text',
  'phone-number': 'text',
  number: 'number',
  currency: 'number',
  rating: 'number',
  checkbox: 'checkbox',
  select: 'choice',
  status: 'choice',
  date: 'time',
  timestamp: 'time',
  'actor-reference': 'member',
}

/** The members of a value's output that say it all, each of one type. */
const TELLING = ['value', 'currency_value', 'domain', 'email_address', 'original_phone_number', 'option', 'status']

/** The text that the form begins with; undefined for a default this form cannot hold. */
export function textOfDefault({ default_value }: Attribute): string | undefined {
  if (default_value === null) return ''
  if (default_value.type === 'dynamic') return default_value.template
  const [first, ...others] = default_value.template
  if (typeof first !== 'object' || first === null || others.length > 0) return undefined
  const members = first as Readonly<Record<string, unknown>> // an object, as just seen
  const told = TELLING.map((name) => members[name]).find((value) => value !== undefined && value !== null)
  return typeof told === 'object' ? undefined : String(told)
}

/** What is written, for the wire; null for no default. */
export function defaultOf(type: Type, text: string): Default | null {
  const written = text.trim()
  if (written === '') return null
  const editor = DEFAULT_EDITORS[type]
  if (editor === 'time' || editor === 'member') return { type: 'dynamic', template: written }
  return { type: 'static', template: [valueOf(editor, written)] }
}

function valueOf(editor: string | undefined, text: string): unknown {
  if (editor === 'checkbox') return text === 'true'
  return editor === 'number' ? Number(text) : text
}
