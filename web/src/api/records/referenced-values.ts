/**
 * The attributes of referenced records beside those of records and entries: the industry of the company of a person, the domains of the
 * parent record of an entry. Tables and boards name them by reference, object and attribute: `company.companies.industry`,
 * `parent_record.companies.domains`. The API reads them from the records, with one request for each object and page, and sorts by
 * them along a path.
 */

import type { Attribute, EntityTypePath } from '../data-model/attributes'
import type { Entity, RecordTarget, SortInput, Value, Values } from './entities'

/** The attribute of paths that leads from an entry to its record. */
export const PARENT_RECORD = 'parent_record'

interface Parts {
  /** The slug of the attribute that refers to the record. */
  readonly reference: string
  readonly object: string
  readonly attribute: string
}

/** Slugs of attributes contain no dot. */
export const isReferencedSlug = (slug: string): boolean => slug.includes('.')

export const referencedSlug = ({ reference, object, attribute }: Parts): string => `${reference}.${object}.${attribute}`

/** Undefined for attributes of the records or entries themselves. */
export function referencedParts(slug: string): Parts | undefined {
  const [reference = '', object, attribute] = slug.split('.')
  return object === undefined || attribute === undefined ? undefined : { reference, object, attribute }
}

/** The name of a column in a saved view. Attributes of referenced records have ids: two objects can have one slug. */
export const viewColumn = ({ api_slug, id }: Pick<Attribute, 'api_slug' | 'id'>): string =>
  isReferencedSlug(api_slug) ? id.attribute_id : api_slug

/** What leads to the records of an object. Views name parent records by their slug, and other references by their id. */
export interface ReferenceTo {
  readonly reference: Pick<Attribute, 'api_slug' | 'id'>
  readonly title: string
  readonly object: string
}

/** An attribute of referenced records as a read-only attribute of the table, which says nothing of its formula. */
export const referencedAttribute = (
  { reference, title, object }: ReferenceTo,
  { computed: _computed, ...attribute }: Attribute,
): Attribute => ({
  ...attribute,
  id: { ...attribute.id, attribute_id: `${idOf(reference)}.${attribute.id.attribute_id}` },
  api_slug: referencedSlug({ reference: reference.api_slug, object, attribute: attribute.api_slug }),
  title: `${title}${SEPARATOR}${attribute.title}`,
  is_writable: false,
  is_system_attribute: true,
})

/** The title of what leads to the record of such an attribute. */
export const referenceTitle = ({ title }: Pick<Attribute, 'title'>): string => title.split(SEPARATOR)[0] ?? title

const SEPARATOR = ' › '

const idOf = ({ api_slug, id }: ReferenceTo['reference']): string =>
  api_slug === PARENT_RECORD ? PARENT_RECORD : id.attribute_id

/** The slugs of the table's own attributes, with the references to the records of the others; and those of the others. */
export function splitFields(fields: readonly string[] | undefined): {
  readonly own: readonly string[] | undefined
  readonly referenced: readonly string[]
} {
  const referenced = fields?.filter(isReferencedSlug) ?? []
  // Entries have their record beside their values, not among them.
  const references = referenced.flatMap((slug) => referencedParts(slug)?.reference ?? [])
  const own = fields?.filter((slug) => !isReferencedSlug(slug))
  return { own: own && [...new Set([...own, ...references.filter((slug) => slug !== PARENT_RECORD)])], referenced }
}

/** The path of the API to an attribute of referenced records; undefined for attributes of the table itself. */
export function referencePath({ slug }: EntityTypePath, column: string): [string, string][] | undefined {
  const parts = referencedParts(column)
  if (!parts) return undefined
  return [
    [slug, parts.reference],
    [parts.object, parts.attribute],
  ]
}

/** A sort by an attribute of referenced records, as the API takes it. */
export function sortAlongPath(entityType: EntityTypePath, sort: SortInput): SortInput {
  const { attribute, ...others } = sort
  const path = attribute === undefined ? undefined : referencePath(entityType, attribute)
  return path ? { ...others, path } : sort
}

/** The sort of a saved view as the table names it, if one of these attributes is at the end of its path. */
export function sortByColumn(sort: SortInput, attributes: readonly Attribute[]): SortInput {
  const { path, ...others } = sort
  const [first, last] = path?.length === 2 ? path : []
  const find = (reference: string | undefined) =>
    attributes.find(({ id }) => id.attribute_id === `${reference}.${last?.[1]}`)
  const found = find(first?.[1]) ?? find(PARENT_RECORD)
  return found ? { ...others, attribute: found.api_slug } : sort
}

/** The record to which a value refers. */
const targetIn = (value: Value | undefined): RecordTarget | undefined => {
  const [target_object, target_record_id] = [value?.target_object, value?.target_record_id]
  if (typeof target_object !== 'string' || typeof target_record_id !== 'string') return undefined
  return { target_object, target_record_id }
}

/** The record whose values a column shows; undefined without one, and for columns of the table itself. */
export function referencedRecord({ values }: Entity, slug: string): RecordTarget | undefined {
  const parts = referencedParts(slug)
  const target = parts && targetIn(values[parts.reference]?.[0])
  return target?.target_object === parts?.object ? target : undefined
}

type ReadValues = (object: string, ids: readonly string[], fields: readonly string[]) => Promise<readonly Entity[]>

/** Adds the values of referenced records. `read` reads some records of an object. */
export async function addReferencedValues(
  entities: readonly Entity[],
  slugs: readonly string[],
  read: ReadValues,
): Promise<Entity[]> {
  const records = new Map<string, Values>()
  const byObject = Map.groupBy(slugs, (slug) => referencedParts(slug)?.object ?? '')
  const reads = [...byObject].map(async ([object, columns]) => {
    const targets = entities.flatMap((entity) => columns.flatMap((slug) => referencedRecord(entity, slug) ?? []))
    const ids = new Set(targets.map(({ target_record_id }) => target_record_id))
    if (ids.size === 0) return
    const fields = new Set(columns.map((slug) => referencedParts(slug)?.attribute ?? ''))
    for (const { id, values } of await read(object, [...ids], [...fields])) records.set(id, values)
  })
  await Promise.all(reads)
  return entities.map((entity) => ({ ...entity, values: { ...entity.values, ...valuesOf(entity, slugs, records) } }))
}

const valuesOf = (entity: Entity, slugs: readonly string[], records: ReadonlyMap<string, Values>): Values =>
  Object.fromEntries(
    slugs.map((slug) => {
      const values = records.get(referencedRecord(entity, slug)?.target_record_id ?? '')
      return [slug, values?.[referencedParts(slug)?.attribute ?? ''] ?? []]
    }),
  )

/**
 * A newer state of an entity with the values of its referenced records: answers to writes do not have them. Those of a record to which it
 * no longer refers are left out.
 */
export function keepReferencedValues(before: Entity | undefined, now: Entity): Entity {
  const columns = Object.entries(before?.values ?? {}).filter(([slug]) => isReferencedSlug(slug))
  if (before === undefined || columns.length === 0) return now
  const kept = columns.map(([slug, values]) => {
    const isSame = referencedRecord(before, slug)?.target_record_id === referencedRecord(now, slug)?.target_record_id
    const read = now.values[slug]
    // A write that is shown before its answer repeats the earlier values.
    const isRead = read !== undefined && read !== values
    return [slug, isRead ? read : isSame ? values : []]
  })
  return { ...now, values: { ...now.values, ...Object.fromEntries(kept) } }
}
