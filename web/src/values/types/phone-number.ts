import { asText, EXACT, TEXTUAL, type ValueType } from '../define'
import LinesInput from '../inputs/LinesValue.svelte'
import PhoneNumber from '../shown/PhoneNumber.svelte'

export const phoneNumber: ValueType = {
  text: ({ phone_number }) => asText(phone_number),
  input: ({ phone_number }) => phone_number,
  optimistic: (input) => ({ phone_number: input }),
  refusal: 'Enter a valid phone number with its country code, such as +44 20 7946 0958.',
  Shown: PhoneNumber,
  Input: LinesInput,
  fields: [
    { name: null, label: 'Number', operators: TEXTUAL, operand: 'text' },
    { name: 'country_code', label: 'Country', operators: EXACT, operand: 'country' },
  ],
  width: 11,
  needsCountry: true,
  defaultEditor: 'text',
}
