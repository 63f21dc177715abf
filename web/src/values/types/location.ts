import { EXACT, textField, type ValueType } from '../define'
import { countryName } from '../formats'
import { LOCATION_PARTS, type LocationPart } from '#vocabulary/data-model'
import PlaceInput from '../inputs/LocationValue.svelte'

const LABELS: Readonly<Record<LocationPart, string>> = {
  line_1: 'Address line 1',
  line_2: 'Address line 2',
  line_3: 'Address line 3',
  line_4: 'Address line 4',
  locality: 'City',
  region: 'Region',
  postcode: 'Postcode',
  country_code: 'Country',
  latitude: 'Latitude',
  longitude: 'Longitude',
}

const joined = (parts: readonly unknown[]): string =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(', ')

const countryOf = (code: unknown): string | null => (typeof code === 'string' ? countryName(code) : null)

export const location: ValueType = {
  text: ({ line_1, line_2, line_3, line_4, locality, region, postcode, country_code }) =>
    joined([line_1, line_2, line_3, line_4, locality, region, postcode, countryOf(country_code)]),
  // The input has the lines and the postcode behind "More".
  shortText: ({ locality, region, country_code }) => joined([locality, region, countryOf(country_code)]),
  input: (value) => Object.fromEntries(LOCATION_PARTS.map((member) => [member, value[member] ?? null])),
  optimistic: (input) => input as Record<string, unknown>, // a value is read as it is written
  refusal: 'Enter a valid address.',
  Input: PlaceInput,
  groups: 'values',
  fields: [
    textField('locality', 'City'),
    textField('region', 'Region'),
    { name: 'country_code', label: 'Country', operators: EXACT, operand: 'country' },
    textField('postcode', 'Postcode'),
    textField('line_1', 'Address line 1'),
  ],
  width: 13,
  parts: LABELS,
}
