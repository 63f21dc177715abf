/** The index that returns rows in the order of a sort. See docs/decisions/queries.md. */

import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import { describePropertyIndex } from '#engine/indexes/describe/property-index'
import { describeLabelIndex, describeOptionOrderIndex } from '#engine/indexes/describe/order-index'
import type { EntityTypeIndex } from '#engine/indexes/index-request'
import { labelSql } from '#engine/query/compile/label'
import { isRankedProperty } from '#engine/query/compile/ranked'
import { possibleTargets } from '#engine/query/compile/references'
import type { Sort } from '#engine/query/resolve/resolve-query'

/** Returns undefined when no index helps, or every table has it from its creation. */
export function findOrderIndex(model: DataModel, sort: Sort): EntityTypeIndex | undefined {
  const { steps, attribute, property, direction } = sort
  if (!steps.every((step) => isSingleReference(step.attribute)) || attribute.stored_in === 'partner') return undefined
  if (property === null) return labelIndex(model, attribute)
  const entityType = entityTypeOf(model, attribute)
  // PostgreSQL can scan the index on the target records in either direction.
  const kind = direction === 'asc' || steps.length > 0 ? 'ordered' : 'descending'
  const index = isRankedProperty(property)
    ? // Members have no such index, because their order changes whenever a member joins or leaves.
      attribute.options.length > 0 &&
      describeOptionOrderIndex(entityType, attribute, property, kind, property.ranked(attribute, model))
    : describePropertyIndex(entityType, attribute, property, kind)
  return index ? { entityType, index } : undefined
}

function labelIndex(model: DataModel, attribute: Attribute): EntityTypeIndex | undefined {
  const [target, ...others] = possibleTargets(model, attribute)
  if (!target || others.length > 0 || !isSingleReference(attribute)) return undefined
  return { entityType: target, index: describeLabelIndex(target, labelSql(target, entityTableName(target))) }
}

/** True when an entity refers to one record at most, and an index finds the entities that refer to a record. */
const isSingleReference = ({ stored_in, is_multiselect }: Attribute): boolean =>
  stored_in !== 'partner' && !is_multiselect

/**
 * Whether a page is read from the records that the first sort refers to, in their order. An index returns that order. For a
 * long query (`isLong`), which would read all rows anyway, sorting the records without an index is worth its cost.
 */
export function startsFromSortTarget(model: DataModel, [first]: readonly Sort[], isLong = false): boolean {
  if (!first || (first.steps.length === 0 && first.property !== null)) return false
  const found = findOrderIndex(model, first)
  return found !== undefined && (isLong || model.indexes.has(found.index.name))
}
