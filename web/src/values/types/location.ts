import { EXACT, textField, type ValueType } from '../define'
import { countryName } from '../formats'
import PlaceInput from '../inputs/LocationValue.svelte'
import { PLACE_LABELS, PLACE_MEMBERS } from '../parts/place'

export const location: ValueType = {
  text({ line_1, line_2, locality, region, postcode, country_code }) {
    const country = typeof country_code === 'string' ? countryName(country_code) : null
    const parts = [line_1, line_2, locality, region, postcode, country]
    return parts.filter((part) => typeof part === 'string' && part !== '').join(', ')
  },
  input: (value) => Object.fromEntries(PLACE_MEMBERS.map((member) => [member, value[member] ?? null])),
  optimistic: (input) => input as Record<string, unknown>, // a value is read as it is written
  refusal: 'Enter a valid address.',
  Input: PlaceInput,
  fields: [
    textField('locality', 'City'),
    textField('region', 'Region'),
    { name: 'country_code', label: 'Country', operators: EXACT, operand: 'country' },
    textField('postcode', 'Postcode'),
    textField('line_1', 'Address line 1'),
  ],
  width: 13,
  parts: PLACE_LABELS,
}
