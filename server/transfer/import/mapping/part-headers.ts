/**
 * Reads the headers of columns that hold a part of an address: `City (HQ)` is the locality of `hq`, `Billing zip` the postcode of
 * `billing`, and `Street` a part of an address without a qualifier.
 */

const list = (names: string): string[] => names.split(',').map((name) => name.trim())

/** Names by the part of a location. The words of a header are compared without separators. */
const PART_NAMES: Readonly<Record<string, readonly string[]>> = {
  line_1: list('street, streetaddress, addressline1, address1, line1, address'),
  line_2: list('addressline2, address2, line2'),
  locality: list('city, town, locality'),
  region: list(
    'state, region, province, county, stateregion, stateprovince, regionstate, stateorregion, stateorprovince',
  ),
  postcode: list('zip, zipcode, postcode, postalcode, zippostalcode, zippostcode'),
  country_code: list('country, countrycode, countryname'),
  latitude: list('latitude, lat'),
  longitude: list('longitude, lng, lon'),
}

const partsByName = new Map(Object.entries(PART_NAMES).flatMap(([part, names]) => names.map((name) => [name, part])))

/** Qualifiers with the same meaning. */
const SAME: Readonly<Record<string, string>> = {
  hq: 'headquarters',
  headquarter: 'headquarters',
  'head office': 'headquarters',
}

export interface PartHeader {
  readonly part: string
  /** The words that name the address; empty if there are none. */
  readonly qualifier: string
}

/** Longer headers are no names of parts. */
const MAX_CHARACTERS = 100
const MAX_PART_WORDS = 4

/** Undefined for a header that names no part of an address. */
export function readPartHeader(header: string): PartHeader | undefined {
  if (header.length > MAX_CHARACTERS) return undefined
  const [, outside = header, inside] = /^([^()]+)\(([^()]+)\)\s*$/.exec(header) ?? []
  const words = wordsOf(outside)
  if (inside !== undefined) {
    const part = partsByName.get(words.join(''))
    return part === undefined ? undefined : { part, qualifier: qualifierOf(wordsOf(inside)) }
  }
  for (let length = Math.min(MAX_PART_WORDS, words.length); length > 0; length--) {
    const last = partsByName.get(words.slice(-length).join(''))
    if (last !== undefined) return { part: last, qualifier: qualifierOf(words.slice(0, -length)) }
  }
  return undefined
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

function qualifierOf(words: readonly string[]): string {
  const text = words.join(' ')
  return SAME[text] ?? text
}
