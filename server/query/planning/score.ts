/** What a query costs, before it runs. See docs/reference/errors-and-limits.md (Query score). */

import type { DataModel } from '../../data-model/model'
import type { Condition, ValueCondition } from '../resolve/condition'
import type { Query } from '../resolve/resolve-query'
import { indexFor } from './index-advisor'
import { isTextMatch } from './equality'

const PER_CONDITION = 2
const PER_HOP = 5
const PER_SORT = 3
const PER_UNINDEXED_TEXT_MATCH = 10

/** `entities` is how many the object or list has, about. */
export function scoreOf(model: DataModel, { condition, sorts }: Query, entities: number): number {
  const hops = sorts.reduce((sum, { steps }) => sum + steps.length, 0)
  const cost = 1 + conditionCost(model, condition) + PER_SORT * sorts.length + PER_HOP * hops
  return Math.round(cost * (1 + Math.log10(1 + entities / 10_000)))
}

function conditionCost(model: DataModel, condition: Condition): number {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.reduce((sum, each) => sum + conditionCost(model, each), 0)
    case 'not':
      return conditionCost(model, condition.of)
    case 'reference':
      return PER_HOP + conditionCost(model, condition.condition)
    case 'value':
      return PER_CONDITION + PER_UNINDEXED_TEXT_MATCH * unindexedTextMatches(model, condition)
  }
}

const unindexedTextMatches = (model: DataModel, { attribute, comparisons }: ValueCondition): number =>
  comparisons.filter((comparison) => {
    if (!isTextMatch(comparison)) return false
    const serving = indexFor(model, attribute, comparison)
    return !serving || !model.indexes.has(serving.index.name)
  }).length
