/** What a query is sorted by. See docs/reference/query.md (Sorts, Errors of queries). */

import type { Property } from '../../attribute-types/define'
import { attributeType } from '../../attribute-types/registry'
import type { DataModel, EntityType } from '../../data-model/model'
import { filterError, invalidFilterField, missingSortField } from '../../errors/queries'
import { unknownAttributeKey } from '../../errors/records'
import { getSearchable, resolvePath, type Way } from './resolve-path'
import type { SortInput } from '../parse/wire'

export interface Sort extends Way {
  readonly direction: 'asc' | 'desc'
  /** Null: what the record that is referred to is called. */
  readonly property: Property | null
}

const MAX_SORTS = 5

/** Paths in errors begin at the array of sorts. */
export function resolveSorts(model: DataModel, entityType: EntityType, sorts: readonly SortInput[]): Sort[] {
  if (sorts.length > MAX_SORTS) throw filterError(`A query has at most ${MAX_SORTS} sorts.`)
  return sorts.map((sort, index) => {
    const way = resolveWay(model, entityType, sort, [String(index)])
    return { ...way, direction: sort.direction, property: getSortProperty(way, sort.field, [String(index), 'field']) }
  })
}

function resolveWay(model: DataModel, entityType: EntityType, { attribute, path }: SortInput, at: string[]): Way {
  if (path !== undefined && attribute !== undefined) {
    throw filterError('A sort names either an attribute or a path.', at)
  }
  const unknown = (name: string, _path: string[], didYouMean?: string) => unknownAttributeKey(name, didYouMean)
  if (path !== undefined) return resolvePath(model, entityType, path, [...at, 'path'], unknown)
  if (attribute === undefined) throw missingSortField('A sort names an attribute or a path.', at)
  const found = getSearchable(model, entityType, attribute, (didYouMean) => unknownAttributeKey(attribute, didYouMean))
  return { steps: [], attribute: found }
}

function getSortProperty({ attribute }: Way, field: string | undefined, at: string[]): Property | null {
  const { properties, defaultSort } = attributeType(attribute.type)
  const name = field ?? defaultSort
  if (name === null) return null
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!property) throw invalidFilterField(name, attribute.type, at)
  return property
}
