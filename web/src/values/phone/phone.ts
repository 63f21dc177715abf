/** The form of telephone numbers in which the console sends them. */

/** A number in the national form of a country. */
interface NationalNumber {
  readonly original_phone_number: string
  readonly country_code: string
}

/** A number without a country code is a number of the default country. Other texts are sent as they were written. */
export const phoneInput = (text: string, defaultCountry: string | null): string | NationalNumber =>
  text.startsWith('+') || defaultCountry === null ? text : { original_phone_number: text, country_code: defaultCountry }

/** The text of an input, as a person writes it. */
export function phoneText(input: unknown): string {
  if (typeof input !== 'object' || input === null || !('original_phone_number' in input)) return String(input)
  return String(input.original_phone_number)
}
