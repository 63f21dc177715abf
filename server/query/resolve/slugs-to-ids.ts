/** Filters and sorts that were resolved once, with ids for slugs: so kept, they outlive every renaming. */

import { findList, findObject } from '../../data-model/find'
import type { DataModel, Owner } from '../../data-model/model'
import { isObject } from '../parse/parse-constraint'
import { findSearchable } from './searchable'
import type { SortInput } from '../parse/wire'

/** `filter` has been read without complaint, so what it names is there. */
export function filterById(model: DataModel, owner: Owner, filter: unknown): unknown {
  if (!isObject(filter)) return filter
  const isPath = Array.isArray(filter.path)
  const members = Object.entries(filter).map(([key, value]): [string, unknown] => {
    if (key === '$and' || key === '$or') return [key, listById(model, owner, value)]
    if (key === '$not') return [key, filterById(model, owner, value)]
    if (isPath && key === 'path') return [key, pathById(model, owner, value)]
    if (isPath && key === 'constraints') return [key, value]
    return [attributeId(model, owner, key), value]
  })
  return Object.fromEntries(members)
}

export const sortsById = (model: DataModel, owner: Owner, sorts: readonly SortInput[]): SortInput[] =>
  sorts.map((sort) => ({
    ...sort,
    ...(sort.attribute === undefined ? {} : { attribute: attributeId(model, owner, sort.attribute) }),
    ...(sort.path === undefined ? {} : { path: pathById(model, owner, sort.path) as string[][] }), // made of such
  }))

const listById = (model: DataModel, owner: Owner, filters: unknown): unknown =>
  Array.isArray(filters) ? filters.map((each) => filterById(model, owner, each)) : filters

function pathById(model: DataModel, queried: Owner, segments: unknown): unknown {
  if (!Array.isArray(segments)) return segments
  return segments.map(([ownerName, name]: [string, string], index) => {
    const owner = index === 0 ? queried : (findObject(model, ownerName) ?? findList(model, ownerName))
    return owner ? [owner.id, attributeId(model, owner, name)] : [ownerName, name]
  })
}

const attributeId = (model: DataModel, owner: Owner, name: string): string =>
  findSearchable(model, owner, name)?.id ?? name
