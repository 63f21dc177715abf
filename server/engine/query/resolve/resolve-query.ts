/** Resolves the body of a query: its filter, its sorts and its page. */

import { isObject } from '#base/validation/shapes'
import type { DataModel, EntityType } from '#engine/data-model/model'
import type { Condition } from './condition'
import { parseFilter } from '#engine/query/parse/parse-filter'
import { resolveFilter } from './resolve-filter'
import { pageOf, type QueryBody, type SortInput } from '#engine/query/parse/schemas'
import { unknownAttributeKey } from '#base/errors/records'
import { compileRenderer, type Renderer, rendererOf } from '#engine/entities/read/render'
import { findSearchable, getSearchable, type ResolvedPath, resolvePath } from './resolve-path'
import type { Property } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { filterError, invalidFilterField, missingSortField } from '#base/errors/queries'
import { findList, findObject } from '#engine/data-model/find'

export interface Query {
  readonly condition: Condition
  readonly sorts: readonly Sort[]
  readonly limit: number
  readonly offset: number
}

/** `filter` is the filter of the body, or of the view that the body names. */
export const resolveQuery = (
  model: DataModel,
  entityType: EntityType,
  { filter = {}, sorts = [], ...page }: Omit<QueryBody, 'filter'> & { readonly filter?: unknown },
): Query => ({
  condition: resolveFilter(model, entityType, parseFilter(filter)),
  sorts: resolveSorts(model, entityType, sorts),
  ...pageOf(page),
})

// The attributes that the response to a query contains.

/** Renders the named attributes, or all. Throws 400 for a name that is not an attribute. */
export function projectionOf(
  model: DataModel,
  entityType: EntityType,
  fields: readonly string[] | undefined,
): Renderer {
  if (fields === undefined) return rendererOf(model, entityType)
  const attributes = fields.map((field) =>
    getSearchable(model, entityType, field, (didYouMean) => unknownAttributeKey(field, didYouMean)),
  )
  return compileRenderer(model, entityType, [...new Set(attributes)])
}

/** Resolves the sorts of a query. See docs/reference/query.md (Sorts, Errors of queries). */
export interface Sort extends ResolvedPath {
  readonly direction: 'asc' | 'desc'
  /** Null for the label of the record that is referred to. */
  readonly property: Property | null
}

const MAX_SORTS = 5

/** The paths of its errors begin at the array of sorts. */
function resolveSorts(model: DataModel, entityType: EntityType, sorts: readonly SortInput[]): Sort[] {
  if (sorts.length > MAX_SORTS) throw filterError(`A query has at most ${MAX_SORTS} sorts.`)
  return sorts.map((sort, index) => {
    const resolved = resolveSortPath(model, entityType, sort, [String(index)])
    return {
      ...resolved,
      direction: sort.direction,
      property: getSortProperty(resolved, sort.field, [String(index), 'field']),
    }
  })
}

function resolveSortPath(
  model: DataModel,
  entityType: EntityType,
  { attribute, path }: SortInput,
  at: string[],
): ResolvedPath {
  if (path !== undefined && attribute !== undefined) {
    throw filterError('A sort names either an attribute or a path.', at)
  }
  const unknown = (name: string, _path: string[], didYouMean?: string) => unknownAttributeKey(name, didYouMean)
  if (path !== undefined) return resolvePath(model, entityType, path, [...at, 'path'], unknown)
  if (attribute === undefined) throw missingSortField('A sort names an attribute or a path.', at)
  const found = getSearchable(model, entityType, attribute, (didYouMean) => unknownAttributeKey(attribute, didYouMean))
  return { steps: [], attribute: found }
}

function getSortProperty({ attribute }: ResolvedPath, field: string | undefined, at: string[]): Property | null {
  const { properties, defaultSort } = attributeType(attribute.type)
  const name = field ?? defaultSort
  if (name === null) return null
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!property) throw invalidFilterField(name, attribute.type, at)
  return property
}

// Replaces slugs in filters and sorts by ids, so that a stored view survives the renaming of attributes.

/** `filter` was resolved before without errors, so everything that it names exists. */
export function filterById(model: DataModel, entityType: EntityType, filter: unknown): unknown {
  if (!isObject(filter)) return filter
  const isPath = Array.isArray(filter.path)
  const members = Object.entries(filter).map(([key, value]): [string, unknown] => {
    if (key === '$and' || key === '$or') return [key, listById(model, entityType, value)]
    if (key === '$not') return [key, filterById(model, entityType, value)]
    if (isPath && key === 'path') return [key, pathById(model, entityType, value)]
    if (isPath && key === 'constraints') return [key, value]
    return [attributeId(model, entityType, key), value]
  })
  return Object.fromEntries(members)
}

export const sortsById = (model: DataModel, entityType: EntityType, sorts: readonly SortInput[]): SortInput[] =>
  sorts.map((sort) => ({
    ...sort,
    ...(sort.attribute === undefined ? {} : { attribute: attributeId(model, entityType, sort.attribute) }),
    ...(sort.path === undefined ? {} : { path: pathById(model, entityType, sort.path) as string[][] }), // pathById keeps the shape
  }))

const listById = (model: DataModel, entityType: EntityType, filters: unknown): unknown =>
  Array.isArray(filters) ? filters.map((each) => filterById(model, entityType, each)) : filters

function pathById(model: DataModel, queried: EntityType, segments: unknown): unknown {
  if (!Array.isArray(segments)) return segments
  return segments.map(([entityTypeName, name]: [string, string], index) => {
    const entityType = index === 0 ? queried : (findObject(model, entityTypeName) ?? findList(model, entityTypeName))
    return entityType ? [entityType.id, attributeId(model, entityType, name)] : [entityTypeName, name]
  })
}

const attributeId = (model: DataModel, entityType: EntityType, name: string): string =>
  findSearchable(model, entityType, name)?.id ?? name
