/**
 * A telephone number that exists in the world's numbering plans, as E.164 and as it was written.
 * See docs/reference/values.md (Phone number).
 *
 * Numbers of no country, such as `+800 …`, are accepted only with a country code, because answers always have one.
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import parsePhoneNumber, { isSupportedCountry } from 'libphonenumber-js/max'
import { Type } from 'typebox'
import { invalidValue } from '#base/errors/api-error'
import { COUNTRY_CODES, type CountryCode, upperCaseCode, isCountryCode } from '#vocabulary/countries'
import { defineAttributeType, type Operator, scalarAs } from './define'
import { readInternational } from './data/phone-plans'
import { textual } from './definition/properties'

const Country = Type.Enum([...COUNTRY_CODES])

export const phoneNumber = defineAttributeType({
  type: 'phone-number',
  allows: { ...ALLOWED_SETTINGS['phone-number'], match: true, null: true },

  input: Type.Object({
    original_phone_number: Type.String(),
    country_code: Type.Optional(Type.Union([Country, Type.Null()])),
  }),
  shortForm: Type.String(),
  shorthand: scalarAs('original_phone_number'),
  parse({ original_phone_number, country_code: given = null }) {
    const number = readNumber(original_phone_number, given)
    if (!number && isWithoutCountry(original_phone_number, given))
      throw invalidValue(NO_COUNTRY, ['original_phone_number'])
    const country_code = number && (countryOf(number) ?? given)
    if (!number || !country_code) throw invalidValue('Invalid phone number', ['original_phone_number'])
    return { phone_number: number.number, original_phone_number, country_code }
  },

  columns: { phone_number: 'text', original_phone_number: 'text', country_code: 'text' },
  key: ({ phone_number }) => String(phone_number),

  sql: { form: 'scalar', type: 'text', column: 'phone_number' },
  output: Type.Object({ original_phone_number: Type.String(), country_code: Country, phone_number: Type.String() }),
  render: () => (stored) =>
    `"original_phone_number":${JSON.stringify(stored.original_phone_number)},` +
    `"country_code":"${stored.country_code}","phone_number":"${stored.phone_number}"`,

  properties: {
    phone_number: textual('phone_number', searched),
    country_code: { ...textual('country_code', upperCaseCode), operators: ['$eq', '$in', '$not_empty'] },
  },
  defaultProperty: 'phone_number',
  defaultSort: 'phone_number',
})

const NO_COUNTRY =
  'Invalid phone number: it has no country code. Begin it with + and the country calling code, such as +44 20 7946 0958, or send country_code.'

/** A text of digits and separators that does not begin with a plus, in a value without a country. */
const isWithoutCountry = (written: string, country: CountryCode | null): boolean =>
  country === null && written.length <= MAX_LENGTH && /^[\d\s()./-]+$/.test(written) && /\d/.test(written)

/** The members of a number that exists. Numbers of no country have no country code. */
interface ExistingNumber {
  readonly number: string
  readonly country?: string | undefined
}

/** A number in international form, or in the national form of the given country; the prefix of an international number has priority over that country. */
function readNumber(written: string, country: CountryCode | null): ExistingNumber | undefined {
  if (written.length > MAX_LENGTH) return undefined
  const text = written.trim()
  const international = readInternational(text)
  if (international) return international
  const home = country !== null && isSupportedCountry(country) ? country : undefined
  const number = parsePhoneNumber(text, { defaultCountry: home, extract: false })
  return number?.isValid() ? number : undefined
}

/** Tristan da Cunha, which is no country code of the API, belongs to Saint Helena. */
function countryOf({ country }: ExistingNumber): CountryCode | undefined {
  if (country === 'TA') return 'SH'
  return country !== undefined && isCountryCode(country) ? country : undefined
}

/** The limit of a number's text, with all separators between its digits. */
const MAX_LENGTH = 250

/** Converts an operand to E.164: removes separators, and adds the plus of a whole number if it is missing. */
function searched(text: string, operator: Operator): string {
  if (text.length > MAX_LENGTH) return text
  const digits = text.replace(/[^\d+]/g, '')
  // An operand without digits must match no number; an empty text would be in every number.
  if (digits === '') return text
  return (operator === '$eq' || operator === '$in') && !digits.startsWith('+') ? `+${digits}` : digits
}
