/** Proposes a target for each column: an existing attribute by slug, title or synonym, or else a new attribute. */

import { allowedObjectIds, isRecordId, namedAttributes, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { isImportable, partsOf } from '#transfer/import/convert/converters'
import { readWebsite } from '#transfer/import/convert/readers'
import { isUuid } from '#vocabulary/uuids'
import { guessType } from './guess-type'
import { type Mapping, parseTarget, renderTarget, type Target } from './mapping'
import { findSynonyms, simplifyHeader } from './synonyms'

export interface SampledColumn {
  readonly name: string
  readonly sample: readonly string[]
}

/** The attributes of an object, indexed for the search by the name of a column. */
interface AttributeIndex {
  readonly model: DataModel
  readonly object: ObjectType
  /** Attributes that can be imported, by slug. */
  readonly writable: ReadonlyMap<string, Attribute>
  /** Slugs of these attributes, by simplified slug and title. */
  readonly writableNames: ReadonlyMap<string, readonly string[]>
  /** Simplified slugs and titles of read-only attributes. */
  readonly readOnlyNames: ReadonlySet<string>
}

/**
 * Proposes targets that do not conflict with the decided ones, in the order of the file. Guessing the type of a column
 * reads up to two thousand cells, so other requests run between two columns.
 */
export async function proposeColumns(
  model: DataModel,
  object: ObjectType,
  columns: readonly SampledColumn[],
  requested: ReadonlyMap<string, Target | null>,
): Promise<Map<string, Target | null>> {
  const index = indexAttributes(model, object)
  const decided = new Map([...(isExport(columns) ? exactTargets(index, columns) : []), ...requested])
  const taken = new Set([...decided.values()].flatMap((target) => (target ? [attributeOrPart(target)] : [])))
  const nextFree = freeSlugs([
    ...namedAttributes(object).map(({ api_slug }) => api_slug),
    ...[...decided.values()].flatMap((target) => target?.slug ?? []),
  ])
  const parts = proposeParts(undecidedNames(index, columns, decided), {
    writable: index.writable.values(),
    isTaken: (slug) => taken.has(slug),
    nextFree,
  })
  // No other column gets such an attribute as a whole.
  for (const { slug } of parts.values()) taken.add(slug)
  const propose = (column: SampledColumn) =>
    parts.get(column.name) ?? findExisting(index, column, taken) ?? proposeNew(index, column, nextFree)
  const proposed = new Map<string, Target | null>()
  for (const column of columns) {
    await new Promise(setImmediate)
    const decidedTarget = decided.get(column.name)
    const target = decidedTarget === undefined ? propose(column) : decidedTarget
    if (target && decidedTarget === undefined) taken.add(attributeOrPart(target)).add(target.slug)
    proposed.set(column.name, target)
  }
  return proposed
}

/** Whether the file is an importable export: docs/import.md (Files of an export). Files of other programs have ids of another form. */
const isExport = (columns: readonly SampledColumn[]): boolean =>
  columns.some(({ name, sample }) => {
    const ids = sample.filter((text) => text.trim() !== '')
    return name === 'record_id' && ids.length > 0 && ids.every((text) => isUuid(text.trim()))
  })

/** The targets of the columns that are named like targets. */
const exactTargets = ({ writable }: AttributeIndex, columns: readonly SampledColumn[]): [string, Target][] =>
  columns.flatMap(({ name }): [string, Target][] => {
    const [slug = '', part, ...others] = name.split('.')
    const attribute = writable.get(slug)
    if (attribute === undefined || others.length > 0) return []
    if (part === undefined) return [[name, { slug }]]
    return partsOf(attribute.type).includes(part) ? [[name, { slug, part }]] : []
  })

/** The columns that may be parts of an address: those with values and without an attribute of their name. */
const undecidedNames = (
  { writableNames, readOnlyNames }: AttributeIndex,
  columns: readonly SampledColumn[],
  decided: ReadonlyMap<string, Target | null>,
): string[] =>
  columns.flatMap(({ name, sample }) => {
    const simplified = simplifyHeader(name)
    const isNamed = writableNames.has(simplified) || readOnlyNames.has(simplified)
    const isEmpty = sample.every((value) => value.trim() === '')
    return decided.get(name) !== undefined || isNamed || isEmpty ? [] : [name]
  })

function indexAttributes(model: DataModel, object: ObjectType): AttributeIndex {
  const writable = visibleAttributes(model, object).filter(isImportable)
  const namesOf = ({ api_slug, title }: Attribute) => [...new Set([api_slug, title].map(simplifyHeader))]
  // Only the file of an export has ids of this service.
  const named = writable
    .filter((attribute) => !isRecordId(attribute))
    .flatMap((attribute) => namesOf(attribute).map((name) => [name, attribute.api_slug] as const))
  return {
    model,
    object,
    writable: new Map(writable.map((attribute) => [attribute.api_slug, attribute])),
    writableNames: new Map(
      [...Map.groupBy(named, ([name]) => name)].map(([name, slugs]) => [name, slugs.map(([, slug]) => slug)]),
    ),
    readOnlyNames: new Set(
      namedAttributes(object)
        .filter(({ is_writable }) => !is_writable)
        .flatMap(namesOf),
    ),
  }
}

/** The target without its type: an attribute, or a part of one. */
const attributeOrPart = ({ slug, part }: Target): string =>
  renderTarget({ slug, ...(part === undefined ? {} : { part }) })

function findExisting(
  { model, object, writable, writableNames }: AttributeIndex,
  { name, sample }: SampledColumn,
  taken: ReadonlySet<string>,
): Target | undefined {
  const wanted = simplifyHeader(name)
  const candidates = [...(writableNames.get(wanted) ?? []), ...findSynonyms(object.standard_slug, wanted)]
  for (const candidate of candidates) {
    const target = parseTarget(candidate)
    const attribute = writable.get(target?.slug ?? '')
    if (target && attribute && !taken.has(candidate) && fits(model, attribute, sample)) return target
  }
  return undefined
}

/** Names of companies are not references to companies, so all values have to be websites. Other types are not checked. */
function fits(model: DataModel, attribute: Attribute, sample: readonly string[]): boolean {
  const targets = allowedObjectIds(attribute).map((id) => model.entityTypesById.get(id))
  const isToCompanies = targets.some((target) => target?.kind === 'object' && target.standard_slug === 'companies')
  const values = sample.filter((value) => value.trim() !== '')
  return !isToCompanies || values.every((value) => 'domain' in readWebsite(value))
}

/** A custom attribute; null for a column without a name or without values, or with the name of a read-only attribute. */
function proposeNew(
  { readOnlyNames }: AttributeIndex,
  { name, sample }: SampledColumn,
  nextFree: (slug: string) => string,
): Target | null {
  const guess = guessType(sample)
  if (name.trim() === '' || !guess || readOnlyNames.has(simplifyHeader(name))) return null
  return { slug: nextFree(slugFor(name)), ...guess }
}

const MAX_SLUG_CHARACTERS = 60

function slugFor(name: string): string {
  const words = name
    .slice(0, 2 * MAX_SLUG_CHARACTERS)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
  return (/^[a-z]/.test(words) ? words : `column_${words}`).slice(0, MAX_SLUG_CHARACTERS).replace(/_$/, '')
}

/** Returns each slug once, with a number behind it when it is taken. Remembers the next number of each slug. */
function freeSlugs(slugs: readonly string[]): (slug: string) => string {
  const taken = new Set(slugs)
  const numbers = new Map<string, number>()
  return (slug) => {
    let free = slug
    let number = numbers.get(slug) ?? 2
    for (; taken.has(free); number++) free = `${slug}_${number}`
    numbers.set(slug, number)
    taken.add(free)
    return free
  }
}

/** Proposes columns with the parts of one address as one location attribute: an existing one, or else a new one. */
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

interface PartsContext {
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

// Reads the headers of columns that hold a part of an address: `City (HQ)` is the locality of `hq`, `Billing zip` the postcode of
// `billing`, and `Street` a part of an address without a qualifier.

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

// Completes a requested mapping with proposals for the columns that it does not name.

export interface RequestedMapping {
  /** A mapping file. Without one, every column without a pair gets a proposal. */
  readonly mapping: Mapping | undefined
  /** The targets of single columns, given on the command line. They override the mapping file. */
  readonly pairs: ReadonlyMap<string, Target | null>
}

/** A mapping file is complete: an import leaves out the columns that it does not name. */
export async function completeMapping(
  model: DataModel,
  object: ObjectType,
  columns: readonly SampledColumn[],
  { mapping, pairs }: RequestedMapping,
): Promise<Mapping> {
  const requested = new Map([...(mapping?.columns ?? []), ...pairs])
  const completed = mapping
    ? new Map(columns.map(({ name }) => [name, requested.get(name) ?? null] as const))
    : await proposeColumns(model, object, columns, requested)
  // Names that the file does not have stay in the mapping, so that binding the columns refuses them.
  return { match: mapping?.match, columns: new Map([...requested, ...completed]) }
}
