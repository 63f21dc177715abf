import { session } from '../../state/session.svelte'
import { asText, EXACT, TEXTUAL, type ValueType } from '../define'
import PhoneInput from '../phone/PhoneValue.svelte'
import { phoneText } from '../phone/phone'
import { countryName } from '../formats'
import PhoneNumber from '../shown/PhoneNumber.svelte'

const NEEDS_COUNTRY = 'Enter a valid phone number that begins with + and its country code, such as +44 20 7946 0958.'

export const phoneNumber: ValueType = {
  text: ({ phone_number }) => asText(phone_number),
  input: ({ phone_number }) => phone_number,
  optimistic: (input) => ({ phone_number: phoneText(input) }),
  get refusal() {
    const country = session.workspace?.default_country ?? null
    return country === null
      ? NEEDS_COUNTRY
      : `Enter a valid phone number. Numbers outside ${countryName(country)} begin with + and their country code.`
  },
  Shown: PhoneNumber,
  Input: PhoneInput,
  fields: [
    { name: null, label: 'Number', operators: TEXTUAL, operand: 'text' },
    { name: 'country_code', label: 'Country', operators: EXACT, operand: 'country' },
  ],
  width: 11,
  needsCountry: true,
  defaultEditor: 'text',
}
