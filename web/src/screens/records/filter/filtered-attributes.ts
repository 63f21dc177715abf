/** The attributes that the filter of a table can name, loaded as far as they are needed. */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { isReferencedSlug, referencePath } from '../../../api/records/referenced-values'
import { attributesOf } from '../../../state/attributes.svelte'
import { allRecordTypes, getDataModel, isActivity } from '../../../state/data-model.svelte'
import { valueTypeOf } from '../../../values/registry'
import type { Condition } from './filter-tree'
import { isShowable } from './operators'
import { comparedAttributes, type FilteredTable, isNamed } from './paths'

const isFilterable = (attribute: Attribute): boolean =>
  !attribute.is_archived && valueTypeOf(attribute).fields.length > 0

/** `attributes` are those of the table itself, `columns` also those of referenced records. */
export function filteredTable(
  entityType: EntityTypePath,
  attributes: readonly Attribute[],
  columns: readonly Attribute[],
): FilteredTable {
  const shown = columns.filter((one) => isFilterable(one) && !isReferencedSlug(one.api_slug))
  const others = attributes.filter((one) => isFilterable(one) && !shown.includes(one))
  const { objects = [], lists = [] } = getDataModel().data ?? {}
  const list = entityType.kind === 'lists' ? lists.find(({ api_slug }) => api_slug === entityType.slug) : undefined
  return {
    entityType,
    attributes: [...shown, ...others],
    columnCount: shown.length,
    referencedColumns: columns.flatMap((one) => {
      const path = isFilterable(one) ? referencePath(entityType, one.api_slug) : undefined
      return path ? [path] : []
    }),
    types: allRecordTypes(getDataModel().data),
    parents: objects.filter(({ api_slug }) => api_slug !== null && list?.parent_object.includes(api_slug)),
    attributesOf: filterableAttributes,
  }
}

/** What a filter of stored values can name: the attributes of the table itself that are stored. */
export const storedTable = (table: FilteredTable): FilteredTable => ({
  ...table,
  attributes: table.attributes.filter(({ computed }) => computed?.is_stored !== false),
  types: [],
  parents: [],
  isStored: true,
})

function filterableAttributes(slug: string): readonly Attribute[] | undefined {
  const loaded = attributesOf({ kind: isActivity(slug) ? 'activities' : 'objects', slug })
  return loaded?.data?.filter(isFilterable) ?? (loaded?.error ? [] : undefined)
}

/** Whether a row can show the condition. While the attributes of another object are loading, it shows their slugs. */
export function canShow(table: FilteredTable, condition: Condition): boolean {
  const attributes = comparedAttributes(table, condition)
  if (attributes === undefined) return true
  const attribute = attributes.find((one) => isNamed(one, condition.attribute))
  return attribute !== undefined && isShowable(condition, attribute)
}

/** How a condition names the attribute of a column. */
export function targetOf(entityType: EntityTypePath, { api_slug }: Attribute): Pick<Condition, 'path' | 'attribute'> {
  const path = referencePath(entityType, api_slug)
  return path ? { path, attribute: path.at(-1)?.[1] ?? api_slug } : { attribute: api_slug }
}
