/** The names of countries: English names, codes, and common other names. */

import { COUNTRY_CODES, type CountryCode, isCountryCode } from './country-codes'

const OTHER_NAMES: Readonly<Record<string, CountryCode>> = {
  america: 'US',
  britain: 'GB',
  burma: 'MM',
  'czech republic': 'CZ',
  england: 'GB',
  'great britain': 'GB',
  holland: 'NL',
  'hong kong': 'HK',
  'ivory coast': 'CI',
  macau: 'MO',
  'northern ireland': 'GB',
  palestine: 'PS',
  'russian federation': 'RU',
  scotland: 'GB',
  'the netherlands': 'NL',
  turkey: 'TR',
  uae: 'AE',
  uk: 'GB',
  'united states of america': 'US',
  usa: 'US',
  'viet nam': 'VN',
  wales: 'GB',
}

/** The longest name that is normalised. Normalising a run of combining marks takes time in the square of its length. */
const MAX_LENGTH = 200

let byName: ReadonlyMap<string, CountryCode> | undefined

/** Returns the country that a text names. Ignores case, accents and points. */
export function findCountry(text: string): CountryCode | undefined {
  if (text.length > MAX_LENGTH) return undefined
  return isCountryCode(text) ? text : (byName ??= collectNames()).get(simplify(text))
}

function collectNames(): ReadonlyMap<string, CountryCode> {
  const english = new Intl.DisplayNames('en', { type: 'region' })
  return new Map([
    // The Netherlands Antilles do not exist any more. Their name here is that of their largest island.
    ...COUNTRY_CODES.filter((code) => code !== 'AN').map((code) => [simplify(english.of(code) ?? code), code] as const),
    ...Object.entries(OTHER_NAMES),
    ...COUNTRY_CODES.map((code) => [code.toLowerCase(), code] as const),
  ])
}

const simplify = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\p{M}.'’]/gu, '')
    .replace(/&/g, 'and')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase()
