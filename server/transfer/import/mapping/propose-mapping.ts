/** Proposes a target for each column: an existing attribute by slug, title or synonym, or else a new attribute. */

import { allowedObjectIds, namedAttributes, visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, ObjectType } from '#engine/data-model/model'
import { isImportable } from '#transfer/import/convert/registry'
import { readWebsite } from '#transfer/import/convert/readers/websites'
import { guessType } from './guess-type'
import { parseTarget, renderTarget, type Target } from './mapping'
import { proposeParts } from './propose-parts'
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
  decided: ReadonlyMap<string, Target | null>,
): Promise<Map<string, Target | null>> {
  const index = indexAttributes(model, object)
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
  const named = writable.flatMap((attribute) => namesOf(attribute).map((name) => [name, attribute.api_slug] as const))
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
