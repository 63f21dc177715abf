/** The options of a select of countries, with their names in the locale of the browser. */

import { COUNTRY_CODES } from '#vocabulary/countries'
import { countryName } from './formats'

/** The first one is no country. */
export const COUNTRIES: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'No country' },
  ...COUNTRY_CODES.map((code) => ({ value: code, label: countryName(code) })).sort((one, other) =>
    one.label.localeCompare(other.label),
  ),
]
