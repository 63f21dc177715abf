/** The indexes that serve the comparisons and the order of a query, and those of them that do not exist. See docs/decisions/indexes.md and docs/decisions/queries.md. */

import { attributeType } from '#engine/attribute-types/registry'
import type { Property } from '#engine/attribute-types/define'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { describePropertyIndex } from '#engine/indexes/describe/property-index'
import type { EntityTypeIndex } from '#engine/indexes/index-request'
import type { Comparison, Condition } from '#engine/query/resolve/condition'
import { hasTrigram } from '#engine/query/compile/compile-comparison'
import { equalityOperands, isUniqueKey } from './composite-index'
import { entityTableName } from '#engine/data-model/names'
import { describeLabelIndex, describeOptionOrderIndex } from '#engine/indexes/describe/order-index'
import { labelSql } from '#engine/query/compile/label'
import { isRankedProperty } from '#engine/query/compile/sort'
import { possibleTargets } from '#engine/query/compile/references'
import type { Query, Sort } from '#engine/query/resolve/resolve-query'

/**
 * Returns undefined when no index helps, or every table has it from its creation. If several indexes help, one that exists
 * is preferred.
 */
export function findComparisonIndex(
  model: DataModel,
  attribute: Attribute,
  comparison: Comparison,
): EntityTypeIndex | undefined {
  if (!('property' in comparison) || comparison.property === null || attribute.stored_in === 'partner') return undefined
  const entityType = entityTypeOf(model, attribute)
  const { property } = comparison
  const described = indexKindsFor(attribute, comparison, property).flatMap(
    (kind) => describePropertyIndex(entityType, attribute, property, kind) ?? [],
  )
  const index = described.find(({ name }) => model.indexes.has(name)) ?? described[0]
  return index && { entityType, index }
}

/** The kinds of index that serve a comparison. The first one is the one to build. */
function indexKindsFor(attribute: Attribute, comparison: Comparison, property: Property) {
  const { is_multiselect, type } = attribute
  if (comparison.kind === 'present' || comparison.kind === 'since' || property.source === 'active_from') return []
  const isExpression = property.source === 'column' && property.expression !== undefined
  const isText = attributeType(type).columns[property.column] === 'text' && attribute.stored_in !== 'entity'
  const operands = equalityOperands(comparison)
  if (operands && isUniqueKey(attribute, comparison)) return []
  if (comparison.kind !== 'compare' || operands) {
    if (!is_multiselect) return isText ? (['exact'] as const) : BOTH_ORDERS
    if (!isExpression) return ['elements'] as const
    return operands?.map(String).every(hasTrigram) ? (['trigram'] as const) : []
  }
  if (!isText) return is_multiselect ? [] : BOTH_ORDERS
  if (comparison.operator === '$starts_with' && !is_multiselect) return BOTH_ORDERS
  return hasTrigram(String(comparison.operand)) ? (['trigram'] as const) : []
}

const BOTH_ORDERS = ['ordered', 'descending'] as const

/** The index that returns rows in the order of a sort. Returns undefined when no index helps, or every table has it from its creation. */
function findOrderIndex(model: DataModel, sort: Sort): EntityTypeIndex | undefined {
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

const NONE: ReadonlySet<Attribute> = new Set()

/** The indexes that would serve a query and do not exist. `served` are the attributes that an index over several columns compares and sorts for the query, if it has one. */
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
