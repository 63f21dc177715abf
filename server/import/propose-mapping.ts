/** A mapping for a file that nobody wrote one for: existing attributes by slug, title or synonym, else a custom one. */

import { visibleAttributes } from '../data-model/find'
import type { Attribute, DataModel, ObjectOwner } from '../data-model/model'
import { converterOf } from './convert/converters'
import { readWebsite } from './convert/websites'
import { guessType } from './guess-type'
import { parseTarget, renderTarget, type Target } from './mapping'
import { findSynonyms, simplifyHeader } from './synonyms'

export interface Column {
  readonly name: string
  readonly sample: readonly string[]
}

/** Columns in the order of the file; those that are already decided are kept out of the way of the others. */
export function proposeColumns(
  model: DataModel,
  object: ObjectOwner,
  columns: readonly Column[],
  decided: ReadonlyMap<string, Target | null>,
): Map<string, Target | null> {
  const writable = visibleAttributes(model, object).filter(
    ({ is_writable, type }) => is_writable && converterOf(type) !== undefined,
  )
  const taken = new Set([...decided.values()].flatMap((target) => (target ? [placeOf(target)] : [])))
  const slugs = new Set([
    ...object.attributes.map(({ api_slug }) => api_slug),
    ...[...decided.values()].flatMap((target) => target?.slug ?? []),
  ])
  return new Map(
    columns.map((column) => {
      const known = decided.get(column.name)
      if (known !== undefined) return [column.name, known]
      const target = findExisting(model, object, writable, column, taken) ?? proposeNew(object, column, slugs)
      if (target) taken.add(placeOf(target)).add(target.slug)
      return [column.name, target]
    }),
  )
}

/** What a target occupies: an attribute, or a part of one. */
const placeOf = ({ slug, part }: Target): string => renderTarget({ slug, ...(part === undefined ? {} : { part }) })

function findExisting(
  model: DataModel,
  object: ObjectOwner,
  writable: readonly Attribute[],
  { name, sample }: Column,
  taken: ReadonlySet<string>,
): Target | undefined {
  const wanted = simplifyHeader(name)
  const sameName = writable.filter(({ api_slug, title }) =>
    [api_slug, title].some((each) => simplifyHeader(each) === wanted),
  )
  const candidates = [...sameName.map(({ api_slug }) => api_slug), ...findSynonyms(object.standard_slug, name)]
  for (const candidate of candidates) {
    const target = parseTarget(candidate)
    const attribute = writable.find(({ api_slug }) => api_slug === target?.slug)
    if (target && attribute && !taken.has(candidate) && fits(model, attribute, sample)) return target
  }
  return undefined
}

/** Values of most types show themselves only when they are read; names of companies are no references to them. */
function fits(model: DataModel, { type, config }: Attribute, sample: readonly string[]): boolean {
  if (type !== 'record-reference') return true
  const targets = config.record_reference?.allowed_object_ids?.map((id) => model.ownersById.get(id)) ?? []
  const isToCompanies = targets.some((target) => target?.kind === 'object' && target.standard_slug === 'companies')
  const values = sample.filter((value) => value.trim() !== '')
  return !isToCompanies || values.every((value) => 'domain' in readWebsite(value))
}

/** A custom attribute; none for a column without a name or without values, or one whose slug is taken by a read-only one. */
function proposeNew(object: ObjectOwner, { name, sample }: Column, slugs: Set<string>): Target | null {
  const guess = guessType(sample)
  if (name.trim() === '' || !guess) return null
  const isFilled = object.attributes.some(
    ({ api_slug, title, is_writable }) =>
      !is_writable && [api_slug, title].some((each) => simplifyHeader(each) === simplifyHeader(name)),
  )
  if (isFilled) return null
  const slug = freeSlug(name, slugs)
  slugs.add(slug)
  return { slug, ...guess }
}

const LONGEST_SLUG = 60

function freeSlug(name: string, taken: ReadonlySet<string>): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  const slug = (/^[a-z]/.test(words) ? words : `column_${words}`).slice(0, LONGEST_SLUG).replace(/_+$/, '')
  if (!taken.has(slug)) return slug
  for (let number = 2; ; number++) if (!taken.has(`${slug}_${number}`)) return `${slug}_${number}`
}
