/** Proposes columns with the parts of one address as one location attribute: an existing one, or else a new one. */

import type { Attribute } from '#engine/data-model/model'
import { partsOf } from '#transfer/import/convert/registry'
import type { Target } from './mapping'
import { simplifyHeader } from './synonyms'

interface PartColumn extends PartHeader {
  readonly column: string
}

/** The columns of one address; each has another part. */
interface AddressGroup {
  readonly qualifier: string
  readonly columns: readonly PartColumn[]
}

/** With a single part, a column may as well mean something else: a state, for example, is often a status. */
const MIN_PARTS = 2

export interface PartsContext {
  /** The attributes that an import can write. */
  readonly writable: Iterable<Attribute>
  /** Whether a column has this attribute as a whole. */
  readonly isTaken: (slug: string) => boolean
  readonly nextFree: (slug: string) => string
}

/** Targets by the name of the column, for those columns that are parts of an address. */
export function proposeParts(names: readonly string[], context: PartsContext): Map<string, Target> {
  const locations = [...context.writable].filter(
    ({ type, api_slug }) => partsOf(type).includes('locality') && !context.isTaken(api_slug),
  )
  const used = new Set<Attribute>()
  const targets = new Map<string, Target>()
  for (const { qualifier, columns } of groupAddresses(names)) {
    const attribute = chooseLocation(
      locations.filter((one) => !used.has(one)),
      qualifier,
    )
    if (attribute) used.add(attribute)
    const target = attribute
      ? { slug: attribute.api_slug }
      : { slug: context.nextFree(slugOf(qualifier)), type: 'location' as const, isMultiselect: false }
    for (const { column, part } of columns) targets.set(column, { ...target, part })
  }
  return targets
}

function groupAddresses(names: readonly string[]): AddressGroup[] {
  const found = names.flatMap((column): PartColumn[] => {
    const header = readPartHeader(column)
    return header === undefined ? [] : [{ ...header, column }]
  })
  const groups = [...Map.groupBy(found, ({ qualifier }) => qualifier)].map(([qualifier, columns]) => ({
    qualifier,
    columns: columns.filter(({ part }, index) => columns.findIndex((other) => other.part === part) === index),
  }))
  return joinUnqualified(groups).filter(({ columns }) => columns.length >= MIN_PARTS)
}

/** `City (HQ)` and `Street` are parts of one address when no other address is named and both have other parts. */
function joinUnqualified(groups: readonly AddressGroup[]): readonly AddressGroup[] {
  const unqualified = groups.find(({ qualifier }) => qualifier === '')
  const [named, ...others] = groups.filter((group) => group !== unqualified)
  if (!unqualified || !named || others.length > 0) return groups
  const overlaps = unqualified.columns.some(({ part }) => named.columns.some((other) => other.part === part))
  return overlaps ? groups : [{ ...named, columns: [...named.columns, ...unqualified.columns] }]
}

/** The attribute whose name has the words of the qualifier. Otherwise the first one, for the address that names no other place. */
function chooseLocation(locations: readonly Attribute[], qualifier: string): Attribute | undefined {
  const wanted = simplifyHeader(qualifier)
  const named = locations.find(({ api_slug, title }) =>
    [api_slug, title].some((name) => wanted !== '' && simplifyHeader(name).includes(wanted)),
  )
  return named ?? (MAIN_ADDRESSES.has(qualifier) ? locations[0] : undefined)
}

const MAIN_ADDRESSES: ReadonlySet<string> = new Set(
  ',headquarters,primary,main,company,office,business,work,home,person,contact,mailing,postal,address,location'.split(
    ',',
  ),
)

const slugOf = (qualifier: string): string => {
  const words = qualifier.replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')
  if (words === '' || words === 'address') return 'address'
  return /^[a-z]/.test(words) ? `${words}_address` : 'address'
}

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

interface PartHeader {
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
