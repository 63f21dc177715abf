import { readName } from '#vocabulary/written-values'
import { asText, textField, TEXTUAL, type ValueType } from '../define'
import NameInput from '../inputs/NameValue.svelte'

export const personalName: ValueType = {
  text: ({ full_name }) => asText(full_name),
  input: ({ first_name, last_name, full_name }) => ({ first_name, last_name, full_name }),
  optimistic: (input) => input as Record<string, unknown>, // a value is read as it is written
  refusal: 'Enter a first name or a last name.',
  Input: NameInput,
  read: readName,
  fields: [
    { name: null, label: 'Full name', operators: TEXTUAL, operand: 'text' },
    textField('first_name', 'First name'),
    textField('last_name', 'Last name'),
  ],
  parts: { first_name: 'First name', last_name: 'Last name', full_name: 'Full name' },
  width: 12,
}
