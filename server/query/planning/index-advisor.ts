/** Which index would serve a query, part by part: for those who make indexes, and for what a query costs. Decision 0030. */

import { attributeType } from '../../attribute-types/registry'
import type { Property } from '../../attribute-types/define'
import { entityTypeOf } from '../../data-model/find'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { describePropertyIndex } from '../../indexes/describe-property-index'
import type { IndexRequest } from '../../indexes/index-request'
import type { Comparison, Condition } from '../resolve/condition'
import { equalTo, isKey } from './equality'
import { hasTrigram } from '../compile/match-text'
import { orderIndex } from '../compile/order-index'
import type { Query } from '../resolve/resolve-query'

/** An index for what a query asks of one entity type's entities. */
export interface IndexAdvice {
  readonly entityType: EntityType
  readonly index: IndexRequest
}

/** The indexes that are missing for a query. */
export function missingIndexes(model: DataModel, { condition, sorts }: Query): IndexAdvice[] {
  return [
    ...conditionIndexes(model, condition),
    ...sorts.slice(0, 1).flatMap((sort) => orderIndex(model, sort) ?? []),
  ].filter(({ index }) => !model.indexes.has(index.name))
}

/** An index finds what meets a condition, never what does not. */
function conditionIndexes(model: DataModel, condition: Condition): IndexAdvice[] {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.flatMap((each) => conditionIndexes(model, each))
    case 'not':
      return []
    case 'reference':
      return conditionIndexes(model, condition.condition)
    case 'value':
      return condition.comparisons.flatMap((comparison) => indexFor(model, condition.attribute, comparison) ?? [])
  }
}

/** Undefined where none is of use, or the table has it from the start. One that is there is preferred. */
export function indexFor(model: DataModel, attribute: Attribute, comparison: Comparison): IndexAdvice | undefined {
  if (!('property' in comparison) || comparison.property === null || attribute.stored_in === 'partner') return undefined
  const entityType = entityTypeOf(model, attribute)
  const { property } = comparison
  const described = kindsFor(attribute, comparison, property).flatMap(
    (kind) => describePropertyIndex(entityType, attribute, property, kind) ?? [],
  )
  const index = described.find(({ name }) => model.indexes.has(name)) ?? described[0]
  return index && { entityType, index }
}

/** The kinds of index any of which serves a comparison, the one to make first. */
function kindsFor(attribute: Attribute, comparison: Comparison, property: Property) {
  const { is_multiselect, type } = attribute
  if (comparison.kind === 'present' || comparison.kind === 'since' || property.source === 'active_from') return []
  const isPart = property.source === 'column' && property.expression !== undefined
  const isText = attributeType(type).columns[property.column] === 'text' && attribute.stored_in === 'columns'
  const operands = equalTo(comparison)
  if (operands && isKey(attribute, comparison)) return []
  if (comparison.kind !== 'compare' || operands) {
    if (!is_multiselect) return isText ? (['exact'] as const) : BOTH_ORDERS
    if (!isPart) return ['elements'] as const
    return operands?.map(String).every(hasTrigram) ? (['trigram'] as const) : []
  }
  if (!isText) return is_multiselect ? [] : BOTH_ORDERS
  if (comparison.operator === '$starts_with' && !is_multiselect) return BOTH_ORDERS
  return hasTrigram(String(comparison.operand)) ? (['trigram'] as const) : []
}

const BOTH_ORDERS = ['ordered', 'descending'] as const
