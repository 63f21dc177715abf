/** The comparisons of the builder, with their labels. */

import type { Attribute } from '../../../api/data-model/attributes'
import type { FilterField, OperandKind } from '../../../values/define'
import { valueTypeOf } from '../../../values/registry'
import { parsePeriod } from '#vocabulary/relative-periods'
import { ANY_OF, type Condition, isMine, isObject, RELATIVE } from './filter-tree'

export interface Comparison {
  /** The operator and its negation. */
  readonly value: string
  readonly label: string
  readonly operator: string
  readonly isNegated: boolean
  /** Whether the operator needs an operand. */
  readonly hasOperand: boolean
  /** Whether the operand is a list. */
  readonly takesSeveral: boolean
}

const comparison = (operator: string, isNegated: boolean, label: string): Comparison => ({
  value: `${isNegated ? 'not ' : ''}${operator}`,
  label,
  operator,
  isNegated,
  hasOperand: operator !== '$not_empty',
  takesSeveral: operator === '$in' || operator === ANY_OF,
})

const TEMPORAL: readonly OperandKind[] = ['date', 'instant']

/** The operators for one of several values, by the kind of the operand. */
const SEVERAL: Partial<Record<OperandKind, string>> = {
  option: '$in',
  record: ANY_OF,
  member: ANY_OF,
}

/** In display order. */
export function comparisonsOf({ operators, operand }: FilterField): readonly Comparison[] {
  const isTemporal = TEMPORAL.includes(operand)
  const several = SEVERAL[operand]
  const all = [
    comparison('$contains', false, 'contains'),
    comparison('$contains', true, 'does not contain'),
    comparison('$eq', false, 'is'),
    comparison('$eq', true, 'is not'),
    ...(several === undefined
      ? []
      : [comparison(several, false, 'is any of'), comparison(several, true, 'is none of')]),
    comparison('$starts_with', false, 'starts with'),
    comparison('$ends_with', false, 'ends with'),
    comparison(RELATIVE, false, 'is relative to today'),
    comparison(RELATIVE, true, 'is not relative to today'),
    comparison('$gt', false, isTemporal ? 'is after' : 'is greater than'),
    comparison('$gte', false, isTemporal ? 'is on or after' : 'is at least'),
    comparison('$lt', false, isTemporal ? 'is before' : 'is less than'),
    comparison('$lte', false, isTemporal ? 'is on or before' : 'is at most'),
    comparison('$not_empty', true, 'is empty'),
    comparison('$not_empty', false, 'is not empty'),
  ]
  return all.filter(({ operator }) =>
    operator === RELATIVE ? isTemporal : operator === several || operators.includes(operator),
  )
}

/** Undefined for operators that are not offered. */
export const chosenOf = (
  comparisons: readonly Comparison[],
  { operator, isNegated }: Condition,
): Comparison | undefined => comparisons.find((one) => one.operator === operator && one.isNegated === isNegated)

const isText = (operand: unknown) => typeof operand === 'string'
const isNumber = (operand: unknown) =>
  operand !== '' && Number.isFinite(Number(operand)) && typeof operand !== 'boolean'

const FITS: Readonly<Record<OperandKind, (operand: unknown) => boolean>> = {
  text: isText,
  number: isNumber,
  rating: isNumber,
  date: isText,
  instant: isText,
  'yes-no': (operand) => typeof operand === 'boolean',
  option: isText,
  country: isText,
  member: (operand) => isMine(operand) || (isObject(operand) && operand.referenced_actor_type === 'workspace-member'),
  record: (operand) => isObject(operand) && typeof operand.target_record_id === 'string',
}

/** Whether a row can show the condition: its field, operator and operand. A row that hid one of them would mislead. */
export function isShowable(condition: Condition, attribute: Attribute): boolean {
  const field = fieldOf(condition, attribute)
  const chosen = field && chosenOf(comparisonsOf(field), condition)
  if (!field || !chosen) return false
  const { operand } = condition
  if (!chosen.hasOperand) return operand === true
  if (operand === undefined) return true
  if (chosen.operator === RELATIVE) return isText(operand) && parsePeriod(String(operand)) !== undefined
  if (chosen.takesSeveral) return Array.isArray(operand) && operand.every(FITS[field.operand])
  return FITS[field.operand](operand)
}

export const fieldOf = ({ field }: Condition, attribute: Attribute): FilterField | undefined =>
  valueTypeOf(attribute).fields.find(({ name }) => name === field)

/** A condition on an attribute with its first field, or the named one, and the first operator; undefined without fields. */
export function beginCondition(
  target: Pick<Condition, 'path' | 'attribute'>,
  attribute: Attribute,
  name?: string | null,
): Condition | undefined {
  const { fields } = valueTypeOf(attribute)
  const field = fields.find((one) => one.name === name) ?? fields[0]
  const [first] = field ? comparisonsOf(field) : []
  if (!field || !first) return undefined
  const { operator, isNegated } = first
  return { ...target, field: field.name, operator, isNegated, operand: undefined }
}
