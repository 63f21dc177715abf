/** The attributes that the conditions of a filter name: those of the table, and at the end of a path those of another object. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { attributesOf } from '../../../state/attributes.svelte'
import { valueTypeOf } from '../../../values/registry'
import { isNamed } from '../table/view-state.svelte'
import type { Condition } from './filter-tree'

/** What conditions of a table can name. */
export interface FilteredTable {
  readonly entityType: EntityTypePath
  /** Attributes of the table, those of its columns first. */
  readonly attributes: readonly Attribute[]
  /** The number of attributes that are columns. */
  readonly columnCount: number
}

export const isFilterable = (attribute: Attribute): boolean =>
  !attribute.is_archived && valueTypeOf(attribute).fields.length > 0

export function filteredTable(
  entityType: EntityTypePath,
  attributes: readonly Attribute[],
  columns: readonly Attribute[],
): FilteredTable {
  const shown = columns.filter(isFilterable)
  const others = attributes.filter((one) => isFilterable(one) && !shown.includes(one))
  return { entityType, attributes: [...shown, ...others], columnCount: shown.length }
}

/** The object or list whose attribute a condition compares. */
export function comparedEntityType({ entityType }: FilteredTable, { path }: Condition): EntityTypePath {
  const last = path && path.length > 1 ? path.at(-1) : undefined
  return last ? { kind: 'objects', slug: last[0] } : entityType
}

/** Undefined for an unknown attribute, and while the attributes of another object are loading. */
export function comparedAttribute(table: FilteredTable, condition: Condition): Attribute | undefined {
  const { path } = condition
  const attributes =
    path && path.length > 1 ? attributesOf(comparedEntityType(table, condition))?.data : table.attributes
  return attributes?.find((one) => isNamed(one, condition.attribute))
}

/** The titles of the references that lead to the attribute, the outermost first. */
export function pathTitles(table: FilteredTable, { path = [] }: Condition): readonly string[] {
  return path.slice(0, -1).map(([slug, name], at) => {
    const attributes = at === 0 ? table.attributes : attributesOf({ kind: 'objects', slug })?.data
    if (name === PARENT_RECORD) return 'Record'
    return attributes?.find((one) => isNamed(one, name))?.title ?? name
  })
}

/** The attribute of paths that leads from an entry to its record. */
export const PARENT_RECORD = 'parent_record'
