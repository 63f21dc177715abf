/** A mapping for a file that nobody wrote one for: existing attributes by slug, title or synonym, else a custom one. */

import { visibleAttributes } from '../../data-model/find'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import { converterOf } from '../convert/registry'
import { readWebsite } from '../convert/readers/websites'
import { guessType } from './guess-type'
import { parseTarget, renderTarget, type Target } from './mapping'
import { findSynonyms, simplifyHeader } from './synonyms'

export interface Column {
  readonly name: string
  readonly sample: readonly string[]
}

/** The attributes of an object as the columns of a file ask for them. */
interface Known {
  readonly model: DataModel
  readonly object: ObjectType
  /** Those that can be imported. */
  readonly writable: ReadonlyMap<string, Attribute>
  /** Their slugs, by simplified slug and title. */
  readonly writableNames: ReadonlyMap<string, readonly string[]>
  /** Simplified slugs and titles of those that nobody can write. */
  readonly filledNames: ReadonlySet<string>
}

/**
 * Columns in the order of the file; those that are already decided are kept out of the way of the others. The type of a
 * column is judged by up to two thousand cells, so other requests have their turn between two columns.
 */
export async function proposeColumns(
  model: DataModel,
  object: ObjectType,
  columns: readonly Column[],
  decided: ReadonlyMap<string, Target | null>,
): Promise<Map<string, Target | null>> {
  const known = collectKnown(model, object)
  const taken = new Set([...decided.values()].flatMap((target) => (target ? [positionOf(target)] : [])))
  const nextFree = freeSlugs([
    ...object.attributes.map(({ api_slug }) => api_slug),
    ...[...decided.values()].flatMap((target) => target?.slug ?? []),
  ])
  const propose = (column: Column) => findExisting(known, column, taken) ?? proposeNew(known, column, nextFree)
  const proposed = new Map<string, Target | null>()
  for (const column of columns) {
    await new Promise(setImmediate)
    const before = decided.get(column.name)
    const target = before === undefined ? propose(column) : before
    if (target && before === undefined) taken.add(positionOf(target)).add(target.slug)
    proposed.set(column.name, target)
  }
  return proposed
}

function collectKnown(model: DataModel, object: ObjectType): Known {
  const writable = visibleAttributes(model, object).filter(
    ({ is_writable, type }) => is_writable && converterOf(type) !== undefined,
  )
  const namesOf = ({ api_slug, title }: Attribute) => [...new Set([api_slug, title].map(simplifyHeader))]
  const named = writable.flatMap((attribute) => namesOf(attribute).map((name) => [name, attribute.api_slug] as const))
  return {
    model,
    object,
    writable: new Map(writable.map((attribute) => [attribute.api_slug, attribute])),
    writableNames: new Map(
      [...Map.groupBy(named, ([name]) => name)].map(([name, slugs]) => [name, slugs.map(([, slug]) => slug)]),
    ),
    filledNames: new Set(object.attributes.filter(({ is_writable }) => !is_writable).flatMap(namesOf)),
  }
}

/** What a target occupies: an attribute, or a part of one. */
const positionOf = ({ slug, part }: Target): string => renderTarget({ slug, ...(part === undefined ? {} : { part }) })

function findExisting(
  { model, object, writable, writableNames }: Known,
  { name, sample }: Column,
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

/** Values of most types show themselves only when they are read; names of companies are no references to them. */
function fits(model: DataModel, { type, config }: Attribute, sample: readonly string[]): boolean {
  if (type !== 'record-reference') return true
  const targets = config.record_reference?.allowed_object_ids?.map((id) => model.entityTypesById.get(id)) ?? []
  const isToCompanies = targets.some((target) => target?.kind === 'object' && target.standard_slug === 'companies')
  const values = sample.filter((value) => value.trim() !== '')
  return !isToCompanies || values.every((value) => 'domain' in readWebsite(value))
}

/** A custom attribute; none for a column without a name or without values, or one whose slug is taken by a read-only one. */
function proposeNew(
  { filledNames }: Known,
  { name, sample }: Column,
  nextFree: (slug: string) => string,
): Target | null {
  const guess = guessType(sample)
  if (name.trim() === '' || !guess || filledNames.has(simplifyHeader(name))) return null
  return { slug: nextFree(slugFor(name)), ...guess }
}

const LONGEST_SLUG = 60

function slugFor(name: string): string {
  const words = name
    .slice(0, 2 * LONGEST_SLUG)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
  return (/^[a-z]/.test(words) ? words : `column_${words}`).slice(0, LONGEST_SLUG).replace(/_$/, '')
}

/** Gives each slug once, with a number behind it where it is taken; numbers of a slug are never tried again. */
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
