/**
 * Filters and sorts that name archived attributes, which the API refuses. A table leaves these conditions and sorts out, so that a saved
 * view works while an attribute of it is archived.
 */

import type { Attribute } from '../../../api/data-model/attributes'
import type { Filter, SortInput } from '../../../api/records/entities'
import { isObject } from './filter-tree'
import { isNamed } from './paths'

export interface Usable<T> {
  readonly present: T
  /** The archived attributes that the rest names. */
  readonly archived: readonly Attribute[]
}

/** A filter without the conditions of archived attributes. A group without a condition is left out. */
export function usableFilter(filter: Filter, attributes: readonly Attribute[]): Usable<Filter> {
  const archived = new Set<Attribute>()
  const find = (name: unknown) => findArchived(attributes, name)

  const usable = (part: unknown): unknown => {
    if (!isObject(part)) return part
    if (Array.isArray(part.path)) return keep(find(firstOf(part.path)), part)
    const members = Object.entries(part).map(([key, value]) => [key, usableMember(key, value)] as const)
    const present = members.filter(([, value]) => value !== undefined)
    return present.length === 0 && members.length > 0 ? undefined : Object.fromEntries(present)
  }
  const usableMember = (key: string, value: unknown): unknown => {
    if (key === '$not') return usable(value)
    if ((key !== '$and' && key !== '$or') || !Array.isArray(value)) return keep(find(key), value)
    const parts = value.map(usable).filter((part) => part !== undefined)
    return parts.length === 0 && value.length > 0 ? undefined : parts
  }
  const keep = (attribute: Attribute | undefined, part: unknown): unknown => {
    if (attribute === undefined) return part
    archived.add(attribute)
    return undefined
  }

  const present = usable(filter)
  if (archived.size === 0) return { present: filter, archived: [] }
  return { present: isObject(present) ? present : {}, archived: [...archived] }
}

/** Sorts without those by archived attributes. */
export function usableSorts(
  sorts: readonly SortInput[],
  attributes: readonly Attribute[],
): Usable<readonly SortInput[]> {
  // A sort by an attribute of referenced records begins with its reference.
  const archivedOf = ({ attribute, path }: SortInput) =>
    findArchived(attributes, attribute?.split('.')[0] ?? firstOf(path))
  const archived = sorts.flatMap((sort) => archivedOf(sort) ?? [])
  if (archived.length === 0) return { present: sorts, archived }
  return { present: sorts.filter((sort) => archivedOf(sort) === undefined), archived }
}

const findArchived = (attributes: readonly Attribute[], name: unknown): Attribute | undefined =>
  attributes.find((one) => one.is_archived && typeof name === 'string' && isNamed(one, name))

/** The attribute at the beginning of a path, which belongs to the table. */
const firstOf = (path: readonly unknown[] | undefined): unknown => {
  const first = path?.[0]
  return Array.isArray(first) ? first[1] : undefined
}
