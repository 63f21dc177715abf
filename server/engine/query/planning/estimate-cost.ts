/**
 * What a query costs and which indexes serve it, as far as its data model and form decide. The score of a query is computed before it
 * runs. See docs/reference/errors-and-limits.md (Query score).
 */
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { CompositeIndex } from '#engine/indexes/describe/composite-index'
import type { EntityTypeIndex } from '#engine/indexes/index-request'
import type { Condition, ValueCondition } from '#engine/query/resolve/condition'
import type { Query } from '#engine/query/resolve/resolve-query'
import { equalityOperands, findCompositeIndex, findReadyComposite, isTextMatch, isUniqueKey } from './composite-index'
import { findComparisonIndex, findMissingIndexes } from './query-indexes'

type QueryParts = Pick<Query, 'condition' | 'sorts'>

export interface EstimatedCost {
  /** The part of the score that does not depend on the number of entities. */
  readonly cost: number
  readonly isLookup: boolean
  /** The indexes that the query lacks on a table that gets indexes over several columns, and on a smaller one. */
  large(): MissingIndexes
  small(): MissingIndexes
}

interface MissingIndexes {
  readonly single: readonly EntityTypeIndex[]
  /** The index over several columns; undefined when it exists or none would help. */
  readonly composite: CompositeIndex | undefined
}

const NONE: MissingIndexes = { single: [], composite: undefined }

/** Sends no statement. The missing indexes are computed when they are first read. */
export function estimateCost(model: DataModel, entityType: EntityType, query: QueryParts): EstimatedCost {
  const cost = costOf(model, query)
  if (isLookup(query)) return { cost, isLookup: true, large: () => NONE, small: () => NONE }
  let large: MissingIndexes | undefined
  let small: MissingIndexes | undefined
  return {
    cost,
    isLookup: false,
    large: () => (large ??= findMissing(model, entityType, query)),
    small: () => (small ??= { single: findMissingIndexes(model, query), composite: undefined }),
  }
}

function findMissing(model: DataModel, entityType: EntityType, query: QueryParts): MissingIndexes {
  const composite = findCompositeIndex(model, entityType, query)
  const isReady = findReadyComposite(model, composite) !== undefined
  const single = findMissingIndexes(model, query, isReady ? composite?.attributes : undefined)
  return { single, composite: isReady ? undefined : composite }
}

const PER_CONDITION = 2
const PER_STEP = 5
const PER_SORT = 3
const PER_UNINDEXED_TEXT_MATCH = 10

/** The part of the score that does not depend on the number of entities. */
export function costOf(model: DataModel, { condition, sorts }: Pick<Query, 'condition' | 'sorts'>): number {
  const sortSteps = sorts.reduce((sum, { steps }) => sum + steps.length, 0)
  return 1 + conditionCost(model, condition) + PER_SORT * sorts.length + PER_STEP * sortSteps
}

/** `entities` is the estimated number of entities of the queried object or list. */
export const scoreOf = (cost: number, entities: number): number =>
  Math.round(cost * (1 + Math.log10(1 + entities / 10_000)))

function conditionCost(model: DataModel, condition: Condition): number {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.reduce((sum, each) => sum + conditionCost(model, each), 0)
    case 'not':
      return conditionCost(model, condition.of)
    case 'reference':
      return PER_STEP + conditionCost(model, condition.condition)
    case 'value':
      return PER_CONDITION + PER_UNINDEXED_TEXT_MATCH * unindexedTextMatches(model, condition)
  }
}

const unindexedTextMatches = (model: DataModel, { attribute, comparisons }: ValueCondition): number =>
  comparisons.filter((comparison) => {
    if (!isTextMatch(comparison)) return false
    const found = findComparisonIndex(model, attribute, comparison)
    return !found || !model.indexes.has(found.index.name)
  }).length

/** Recognises lookups: queries that name a few entities by id or unique key. See docs/decisions/queries.md. */
/**
 * Whether ids or unique keys alone select the entities. Such a query is always short: its plan is the same for all operands,
 * and an `$in` has a limited number of them.
 */
export const isLookup = (query: QueryParts): boolean => countLookedUp(query) !== undefined

/** Whether the query looks up so few entities that it may run on the connections of single reads. */
export const isSmallLookup = (query: QueryParts): boolean => (countLookedUp(query) ?? Infinity) <= MAX_SMALL_LOOKUP

const MAX_SMALL_LOOKUP = 10

/** The number of ids or unique keys; undefined when the query is not a lookup. */
const countLookedUp = ({ condition, sorts }: QueryParts): number | undefined =>
  sorts.length === 0 ? countKeys(condition) : undefined

function countKeys(condition: Condition): number | undefined {
  if (condition.kind === 'all') {
    const [only, ...others] = condition.of
    return only !== undefined && others.length === 0 ? countKeys(only) : undefined
  }
  if (condition.kind !== 'value') return undefined
  const [only, ...others] = condition.comparisons
  if (!only || others.length > 0) return undefined
  return isUniqueKey(condition.attribute, only) || isId(condition.attribute)
    ? equalityOperands(only)?.length
    : undefined
}

const isId = (attribute: Attribute): boolean => columnsOf(attribute).some(({ name }) => name === 'id')
