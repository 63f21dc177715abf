/** Resolves the sorts of a query. See docs/reference/query.md (Sorts, Errors of queries). */

import type { Property } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { filterError, invalidFilterField, missingSortField } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import { getSearchable, resolvePath, type ResolvedPath } from './resolve-path'
import type { SortInput } from '#engine/query/parse/schemas'

export interface Sort extends ResolvedPath {
  readonly direction: 'asc' | 'desc'
  /** Null for the label of the record that is referred to. */
  readonly property: Property | null
}

const MAX_SORTS = 5

/** The paths of its errors begin at the array of sorts. */
export function resolveSorts(model: DataModel, entityType: EntityType, sorts: readonly SortInput[]): Sort[] {
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
