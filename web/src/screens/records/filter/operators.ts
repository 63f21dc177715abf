/** The labels of operators. */

import type { FilterField, OperandKind } from '../../../values/define'
import type { Condition } from './conditions'

export interface Comparison {
  /** The operator and its negation. */
  readonly value: string
  readonly label: string
  readonly operator: string
  readonly isNegated: boolean
  /** Whether the operator needs an operand. */
  readonly hasOperand: boolean
}

const comparison = (operator: string, isNegated: boolean, label: string): Comparison => ({
  value: `${isNegated ? 'not ' : ''}${operator}`,
  label,
  operator,
  isNegated,
  hasOperand: operator !== '$not_empty',
})

const TEMPORAL: readonly OperandKind[] = ['date', 'instant']

/** In display order. */
export function comparisonsOf({ operators, operand }: FilterField): readonly Comparison[] {
  const isTemporal = TEMPORAL.includes(operand)
  const all = [
    comparison('$contains', false, 'contains'),
    comparison('$contains', true, 'does not contain'),
    comparison('$eq', false, 'is'),
    comparison('$eq', true, 'is not'),
    comparison('$starts_with', false, 'starts with'),
    comparison('$ends_with', false, 'ends with'),
    comparison('$gt', false, isTemporal ? 'is after' : 'is greater than'),
    comparison('$gte', false, isTemporal ? 'is on or after' : 'is at least'),
    comparison('$lt', false, isTemporal ? 'is before' : 'is less than'),
    comparison('$lte', false, isTemporal ? 'is on or before' : 'is at most'),
    comparison('$not_empty', true, 'is empty'),
    comparison('$not_empty', false, 'is not empty'),
  ]
  return all.filter(({ operator }) => operators.includes(operator))
}

/** Undefined for operators that are not offered, such as `$in`. */
export const chosenOf = (
  comparisons: readonly Comparison[],
  { operator, isNegated }: Condition,
): Comparison | undefined => comparisons.find((one) => one.operator === operator && one.isNegated === isNegated)
