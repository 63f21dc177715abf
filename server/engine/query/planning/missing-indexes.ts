/** The indexes that would serve a query and do not exist. See docs/decisions/indexes.md. */

import type { Attribute, DataModel } from '#engine/data-model/model'
import type { EntityTypeIndex } from '#engine/indexes/index-request'
import type { Condition } from '#engine/query/resolve/condition'
import type { Query } from '#engine/query/resolve/resolve-query'
import { findComparisonIndex } from './comparison-index'
import { findOrderIndex } from './order-index'

const NONE: ReadonlySet<Attribute> = new Set()

/** `served` are the attributes that an index over several columns compares and sorts for the query, if it has one. */
export function findMissingIndexes(
  model: DataModel,
  { condition, sorts }: Pick<Query, 'condition' | 'sorts'>,
  served: ReadonlySet<Attribute> = NONE,
): EntityTypeIndex[] {
  const indexedSorts = served.size > 0 ? [] : sorts.slice(0, 1)
  return [
    ...conditionIndexes(model, condition, served),
    ...indexedSorts.flatMap((sort) => findOrderIndex(model, sort) ?? []),
  ].filter(({ index }) => !model.indexes.has(index.name))
}

/** An index finds the entities that meet a condition. It does not find those that fail one, so `not` has no index. */
function conditionIndexes(model: DataModel, condition: Condition, served: ReadonlySet<Attribute>): EntityTypeIndex[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap((each) => conditionIndexes(model, each, served))
    case 'not':
      return []
    case 'reference':
      return conditionIndexes(model, condition.condition, NONE)
    case 'value':
      if (served.has(condition.attribute)) return []
      return condition.comparisons.flatMap(
        (comparison) => findComparisonIndex(model, condition.attribute, comparison) ?? [],
      )
  }
}
