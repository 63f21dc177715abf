/**
 * The form of a query: all of it except for those operands that its statement has as parameters. Queries of one form have the
 * same statement text, index and score. See docs/decisions/pages.md.
 */

import type { ColumnProperty, Property, Scalar, SqlType } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute } from '#engine/data-model/model'
import { isUniqueKey } from '#engine/query/planning/equality'
import type { Comparison, Condition, Operand, ValueCondition } from '#engine/query/resolve/condition'
import type { Query } from '#engine/query/resolve/resolve-query'

export interface QueryForm {
  /** Equal for queries of the same form. It names attributes and properties by object, so it holds for one data model. */
  readonly key: string
  /** The operands that are no part of the form, in the order of the filter. */
  readonly operands: readonly string[]
  /** The condition with a slot in the place of each of these operands. */
  readonly condition: Condition
}

/** No request contains NUL, so no other operand equals a slot. */
const SLOT = '\0'

const slotText = (index: number): string => `${SLOT}${index}`

/** The index of the slot that is this text. Undefined for other texts. Throws for a text that contains a slot. */
export function slotIn(text: string): number | undefined {
  if (!text.includes(SLOT)) return undefined
  const index = Number(text.slice(SLOT.length))
  if (text.startsWith(SLOT) && Number.isInteger(index)) return index
  throw new Error('A slot of an operand is not a parameter by itself.')
}

/** Thrown for a query whose statement depends on its operands. */
class DependsOnOperands extends Error {}

/** Returns undefined for a query whose statement depends on its operands in other ways than by parameters. */
export function formOf({ condition, sorts }: Pick<Query, 'condition' | 'sorts'>): QueryForm | undefined {
  const collector: Collector = { key: '', operands: [] }
  try {
    const slotted = addCondition(collector, condition)
    for (const { steps, attribute, property, direction } of sorts) {
      collector.key += `;${direction}`
      for (const step of steps) collector.key += `/${serialOf(step.attribute)}>${serialOf(step.target)}`
      collector.key += `/${serialOf(attribute)}.${property === null ? 'label' : serialOf(property)}`
    }
    return { ...collector, condition: slotted }
  } catch (error) {
    if (error instanceof DependsOnOperands) return undefined
    throw error
  }
}

interface Collector {
  key: string
  readonly operands: string[]
}

/** Adds the condition to the key, and returns it with slots. */
function addCondition(collector: Collector, condition: Condition): Condition {
  switch (condition.kind) {
    case 'all':
    case 'any': {
      collector.key += `${condition.kind}(`
      const of = condition.of.map((each) => addCondition(collector, each))
      collector.key += ')'
      return { kind: condition.kind, of }
    }
    case 'not':
      collector.key += 'not '
      return { kind: 'not', of: addCondition(collector, condition.of) }
    case 'reference': {
      const { step } = condition
      collector.key += `${serialOf(step.attribute)}>${serialOf(step.target)} `
      return { kind: 'reference', step, condition: addCondition(collector, condition.condition) }
    }
    case 'value':
      return addValue(collector, condition)
  }
}

function addValue(collector: Collector, { attribute, comparisons }: ValueCondition): ValueCondition {
  collector.key += `${serialOf(attribute)}[`
  const slotted = comparisons.map((comparison) => addComparison(collector, attribute, comparison))
  collector.key += ']'
  return { kind: 'value', attribute, comparisons: slotted }
}

function addComparison(collector: Collector, attribute: Attribute, comparison: Comparison): Comparison {
  switch (comparison.kind) {
    case 'present':
      collector.key += `present ${comparison.property === null ? 'any' : serialOf(comparison.property)},`
      return comparison
    case 'since':
      collector.key += `since ${comparison.operator},`
      return { ...comparison, instant: addSlot(collector, comparison.instant) }
    case 'numbers':
      addNumbers(collector, comparison.property, comparison.numbers)
      return comparison
    case 'in':
      addNumbers(collector, comparison.property, comparison.operands)
      return comparison
    case 'compare':
      collector.key += `${serialOf(comparison.property)}${comparison.operator} `
      return { ...comparison, operand: addOperand(collector, attribute, comparison) }
  }
}

function addSlot({ operands }: Collector, operand: Scalar): string {
  return slotText(operands.push(String(operand)) - 1)
}

/** A longer list seldom comes twice. */
const MAX_NUMBERS = 20

/** Numbers are part of the text. */
function addNumbers(collector: Collector, property: Property, numbers: readonly Operand[]): void {
  if (numbers.length > MAX_NUMBERS || !numbers.every((each) => typeof each === 'number')) throw new DependsOnOperands()
  collector.key += `${serialOf(property)} in ${numbers.join()},`
}

/** Adds an operand that is part of the text, such as an option, to the key; and the type of any other to the operands. */
function addOperand(
  collector: Collector,
  attribute: Attribute,
  comparison: Comparison & { readonly kind: 'compare' },
): Operand {
  const { operand, property } = comparison
  const sqlType = attributeType(attribute.type).columns[property.column]
  if (operand === null || typeof operand === 'boolean' || isWritten(sqlType, operand)) {
    collector.key += `${String(operand)},`
    return operand
  }
  if (!isParameter(attribute, comparison, sqlType)) throw new DependsOnOperands()
  if (typeof operand !== 'object') {
    collector.key += '?,'
    return addSlot(collector, operand)
  }
  const [value, remainder] = operand
  if (value === null || typeof value === 'boolean') throw new DependsOnOperands()
  collector.key += `?+${String(remainder)},`
  return [addSlot(collector, value), remainder]
}

const isWritten = (sqlType: SqlType | undefined, operand: Operand): operand is number =>
  typeof operand === 'number' && (sqlType === 'int' || sqlType === 'smallint')

const RANGES: ReadonlySet<string> = new Set(['$eq', '$lt', '$lte', '$gt', '$gte'])
const ORDERED: ReadonlySet<string | undefined> = new Set<SqlType>([
  'double precision',
  'numeric',
  'date',
  'timestamptz',
])

/** Whether the operand is a parameter by itself, and decides nothing else. */
function isParameter(
  attribute: Attribute,
  comparison: Comparison & { readonly kind: 'compare' },
  sqlType: SqlType | undefined,
): boolean {
  const { property, operator } = comparison
  if (attribute.is_multiselect || attribute.stored_in === 'partner' || isAbsent(property)) return false
  if (isUniqueKey(attribute, comparison)) return false
  if (ORDERED.has(sqlType)) return RANGES.has(operator)
  return sqlType === 'text' && operator === '$eq' && attribute.stored_in === 'columns'
}

const isAbsent = ({ absentAs }: ColumnProperty): boolean => absentAs !== undefined

/** Numbers objects, so that a key can name them by identity: an attribute of one data model is another object than that of the next. */

const serials = new WeakMap<object, number>()
let last = 0

export function serialOf(object: object): number {
  let serial = serials.get(object)
  if (serial === undefined) serials.set(object, (serial = ++last))
  return serial
}
