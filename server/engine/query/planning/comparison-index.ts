/** The index that serves one comparison. See docs/decisions/indexes.md. */

import { attributeType } from '#engine/attribute-types/registry'
import type { Property } from '#engine/attribute-types/define'
import { entityTypeOf } from '#engine/data-model/find'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { describePropertyIndex } from '#engine/indexes/describe/property-index'
import type { EntityTypeIndex } from '#engine/indexes/index-request'
import type { Comparison } from '#engine/query/resolve/condition'
import { hasTrigram } from '#engine/query/compile/match-text'
import { equalityOperands, isUniqueKey } from './equality'

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
  const isText = attributeType(type).columns[property.column] === 'text' && attribute.stored_in === 'columns'
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
