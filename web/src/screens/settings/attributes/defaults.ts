/** Default values as the text of a form, and back. */

import type { Attribute, AttributeInput } from '../../../api/data-model/attributes'
import type { DefaultEditor } from '../../../values/define'

type Default = NonNullable<AttributeInput['default_value']>

/** The members that hold the whole value, for the types whose defaults this form can show. */
const MEMBERS = ['value', 'currency_value', 'domain', 'email_address', 'original_phone_number', 'option', 'status']

/** The initial text of the form; undefined for a default value that the form cannot show. */
export function textOfDefault({ default_value }: Attribute): string | undefined {
  if (default_value === null) return ''
  if (default_value.type === 'dynamic') return default_value.template
  const [first, ...others] = default_value.template
  if (typeof first !== 'object' || first === null || others.length > 0) return undefined
  const members = first as Readonly<Record<string, unknown>> // checked above
  const value = MEMBERS.map((name) => members[name]).find((one) => one !== undefined && one !== null)
  return typeof value === 'object' ? undefined : String(value)
}

/** The default value that the form sends; null for none. */
export function defaultOf(editor: DefaultEditor | undefined, text: string): Default | null {
  const written = text.trim()
  if (written === '') return null
  if (editor === 'time' || editor === 'member') return { type: 'dynamic', template: written }
  return { type: 'static', template: [valueOf(editor, written)] }
}

function valueOf(editor: DefaultEditor | undefined, text: string): unknown {
  if (editor === 'checkbox') return text === 'true'
  return editor === 'number' ? Number(text) : text
}
