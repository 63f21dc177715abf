/** A group of rows: those with one value of an attribute, or without any. */

import { type Attribute, type EntityTypePath, optionId, type Option } from '../../../../api/data-model/attributes'
import type { Aggregates } from '../../../../api/records/aggregate'
import type { Filter, Value } from '../../../../api/records/entities'
import { referencePath } from '../../../../api/records/referenced-values'
import { valueTypeOf } from '../../../../values/registry'

export interface Group {
  /** Distinct among the groups of an attribute. */
  readonly key: string
  /** Undefined for rows without a value. */
  readonly value: Value | undefined
  readonly total: number
  /** The aggregates that were requested, in their order; null without values. */
  readonly totals: readonly (number | null)[]
  readonly filter: Filter
}

/** In the order of the options, if the attribute has some, else the largest first. Rows without a value come last. */
export function groupsOf(
  entityType: EntityTypePath,
  attribute: Attribute,
  { groups = [] }: Pick<Aggregates, 'groups'>,
  options: readonly Option[] | undefined,
): readonly Group[] {
  const all = groups.map((group) => groupOf(entityType, attribute, group))
  const order = new Map(options?.map((option, index) => [optionId(option), index]))
  const positionOf = ({ value, key }: Group) =>
    value === undefined ? Infinity : (order.get(JSON.parse(key)) ?? order.size)
  return all.toSorted((one, other) => Math.sign(positionOf(one) - positionOf(other)) || 0)
}

function groupOf(
  entityType: EntityTypePath,
  attribute: Attribute,
  { value: given, total, aggregate_values: totals = [] }: NonNullable<Aggregates['groups']>[number],
): Group {
  const path = referencePath(entityType, attribute.api_slug)
  const where = (constraints: unknown): Filter =>
    path === undefined ? { [attribute.api_slug]: constraints } : { path, constraints }
  if (given === null) return { key: '', value: undefined, total, totals, filter: { $not: where({ $not_empty: true }) } }
  const value: Value = {
    active_from: '',
    active_until: null,
    created_by_actor: { type: null, id: null },
    attribute_type: attribute.type,
    ...given,
  }
  const operand = valueTypeOf(attribute).input(value)
  return { key: JSON.stringify(operand), value, total, totals, filter: where(operand) }
}
