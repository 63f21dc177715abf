/** Which index gives rows in the order that is asked for. Decision 0032. */

import { entityTypeOf } from '../../data-model/find'
import type { Attribute, DataModel } from '../../data-model/model'
import { entityTableName } from '../../data-model/names'
import { describePropertyIndex } from '../../indexes/describe-property-index'
import { describeLabelIndex, describeOptionOrderIndex } from '../../indexes/describe-order-index'
import { labelSql } from './label'
import { isRanked } from './ranked'
import { possibleTargets } from './references'
import type { Sort } from '../resolve/resolve-sort'
import type { IndexAdvice } from '../planning/index-advisor'

/** Undefined where none is of use, or the table has it from the start. */
export function orderIndex(model: DataModel, sort: Sort): IndexAdvice | undefined {
  const { steps, attribute, property, direction } = sort
  if (!steps.every((step) => isFollowed(step.attribute)) || attribute.stored_in === 'partner') return undefined
  if (property === null) return labelIndex(model, attribute)
  const entityType = entityTypeOf(model, attribute)
  // Read from the records that are referred to, it is read either way round.
  const kind = direction === 'asc' || steps.length > 0 ? 'ordered' : 'descending'
  const index = isRanked(property)
    ? // The order of members changes with them.
      attribute.options.length > 0 &&
      describeOptionOrderIndex(entityType, attribute, property, kind, property.ranked(attribute, model))
    : describePropertyIndex(entityType, attribute, property, kind)
  return index ? { entityType, index } : undefined
}

function labelIndex(model: DataModel, attribute: Attribute): IndexAdvice | undefined {
  const [target, ...others] = possibleTargets(model, attribute)
  if (!target || others.length > 0 || !isFollowed(attribute)) return undefined
  return { entityType: target, index: describeLabelIndex(target, labelSql(target, entityTableName(target))) }
}

/** Whether an index finds the entities that refer to a record by an attribute, and each refers to one alone. */
const isFollowed = ({ stored_in, is_multiselect }: Attribute): boolean => stored_in !== 'partner' && !is_multiselect

/**
 * Whether rows are best read from the records that the first sort refers to, in the order of those: rows that refer to none
 * come last anyway. An index gives that order; where all rows would have to be read otherwise (`isLong`), it is worth
 * sorting the records for it.
 */
export function isReadByTarget(model: DataModel, [first]: readonly Sort[], isLong = false): boolean {
  if (!first || (first.steps.length === 0 && first.property !== null)) return false
  const serving = orderIndex(model, first)
  return serving !== undefined && (isLong || model.indexes.has(serving.index.name))
}
