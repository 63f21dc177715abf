/** The indexes that would serve a query and do not exist. Decision 0030. */

import type { DataModel } from '../../data-model/model'
import type { EntityTypeIndex } from '../../indexes/index-request'
import type { Condition } from '../resolve/condition'
import type { Query } from '../resolve/resolve-query'
import { findComparisonIndex } from './comparison-index'
import { findOrderIndex } from './order-index'

export function findMissingIndexes(model: DataModel, { condition, sorts }: Query): EntityTypeIndex[] {
  return [
    ...conditionIndexes(model, condition),
    ...sorts.slice(0, 1).flatMap((sort) => findOrderIndex(model, sort) ?? []),
  ].filter(({ index }) => !model.indexes.has(index.name))
}

/** An index finds the entities that meet a condition. It does not find those that fail one, so `not` has no index. */
function conditionIndexes(model: DataModel, condition: Condition): EntityTypeIndex[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap((each) => conditionIndexes(model, each))
    case 'not':
      return []
    case 'reference':
      return conditionIndexes(model, condition.condition)
    case 'value':
      return condition.comparisons.flatMap(
        (comparison) => findComparisonIndex(model, condition.attribute, comparison) ?? [],
      )
  }
}
