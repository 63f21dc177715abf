/** The index over several columns that serves a query: its equal values, then its order. See docs/decisions/indexes.md. */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import {
  type CompositeIndex,
  describeCompositeIndex,
  type Equality,
  type OrderKeys,
  tableOfComposite,
} from '#engine/indexes/describe/composite-index'
import { optionOrderKey } from '#engine/indexes/describe/order-index'
import { describeSubject, orderKeys } from '#engine/indexes/describe/property-index'
import { isRankedProperty } from '#engine/query/compile/sort'
import type { Comparison, Condition, Operand, ValueCondition } from '#engine/query/resolve/condition'
import type { Query, Sort } from '#engine/query/resolve/resolve-query'
import { attributeType } from '#engine/attribute-types/registry'

type QueryParts = Pick<Query, 'condition' | 'sorts'>

/** Each further column makes the index longer and serves fewer queries. */
const MAX_EQUALITIES = 3
const MAX_SORTS = 2

/** Returns undefined when the query compares nothing for equality, or no such index helps. */
export function findCompositeIndex(
  model: DataModel,
  entityType: EntityType,
  { condition, sorts }: QueryParts,
): CompositeIndex | undefined {
  const values = conjunction(condition).filter((each) => each.kind === 'value')
  if (values.some(isLookedUp)) return undefined
  const equalities = selectEqualities(values.flatMap(equalitiesOf))
  if (equalities.length === 0) return undefined
  const order = orderOf(model, sorts, equalities)
  if (order === undefined) return undefined
  if (order.isNewestFirst && order.keys.length === 0) {
    // An index for the default order is read backwards, and only records of the same creation time are sorted.
    const oldestFirst = describeCompositeIndex(entityType, equalities, { ...order, isNewestFirst: false })
    if (findReadyComposite(model, oldestFirst) !== undefined) return oldestFirst
  }
  return describeCompositeIndex(entityType, equalities, order)
}

/** The name of the index that exists for the query: the one for its constants, or the one for all values. */
export const findReadyComposite = ({ indexes }: DataModel, composite: CompositeIndex | undefined): string | undefined =>
  [composite?.partial?.name, composite?.index.name].find((name) => name !== undefined && indexes.has(name))

/** The index over several columns that exists for the query. */
export function findServingComposite(
  model: DataModel,
  entityType: EntityType,
  query: QueryParts,
): CompositeIndex | undefined {
  if (!tablesWithComposites(model).has(entityTableName(entityType))) return undefined
  const composite = findCompositeIndex(model, entityType, query)
  return findReadyComposite(model, composite) === undefined ? undefined : composite
}

const tables = new WeakMap<DataModel, ReadonlySet<string>>()

/** The names of the tables with an index over several columns. */
function tablesWithComposites(model: DataModel): ReadonlySet<string> {
  const found = tables.get(model) ?? new Set([...model.indexes].flatMap((name) => tableOfComposite(name) ?? []))
  tables.set(model, found)
  return found
}

/** The conditions that all must hold. */
const conjunction = (condition: Condition): readonly Condition[] =>
  condition.kind === 'all' ? condition.of.flatMap(conjunction) : [condition]

/** Whether ids or unique keys select the entities. Their indexes find a few rows, in any order. */
const isLookedUp = ({ attribute, comparisons }: ValueCondition): boolean =>
  comparisons.some(
    (comparison) =>
      equalityOperands(comparison) !== undefined &&
      (isUniqueKey(attribute, comparison) || columnsOf(attribute).some(({ name }) => name === 'id')),
  )

function equalitiesOf({ attribute, comparisons }: ValueCondition): Equality[] {
  if (attribute.stored_in === 'partner' || attribute.is_multiselect) return []
  return comparisons.flatMap((comparison) => equalityOf(attribute, comparison) ?? [])
}

function equalityOf(attribute: Attribute, comparison: Comparison): Equality | undefined {
  if (comparison.kind === 'numbers') {
    const { property, numbers } = comparison
    const [operand, ...others] = numbers
    if (operand === undefined || others.length > 0) return undefined
    return { attribute, property, operand, isConstant: false, includesAbsent: false }
  }
  const [operand, ...others] = equalityOperands(comparison) ?? []
  if (operand === undefined || others.length > 0 || comparison.kind === 'present' || comparison.kind === 'since')
    return undefined
  const { property } = comparison
  // An operand with a remainder compares two columns.
  if (typeof operand === 'object' || property.remainder !== undefined) return undefined
  const isConstant = typeof operand === 'boolean' || (typeof operand === 'number' && attribute.options.length > 0)
  return { attribute, property, operand, isConstant, includesAbsent: operand === property.absentAs }
}

/** Takes the constants first, whose columns are short. The order of the columns does not depend on the order in the filter. */
function selectEqualities(found: readonly Equality[]): Equality[] {
  if (found.length < 2) return [...found]
  const byColumn = new Map(found.map((each) => [`${each.isConstant ? 0 : 1} ${columnOf(each)}`, each]))
  return [...byColumn]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, equality]) => equality)
    .slice(0, MAX_EQUALITIES)
}

const columnOf = ({ attribute, property }: Equality): string =>
  describeSubject(attribute, property, 'exact')?.name ?? ''

/** Undefined when no column of the entity type's table has the first key. */
function orderOf(model: DataModel, sorts: readonly Sort[], equalities: readonly Equality[]): OrderKeys | undefined {
  const attributes: Attribute[] = []
  const keys: string[] = []
  let texts = 0
  for (const [position, sort] of sorts.slice(0, MAX_SORTS).entries()) {
    if (isCreation(sort)) return { attributes, keys, isNewestFirst: sort.direction === 'desc' }
    const sortKeys = equalities.some((equality) => isSameColumn(equality, sort)) ? undefined : keysOf(model, sort)
    texts += isTextSort(sort) ? 1 : 0
    // Two texts might be too long for a row of a B-tree. `updated_at` changes with every write.
    if (!sortKeys || texts > 1 || (position > 0 && sort.attribute.stored_in === 'entity'))
      return position > 0 ? { attributes, keys, isNewestFirst: false } : undefined
    attributes.push(sort.attribute)
    keys.push(...sortKeys)
  }
  return { attributes, keys, isNewestFirst: false }
}

/** Whether the sort is by creation time. */
export const isCreation = ({ steps, attribute }: Sort): boolean =>
  steps.length === 0 && columnsOf(attribute).some(({ name }) => name === 'created_at')

const isSameColumn = (equality: Equality, { steps, attribute, property }: Sort): boolean =>
  steps.length === 0 && equality.attribute === attribute && equality.property === property

function subjectOf({ attribute, property }: Sort, kind: 'ordered' | 'descending') {
  if (property === null || property.source === 'active_from') return undefined
  return describeSubject(attribute, property, kind)
}

const isTextSort = (sort: Sort): boolean => subjectOf(sort, 'ordered')?.isText === true

function keysOf(model: DataModel, sort: Sort): string[] | undefined {
  const { steps, attribute, property, direction } = sort
  if (steps.length > 0 || attribute.stored_in === 'partner' || property === null) return undefined
  const kind = direction === 'asc' ? 'ordered' : 'descending'
  if (isRankedProperty(property)) {
    // Members have no such index, because their order changes whenever a member joins or leaves.
    if (attribute.options.length === 0) return undefined
    const key = optionOrderKey(attribute, property, kind, property.ranked(attribute, model))
    return key === undefined ? undefined : [key]
  }
  const subject = subjectOf(sort, kind)
  return subject && orderKeys(subject, kind)
}

// Classifies comparisons for the choice of an index.

/** The operands of `$eq` or `$in`; undefined for other comparisons. */
export function equalityOperands(comparison: Comparison): readonly Operand[] | undefined {
  if (comparison.kind === 'in') return comparison.operands
  return comparison.kind === 'compare' && comparison.operator === '$eq' ? [comparison.operand] : undefined
}

/** Whether the comparison is with the property of which every value has a unique key. */
export function isUniqueKey(attribute: Attribute, comparison: Comparison): boolean {
  const { type, is_unique, has_duplicates, stored_in } = attribute
  const { properties, defaultProperty } = attributeType(type)
  if (!is_unique || has_duplicates || stored_in !== 'columns' || !('property' in comparison)) return false
  return comparison.property === properties[defaultProperty ?? '']
}

/** Whether the comparison is with a part of a text. */
export const isTextMatch = (comparison: Comparison): comparison is Comparison & { readonly kind: 'compare' } =>
  comparison.kind === 'compare' && TEXT_OPERATORS.has(comparison.operator)

const TEXT_OPERATORS: ReadonlySet<string> = new Set(['$contains', '$starts_with', '$ends_with'])
