/** Before a query runs: charges its score to the cost limit, and requests the indexes that it lacks. */

import type { RequestContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { requestIndexes } from '#engine/indexes/advisor'
import type { Query, Sort } from '#engine/query/resolve/resolve-query'
import { type EstimatedCost, scoreOf } from './estimate-cost'
import type { Operator, Property } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { Comparison, Condition } from '#engine/query/resolve/condition'

export interface QueryCost {
  readonly score: number
  /** Whether the query is expected to be long, because it lacks an index on a large table. */
  readonly isLong: boolean
}

/** From this many entities on, a full scan counts as long. */
const LONG_FROM_ENTITIES = 200_000

/** Throws 429 when the query exceeds a cost limit. */
export async function checkCost(
  context: RequestContext,
  entityType: EntityType,
  query: Query & { readonly cost: EstimatedCost },
): Promise<QueryCost> {
  const { model, indexes, costLimit } = context
  const { cost } = query
  const entities = await (indexes?.sizes.get(entityType.table) ?? 0)
  const score = scoreOf(cost.cost, entities)
  await costLimit?.spend(model.workspace.id, score, entities)
  if (cost.isLookup) return { score, isLong: false }
  // Smaller tables get no index over several columns.
  const { single, composite } = entities >= (indexes?.fromRows ?? Infinity) ? cost.large() : cost.small()
  const requestedBy = () => describeQuery(query)
  for (const { entityType: indexed, index } of single)
    requestIndexes(context, indexed, { requests: [index], requestedBy })
  if (composite) {
    const { index, partial } = composite
    requestIndexes(context, entityType, { requests: partial ? [index, partial] : [index], requestedBy })
  }
  return { score, isLong: entities >= LONG_FROM_ENTITIES && single.length > 0 }
}

/** Describes a query without its operands, for operators who read which queries requested an index. See docs/decisions/indexes.md. */
const MAX_LENGTH = 200

/** For example `status = …, score > …; order by created_at desc`. */
function describeQuery({ condition, sorts }: Pick<Query, 'condition' | 'sorts'>): string {
  const order = sorts.length === 0 ? '' : `; order by ${sorts.map(describeSort).join(', ')}`
  const text = `${describeCondition(condition)}${order}`
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}

function describeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'all':
      return condition.of.length === 0 ? 'all' : condition.of.map(describeCondition).join(', ')
    case 'any':
      return `(${condition.of.map(describeCondition).join(' or ')})`
    case 'not':
      return `not (${describeCondition(condition.of)})`
    case 'reference':
      return `${condition.step.attribute.api_slug}: (${describeCondition(condition.condition)})`
    case 'value':
      return condition.comparisons.map((each) => describeComparison(condition.attribute, each)).join(', ')
  }
}

function describeComparison(attribute: Attribute, comparison: Comparison): string {
  switch (comparison.kind) {
    case 'present':
      return `${nameOf(attribute, comparison.property)} is not empty`
    case 'since':
      return `${attribute.api_slug}.active_from ${signOf(comparison.operator)} …`
    case 'numbers':
      return `${nameOf(attribute, comparison.property)} = …`
    case 'in':
      return `${nameOf(attribute, comparison.property)} in …`
    case 'compare':
      return `${nameOf(attribute, comparison.property)} ${signOf(comparison.operator)} …`
  }
}

function describeSort({ steps, attribute, property, direction }: Sort): string {
  const path = [...steps.map((step) => step.attribute.api_slug), nameOf(attribute, property)].join('.')
  return direction === 'asc' ? path : `${path} desc`
}

/** The slug of the attribute, with the field if it is not the usual one. */
function nameOf({ api_slug, type }: Attribute, property: Property | null): string {
  const { properties, defaultProperty } = attributeType(type)
  const [field] = Object.entries(properties).find(([, each]) => each === property) ?? []
  return field === undefined || field === defaultProperty ? api_slug : `${api_slug}.${field}`
}

const SIGNS: Partial<Record<Operator, string>> = {
  $eq: '=',
  $lt: '<',
  $lte: '<=',
  $gt: '>',
  $gte: '>=',
  $starts_with: 'starts with',
  $ends_with: 'ends with',
}

const signOf = (operator: Operator): string => SIGNS[operator] ?? operator.slice(1)
