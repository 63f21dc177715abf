/** What conditions of a table can name: its attributes, and at the end of a path those of another object or activity. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { PARENT_RECORD } from '../../../api/records/referenced-values'
import { kindOf, recordTypeId, type RecordType, type WorkspaceObject } from '../../../state/data-model.svelte'
import type { Condition, Segment } from './filter-tree'

export interface FilteredTable {
  readonly entityType: EntityTypePath
  /** Attributes of the table, those of its columns first. */
  readonly attributes: readonly Attribute[]
  /** The number of attributes that are columns. */
  readonly columnCount: number
  /** The paths of the columns that show attributes of referenced records. */
  readonly referencedColumns: readonly (readonly Segment[])[]
  /** The objects and activities of the workspace. */
  readonly types: readonly RecordType[]
  /** The objects of the parent records; none for the table of an object. */
  readonly parents: readonly WorkspaceObject[]
  /** The attributes of an object or activity. Undefined while they are loading, none if they cannot be loaded. */
  readonly attributesOf: (slug: string) => readonly Attribute[] | undefined
  /** Whether the filter depends neither on the time nor on the person who looks. */
  readonly isStored?: true
}

/** Saved views name attributes by id. */
export const isNamed = ({ api_slug, id }: Attribute, slugOrId: string): boolean =>
  api_slug === slugOrId || id.attribute_id === slugOrId

const findType = ({ types }: FilteredTable, slugOrId: string): RecordType | undefined =>
  types.find((type) => type.api_slug === slugOrId || recordTypeId(type) === slugOrId)

/** The object, activity or list whose attribute a condition compares. */
export function comparedEntityType(table: FilteredTable, { path }: Condition): EntityTypePath {
  const last = path && path.length > 1 ? path.at(-1) : undefined
  if (!last) return table.entityType
  const type = findType(table, last[0])
  return { kind: type ? kindOf(type) : 'objects', slug: type?.api_slug ?? last[0] }
}

/** Undefined while the attributes of another object are loading. */
export function comparedAttributes(table: FilteredTable, condition: Condition): readonly Attribute[] | undefined {
  const { path } = condition
  return path && path.length > 1 ? table.attributesOf(comparedEntityType(table, condition).slug) : table.attributes
}

/** Undefined for an unknown attribute, and while the attributes of another object are loading. */
export const comparedAttribute = (table: FilteredTable, condition: Condition): Attribute | undefined =>
  comparedAttributes(table, condition)?.find((one) => isNamed(one, condition.attribute))

/** The titles of the references that lead to the attribute, the outermost first. Parent records have the name of their object. */
export function pathTitles(table: FilteredTable, { path = [] }: Pick<Condition, 'path'>): readonly string[] {
  return path.slice(0, -1).map(([slug, name], at) => {
    const attributes = at === 0 ? table.attributes : table.attributesOf(slugOf(table, slug))
    const attribute = attributes?.find((one) => isNamed(one, name))
    const isParent = at === 0 && (attribute?.api_slug ?? name) === PARENT_RECORD
    const object = isParent ? findType(table, path[1]?.[0] ?? '') : undefined
    return object?.singular_noun ?? attribute?.title ?? name
  })
}

const slugOf = (table: FilteredTable, slugOrId: string): string => findType(table, slugOrId)?.api_slug ?? slugOrId
