/** Compiles one comparison with one value to SQL. See docs/reference/query.md (Operators). */

import type { ColumnProperty, Operator, Property, SqlType } from '#engine/attribute-types/define'
import { isUuid } from '#vocabulary/uuids'
import { renderArray } from '#db/connect'
import { integerSql, SORT_KEY_LENGTH, textSortKey } from '#engine/indexes/expressions'
import type { Comparison, Operand } from '#engine/query/resolve/condition'
import { any, scalarSql, type StatementBuilder } from './statement-builder'
import type { ValueAccessor } from './value-accessor'

export function compileComparison(builder: StatementBuilder, comparison: Comparison, accessor: ValueAccessor): string {
  switch (comparison.kind) {
    case 'present':
      return compilePresence(comparison.property, accessor)
    case 'since':
      return `${accessor.since()} ${signOf(comparison.operator)} ${builder.bind(comparison.instant, 'timestamptz')}`
    case 'numbers':
      return compileNumbers(accessor.column(comparison.property.column), comparison.numbers)
    case 'in':
      return compileIn(builder, comparison.property, comparison.operands, accessor)
    case 'compare':
      return compileCompare(builder, comparison.property, comparison.operator, comparison.operand, accessor)
  }
}

/** The SQL of a property: a column, or an expression over it. Null when the attribute has no such column. */
export function propertySql(property: Property, accessor: ValueAccessor): string | null {
  if (property.source === 'active_from') return accessor.since()
  const column = accessor.column(property.column)
  if (column === null || property.source === 'numbers') return column
  return property.expression?.(column) ?? column
}

export const propertyType = (property: Property, accessor: ValueAccessor): SqlType =>
  property.source === 'active_from' ? 'timestamptz' : accessor.typeOf(property.column)

/** An empty text counts as absent. `property` is null for the presence of any member. */
function compilePresence(property: Property | null, accessor: ValueAccessor): string {
  if (property === null) return any(accessor.members.map((member) => `${accessor.column(member)} is not null`))
  const sql = propertySql(property, accessor)
  if (sql === null) return 'false'
  return propertyType(property, accessor) === 'text' ? `${sql} <> ''` : `${sql} is not null`
}

function compileNumbers(column: string | null, numbers: readonly number[]): string {
  if (column === null || numbers.length === 0) return 'false'
  return `${column} in (${numbers.map(integerSql).join(', ')})`
}

function compileIn(
  builder: StatementBuilder,
  property: ColumnProperty,
  operands: readonly Operand[],
  accessor: ValueAccessor,
): string {
  const sql = propertySql(property, accessor)
  const [only, ...others] = operands
  if (sql === null || only === undefined) return 'false'
  // PostgreSQL returns the rows of an index in the order of its next column only for `=`.
  if (others.length === 0) return compileCompare(builder, property, '$eq', only, accessor)
  const type = propertyType(property, accessor)
  return `${sql} = any(${arraySql(builder, operands, type)})`
}

/**
 * Binds operands as one array parameter. Integers are numbers of this service, not input, and are written into the text of
 * the statement.
 */
export function arraySql(builder: StatementBuilder, operands: readonly Operand[], type: SqlType): string {
  if (type === 'int') return `array[${operands.map((operand) => integerSql(Number(operand))).join(', ')}]::int[]`
  const comparable = type === 'uuid' ? operands.filter((operand) => isUuid(String(operand))) : operands
  return builder.bind(renderArray(comparable), `${type}[]`)
}

function compileCompare(
  builder: StatementBuilder,
  property: ColumnProperty,
  operator: Operator,
  operand: Operand,
  accessor: ValueAccessor,
): string {
  const sql = propertySql(property, accessor)
  if (sql === null) return 'false'
  if (isTextOperator(operator)) {
    const text = propertyType(property, accessor) === 'text' ? sql : `${sql}::text`
    return matchText(builder, text, operator, String(operand))
  }
  if (isPair(operand)) return comparePair(builder, property, operator, operand, accessor, sql)
  const type = propertyType(property, accessor)
  // An id is compared as a uuid. An operand that is not a uuid equals no id.
  if (type === 'uuid' && !isUuid(String(operand))) return 'false'
  const compared = `${sql} ${signOf(operator)} ${scalarSql(builder, operand, type)}`
  return operator === '$eq' && operand === property.absentAs ? `(${compared} or ${sql} is null)` : compared
}

/** Compares a value together with its remainder, which decides between equal values. A missing remainder counts as 0. */
function comparePair(
  builder: StatementBuilder,
  { column, remainder = '' }: ColumnProperty,
  operator: Operator,
  [value, operandRemainder]: Exclude<Operand, string | number | boolean | null>,
  accessor: ValueAccessor,
  sql: string,
): string {
  const remainderColumn = accessor.column(remainder)
  const compared = scalarSql(builder, value, accessor.typeOf(column))
  if (remainderColumn === null && operandRemainder === null) return `${sql} ${signOf(operator)} ${compared}`
  const left = `(${sql}, ${remainderColumn === null ? '0' : `coalesce(${remainderColumn}, 0)`})`
  return `${left} ${signOf(operator)} (${compared}, ${integerSql(Number(operandRemainder ?? 0))})`
}

const isPair = (operand: Operand): operand is Exclude<Operand, string | number | boolean | null> =>
  Array.isArray(operand)

const SIGNS: Partial<Record<Operator, string>> = { $eq: '=', $lt: '<', $lte: '<=', $gt: '>', $gte: '>=' }

const isTextOperator = (operator: Operator): boolean => SIGNS[operator] === undefined

function signOf(operator: Operator): string {
  const sign = SIGNS[operator]
  if (sign === undefined) throw new Error(`${operator} is not a comparison sign.`)
  return sign
}

/** Compiles the operators on parts of text, which ignore case. See docs/reference/query.md (Operators). */
const TRIGRAM = /[\p{L}\p{N}]{3}/u

/** Whether a trigram index can look up a text. For a shorter text, PostgreSQL would read the whole index. */
export const hasTrigram = (text: string): boolean => TRIGRAM.test(text)

/** SQL that holds when the text of `sql` contains, begins or ends with the operand. */
export function matchText(builder: StatementBuilder, sql: string, operator: string, operand: string): string {
  const isIndexed = hasTrigram(operand)
  switch (operator) {
    case '$contains':
      if (isIndexed) return `${sql} ilike ${builder.bind(`%${escapeWildcards(operand)}%`, 'text')}`
      return `strpos(lower(${sql}), lower(${builder.bind(operand, 'text')})) > 0`
    case '$starts_with':
      return `${prefixSubject(sql, operand)} like lower(${builder.bind(`${escapeWildcards(operand)}%`, 'text')})`
    case '$ends_with':
      if (isIndexed) return `${sql} ilike ${builder.bind(`%${escapeWildcards(operand)}`, 'text')}`
      return `right(lower(${sql}), ${[...operand].length}) = lower(${builder.bind(operand, 'text')})`
    default:
      throw new Error(`${operator} is not an operator on parts of text.`)
  }
}

/** The expression of sorts, so that one index serves both. Lower case makes a text at most three times as long. */
const prefixSubject = (sql: string, operand: string): string =>
  operand.length * 3 <= SORT_KEY_LENGTH ? textSortKey(sql) : `lower(${sql})`

const escapeWildcards = (text: string): string => text.replace(/[\\%_]/g, '\\$&')
