/** A place of ten members, each of which may be null. See docs/reference/values.md (Location). */

import { ALLOWED_SETTINGS, eachLocationPart, LOCATION_PARTS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { COUNTRY_CODES, upperCaseCode } from '#vocabulary/countries'
import { defineAttributeType, type Stored } from './define'
import { readPostalAddress } from './formats/postal-address'
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
