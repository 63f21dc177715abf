/**
 * The attributes of parent records beside those of entries. Tables and boards name them `parent_record.companies.domains`; the API
 * reads them from the records, with one request for a page, and sorts by them along a path.
 */

import type { Attribute, EntityTypePath } from '../data-model/attributes'
import type { Entity, SortInput, Values } from './entities'

const PREFIX = 'parent_record.'

export const isParentSlug = (slug: string): boolean => slug.startsWith(PREFIX)

export const parentSlug = (object: string, attribute: string): string => `${PREFIX}${object}.${attribute}`

/** Slugs contain no dot. */
function partsOf(slug: string): { readonly object: string; readonly attribute: string } | undefined {
  const [object, attribute] = isParentSlug(slug) ? slug.slice(PREFIX.length).split('.') : []
  return object === undefined || attribute === undefined ? undefined : { object, attribute }
}

/** The name of a column in a saved view of a list. Attributes of parent records have their id: two objects can have one slug. */
export const viewColumn = ({ api_slug, id }: Pick<Attribute, 'api_slug' | 'id'>): string =>
  isParentSlug(api_slug) ? id.attribute_id : api_slug

/** An attribute of the parent records as a read-only attribute of the list. */
export const parentAttribute = (object: string, noun: string, attribute: Attribute): Attribute => ({
  ...attribute,
  id: { ...attribute.id, attribute_id: PREFIX + attribute.id.attribute_id },
  api_slug: parentSlug(object, attribute.api_slug),
  title: `${noun} › ${attribute.title}`,
  is_writable: false,
  is_system_attribute: true,
})

/** The slugs of the list's own attributes, and those of the parent records. */
export function splitFields(fields: readonly string[] | undefined): {
  readonly own: readonly string[] | undefined
  readonly ofParents: readonly string[]
} {
  return { own: fields?.filter((slug) => !isParentSlug(slug)), ofParents: fields?.filter(isParentSlug) ?? [] }
}

/** The attribute of paths that leads from an entry to its record. */
export const PARENT_RECORD = 'parent_record'

/** The path of the API to an attribute of the parent records; undefined for attributes of the list. */
export function parentPath({ kind, slug }: EntityTypePath, column: string): [string, string][] | undefined {
  const parts = kind === 'lists' ? partsOf(column) : undefined
  if (!parts) return undefined
  return [
    [slug, PARENT_RECORD],
    [parts.object, parts.attribute],
  ]
}

/** A sort by an attribute of the parent records, as the API takes it. */
export function sortAlongPath(entityType: EntityTypePath, sort: SortInput): SortInput {
  const { attribute, ...others } = sort
  const path = attribute === undefined ? undefined : parentPath(entityType, attribute)
  return path ? { ...others, path } : sort
}

/** The sort of a saved view as the table names it, if one of these attributes is at the end of its path. */
export function sortByColumn(sort: SortInput, attributes: readonly Attribute[]): SortInput {
  const { path, ...others } = sort
  const id = path?.length === 2 ? path[1]?.[1] : undefined
  const found = attributes.find((one) => id !== undefined && one.id.attribute_id === PREFIX + id)
  return found ? { ...others, attribute: found.api_slug } : sort
}

type ReadValues = (object: string, ids: readonly string[], fields: readonly string[]) => Promise<readonly Entity[]>

/** Adds the values of the parent records. `read` reads some records of an object. */
export async function addParentValues(
  entities: readonly Entity[],
  slugs: readonly string[],
  read: ReadValues,
): Promise<Entity[]> {
  const byObject = Map.groupBy(entities, ({ parent }) => parent?.object ?? '')
  const records = new Map<string, Values>()
  for (const [object, entries] of byObject) {
    const fields = slugs.flatMap((slug) => (partsOf(slug)?.object === object ? [partsOf(slug)?.attribute ?? ''] : []))
    const ids = [...new Set(entries.flatMap(({ parent }) => parent?.recordId ?? []))]
    if (fields.length === 0 || ids.length === 0) continue
    for (const { id, values } of await read(object, ids, fields)) records.set(id, values)
  }
  return entities.map((entity) => ({ ...entity, values: { ...entity.values, ...valuesOf(entity, slugs, records) } }))
}

const valuesOf = ({ parent }: Entity, slugs: readonly string[], records: ReadonlyMap<string, Values>): Values =>
  Object.fromEntries(
    slugs.map((slug) => {
      const { object, attribute = '' } = partsOf(slug) ?? {}
      const values = object === parent?.object ? records.get(parent?.recordId ?? '')?.[attribute] : undefined
      return [slug, values ?? []]
    }),
  )

/** A newer state of an entity, which keeps the values of its parent record: answers to writes do not have them. */
export function keepParentValues(before: Entity | undefined, now: Entity): Entity {
  const kept = Object.entries(before?.values ?? {}).filter(([slug]) => isParentSlug(slug))
  return kept.length === 0 ? now : { ...now, values: { ...Object.fromEntries(kept), ...now.values } }
}
