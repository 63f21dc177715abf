import { asText, defaultField, TEXTUAL, type ValueType } from '../define'
import TextInput from '../inputs/TextValue.svelte'

export const text: ValueType = {
  text: ({ value }) => asText(value),
  input: ({ value }) => value,
  optimistic: (input) => ({ value: input }),
  refusal: 'Enter text of up to 10 MB.',
  Input: TextInput,
  groups: 'values',
  fields: [defaultField('text', TEXTUAL)],
  width: 13,
  defaultEditor: 'text',
}
