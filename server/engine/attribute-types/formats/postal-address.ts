/**
 * Splits an address on one line: `1 Infinite Loop, Cupertino, CA, 95014, US`. It reads from the end (country, postcode,
 * region), where the formats of countries differ least. Parts that it does not recognise become the locality.
 * See docs/reference/values.md (Location).
 */

import { type CountryCode, findCountry } from '#vocabulary/countries'
import { eachLocationPart, type LocationPart } from '#vocabulary/data-model'

export type PostalAddress = Record<Exclude<LocationPart, 'country_code' | 'latitude' | 'longitude'>, string | null> & {
  country_code: CountryCode | null
  latitude: null
  longitude: null
}

/** Longer texts are not an address on one line. */
const MAX_LENGTH = 1000

export function readPostalAddress(text: string): PostalAddress {
  if (text.length > MAX_LENGTH) return { ...eachLocationPart(null), locality: text.trim() }
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const place: PostalAddress = eachLocationPart(null)
  if (parts.length === 0) return place
  takeStreet(parts, place)
  const endsInState = parts.length === 2 && isState(parts[1])
  takeCountry(parts, place)
  takePostcode(parts, place)
  const isUnderstood = place.line_1 !== null || place.country_code !== null || place.postcode !== null || endsInState
  if (!isUnderstood) return { ...place, locality: text.trim() }
  takeTown(parts, place)
  return place
}

function takeStreet(parts: string[], place: PostalAddress): void {
  if (/^\d/.test(parts[0] ?? '')) place.line_1 = parts.shift() ?? null
}

/** Two letters that are also a US state mean the state after a town, and alone they are no country. */
function takeCountry(parts: string[], place: PostalAddress): void {
  const last = parts.at(-1)
  if (last === undefined || (parts.length <= 2 && isState(last))) return
  const country = findCountry(last)
  if (country === undefined) return
  place.country_code = country
  parts.pop()
}

/** Forms of postcodes: digits with or without a dash or space, British, Canadian, Dutch. */
const POSTCODE =
  /^(?:\d{3,10}|\d{2,5}[- ]\d{2,4}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|\d{4} ?[A-Z]{2})$/i
/** `CA 95014`, `London SW1A 1AA`: a region or town followed by its postcode. */
const BEFORE_POSTCODE =
  /^(\p{L}[\p{L} .'-]*?) (\d[\d-]{3,9}|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)$/iu
/** `75001 Paris`, `1012 AB Amsterdam`: a postcode followed by its town. */
const AFTER_POSTCODE = /^(\d{4,6}|\d{4} [A-Z]{2}) (\p{L}[\p{L} .'-]*)$/u

/** The last part, or a piece of it, unless there is no other: then it is more likely a town's name. */
function takePostcode(parts: string[], place: PostalAddress): void {
  const last = parts.at(-1)
  if (last === undefined || (parts.length < 2 && place.line_1 === null)) return
  if (POSTCODE.test(last)) {
    place.postcode = last
    parts.pop()
    return
  }
  const before = BEFORE_POSTCODE.exec(last)
  const after = AFTER_POSTCODE.exec(last)
  const [name, postcode] = before ? [before[1], before[2]] : [after?.[2], after?.[1]]
  if (name === undefined || postcode === undefined) return
  place.postcode = postcode
  parts[parts.length - 1] = name
}

/** Locality and region are the last two after a street, and the parts between are more of it; else the first is the town. */
function takeTown(parts: string[], place: PostalAddress): void {
  if (place.line_1 === null) {
    place.locality = parts.shift() ?? null
    place.region = parts.length > 0 ? parts.join(', ') : null
    return
  }
  if (parts.length > 1) place.region = parts.pop() ?? null
  place.locality = parts.pop() ?? null
  place.line_2 = parts.shift() ?? null
  place.line_3 = parts.shift() ?? null
  place.line_4 = parts.length > 0 ? parts.join(', ') : null
}

const isState = (part = ''): boolean => US_STATES.has(part.toUpperCase())

/** Without Delaware and Indiana: addresses that end in DE or IN mean Germany or India. */
const US_STATES: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT FL GA HI ID IL IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC ' +
    'SD TN TX UT VT VA WA WV WI WY DC'
  ).split(' '),
)
