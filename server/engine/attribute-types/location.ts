/** A place of ten members, each of which may be null. See docs/reference/values.md (Location). */

import { ALLOWED_SETTINGS, eachLocationPart, LOCATION_PARTS, type LocationPart } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { COUNTRY_CODES, upperCaseCode, type CountryCode, findCountry } from '#vocabulary/countries'
import { defineAttributeType, type Stored } from './define'
import { textual } from './definition/properties'

/** Many times the longest line of an address. */
const MAX_PART_LENGTH = 2000
const MAX_DEGREES_LENGTH = 100

const degrees = (pattern: string) => Type.Union([Type.String({ pattern, maxLength: MAX_DEGREES_LENGTH }), Type.Null()])

/** `limits` are those of the parts. The output has none, because stored places may be older than the limits. */
const placeWith = (limits: { readonly maxLength?: number }) => {
  const text = Type.Union([Type.String(limits), Type.Null()])
  return Type.Object({
    line_1: text,
    line_2: text,
    line_3: text,
    line_4: text,
    locality: text,
    region: text,
    postcode: text,
    country_code: Type.Union([Type.Enum([...COUNTRY_CODES]), Type.Null()]),
    latitude: degrees('^[-+]?([1-8]?\\d(\\.\\d+)?|90(\\.0+)?)$'),
    longitude: degrees('^[-+]?(180(\\.0+)?|((1[0-7]\\d)|([1-9]?\\d))(\\.\\d+)?)$'),
  })
}

const columns = eachLocationPart('text' as const)

export const location = defineAttributeType({
  type: 'location',
  allows: { ...ALLOWED_SETTINGS.location, match: false, null: true },

  input: placeWith({ maxLength: MAX_PART_LENGTH }),
  shortForm: Type.String(),
  shorthand: (raw) => (typeof raw === 'string' ? readPostalAddress(raw) : raw),
  parse(place) {
    const stored = {
      line_1: place.line_1,
      line_2: place.line_2,
      line_3: place.line_3,
      line_4: place.line_4,
      locality: place.locality,
      region: place.region,
      postcode: place.postcode,
      country_code: place.country_code,
      latitude: withNineDecimals(place.latitude),
      longitude: withNineDecimals(place.longitude),
    }
    return Object.values(stored).some((part) => part !== null) ? stored : undefined
  },

  columns,
  key: (stored) => JSON.stringify(LOCATION_PARTS.map((member) => stored[member])),

  sql: { form: 'struct', type: 'location', fields: LOCATION_PARTS.map((column) => ({ name: column, column })) },
  output: placeWith({}),
  render: () => renderPlace,

  properties: {
    line_1: textual('line_1'),
    line_2: textual('line_2'),
    line_3: textual('line_3'),
    line_4: textual('line_4'),
    locality: textual('locality'),
    region: textual('region'),
    postcode: textual('postcode'),
    country_code: {
      ...textual('country_code', upperCaseCode),
      operators: ['$eq', '$in', '$not_empty', '$starts_with'],
    },
  },
  defaultProperty: null,
  groupedBy: 'country_code',
  defaultSort: 'locality',
})

function renderPlace(stored: Stored<typeof columns>): string {
  let text = ''
  for (const member of LOCATION_PARTS) {
    const part = stored[member]
    text += `${text === '' ? '' : ','}"${member}":${part === null ? 'null' : JSON.stringify(part)}`
  }
  return text
}

/** Cuts off decimals beyond any useful precision. */
const withNineDecimals = (degrees: string | null): string | null =>
  degrees === null ? null : degrees.replace(/(\.\d{9})\d+$/, '$1')

// Splits an address on one line: `1 Infinite Loop, Cupertino, CA, 95014, US`. It reads from the end (country, postcode,
// region), where the formats of countries differ least. Parts that it does not recognise become the locality.
// See docs/reference/values.md (Location).

type PostalAddress = Record<Exclude<LocationPart, 'country_code' | 'latitude' | 'longitude'>, string | null> & {
  country_code: CountryCode | null
  latitude: null
  longitude: null
}

/** Longer texts are not an address on one line. */
const MAX_LENGTH = 1000

function readPostalAddress(text: string): PostalAddress {
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
