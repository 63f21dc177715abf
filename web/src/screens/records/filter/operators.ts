/** Operators in words, as they are chosen. */

import type { FilterField, OperandKind } from '../../../values/define'
import type { Condition } from './conditions'

export interface Choice {
  /** Operator, negation and, where nothing more is written, the operand. */
  readonly value: string
  readonly label: string
  readonly operator: string
  readonly isNegated: boolean
  /** What there is to be compared with is not asked for. */
  readonly hasOperand: boolean
}

const choice = (operator: string, isNegated: boolean, label: string): Choice => ({
  value: `${isNegated ? 'not ' : ''}${operator}`,
  label,
  operator,
  isNegated,
  hasOperand: operator !== '$not_empty',
})

const IN_TIME: readonly OperandKind[] = ['date', 'instant']

/** In the order in which they are offered. */
export function choicesOf({ operators, operand }: FilterField): readonly Choice[] {
  const inTime = IN_TIME.includes(operand)
  const all = [
    choice('$contains', false, 'contains'),
    choice('$contains', true, 'does not contain'),
    choice('$eq', false, 'is'),
    choice('$eq', true, 'is not'),
    choice('$starts_with', false, 'starts with'),
    choice('$ends_with', false, 'ends with'),
    choice('$gt', false, inTime ? 'is after' : 'is greater than'),
    choice('$gte', false, inTime ? 'is on or after' : 'is at least'),
    choice('$lt', false, inTime ? 'is before' : 'is less than'),
    choice('$lte', false, inTime ? 'is on or before' : 'is at most'),
    choice('$not_empty', true, 'is empty'),
    choice('$not_empty', false, 'is not empty'),
  ]
  return all.filter(({ operator }) => operators.includes(operator))
}

/** Undefined for operators that are not offered, such as `$in`. */
export const chosenOf = (choices: readonly Choice[], { operator, isNegated }: Condition): Choice | undefined =>
  choices.find((one) => one.operator === operator && one.isNegated === isNegated)
