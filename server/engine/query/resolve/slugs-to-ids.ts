/** Replaces slugs in filters and sorts by ids, so that a stored view survives the renaming of attributes. */

import { findList, findObject } from '#engine/data-model/find'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { isObject } from '#engine/query/parse/parse-constraint'
import { findSearchable } from './searchable'
import type { SortInput } from '#engine/query/parse/schemas'

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
