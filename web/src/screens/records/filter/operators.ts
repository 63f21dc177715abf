/** The labels of operators. */

import type { FilterField, OperandKind } from '../../../values/define'
import type { Condition } from './conditions'

export interface Choice {
  /** The operator and its negation. */
  readonly value: string
  readonly label: string
  readonly operator: string
  readonly isNegated: boolean
  /** Whether the operator needs an operand. */
  readonly hasOperand: boolean
}

const choice = (operator: string, isNegated: boolean, label: string): Choice => ({
  value: `${isNegated ? 'not ' : ''}${operator}`,
  label,
  operator,
  isNegated,
  hasOperand: operator !== '$not_empty',
})

const TEMPORAL: readonly OperandKind[] = ['date', 'instant']

/** In display order. */
export function choicesOf({ operators, operand }: FilterField): readonly Choice[] {
  const isTemporal = TEMPORAL.includes(operand)
  const all = [
    choice('$contains', false, 'contains'),
    choice('$contains', true, 'does not contain'),
    choice('$eq', false, 'is'),
    choice('$eq', true, 'is not'),
    choice('$starts_with', false, 'starts with'),
    choice('$ends_with', false, 'ends with'),
    choice('$gt', false, isTemporal ? 'is after' : 'is greater than'),
    choice('$gte', false, isTemporal ? 'is on or after' : 'is at least'),
    choice('$lt', false, isTemporal ? 'is before' : 'is less than'),
    choice('$lte', false, isTemporal ? 'is on or before' : 'is at most'),
    choice('$not_empty', true, 'is empty'),
    choice('$not_empty', false, 'is not empty'),
  ]
  return all.filter(({ operator }) => operators.includes(operator))
}

/** Undefined for operators that are not offered, such as `$in`. */
export const chosenOf = (choices: readonly Choice[], { operator, isNegated }: Condition): Choice | undefined =>
  choices.find((one) => one.operator === operator && one.isNegated === isNegated)
