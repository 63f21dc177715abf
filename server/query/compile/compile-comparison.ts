/** One comparison with one value, in SQL. Spec: query 2. */

import type { ColumnProperty, Operator, Property, SqlType } from '../../attribute-types/define'
import { isUuid } from '../../attribute-types/formats/uuids'
import { arrayLiteral } from '../../../db/connect'
import { integerSql } from '../../indexes/expressions'
import type { Comparison, Operand } from '../resolve/condition'
import { any, type Draft, scalarSql } from './statement-builder'
import { matchText } from './match-text'
import type { Place } from './value-accessor'

export function compileComparison(draft: Draft, comparison: Comparison, place: Place): string {
  switch (comparison.kind) {
    case 'present':
      return compilePresence(comparison.property, place)
    case 'since':
      return `${place.since()} ${signOf(comparison.operator)} ${draft.bind(comparison.instant, 'timestamptz')}`
    case 'numbers':
      return compileNumbers(place.column(comparison.property.column), comparison.numbers)
    case 'in':
      return compileIn(draft, comparison.property, comparison.operands, place)
    case 'compare':
      return compileCompare(draft, comparison.property, comparison.operator, comparison.operand, place)
  }
}

/** SQL of a property's column, or of the part of it that the property is. */
export function propertySql(property: Property, place: Place): string | null {
  if (property.source === 'active_from') return place.since()
  const column = place.column(property.column)
  if (column === null || property.source === 'numbers') return column
  return property.expression?.(column) ?? column
}

export const propertyType = (property: Property, place: Place): SqlType =>
  property.source === 'active_from' ? 'timestamptz' : place.typeOf(property.column)

/** Whether anything is there; a text without a letter counts as nothing. */
function compilePresence(property: Property | null, place: Place): string {
  if (property === null) return any(place.members.map((member) => `${place.column(member)} is not null`))
  const sql = propertySql(property, place)
  if (sql === null) return 'false'
  return propertyType(property, place) === 'text' ? `${sql} <> ''` : `${sql} is not null`
}

function compileNumbers(column: string | null, numbers: readonly number[]): string {
  if (column === null || numbers.length === 0) return 'false'
  return `${column} in (${numbers.map(integerSql).join(', ')})`
}

function compileIn(draft: Draft, property: ColumnProperty, operands: readonly Operand[], place: Place): string {
  const sql = propertySql(property, place)
  if (sql === null || operands.length === 0) return 'false'
  const type = propertyType(property, place)
  return `${sql} = any(${arraySql(draft, operands, type)})`
}

/** A list of operands as one parameter, or in the text when they are numbers of ours. */
export function arraySql(draft: Draft, operands: readonly Operand[], type: SqlType): string {
  if (type === 'int') return `array[${operands.map((operand) => integerSql(Number(operand))).join(', ')}]::int[]`
  const fit = type === 'uuid' ? operands.filter((operand) => isUuid(String(operand))) : operands
  return draft.bind(arrayLiteral(fit), `${type}[]`)
}

function compileCompare(
  draft: Draft,
  property: ColumnProperty,
  operator: Operator,
  operand: Operand,
  place: Place,
): string {
  const sql = propertySql(property, place)
  if (sql === null) return 'false'
  if (isOnParts(operator)) {
    const text = propertyType(property, place) === 'text' ? sql : `${sql}::text`
    return matchText(draft, text, operator, String(operand))
  }
  if (isPair(operand)) return comparePair(draft, property, operator, operand, place, sql)
  const type = propertyType(property, place)
  // Ids are written as text, and no text that is none of them can be one.
  if (type === 'uuid' && !isUuid(String(operand))) return 'false'
  const compared = `${sql} ${signOf(operator)} ${scalarSql(draft, operand, type)}`
  return operator === '$eq' && operand === property.absentAs ? `(${compared} or ${sql} is null)` : compared
}

/** Compares what decides among equals too; it counts as 0 where it is missing. */
function comparePair(
  draft: Draft,
  { column, remainder = '' }: ColumnProperty,
  operator: Operator,
  [value, rest]: Exclude<Operand, string | number | boolean | null>,
  place: Place,
  sql: string,
): string {
  const below = place.column(remainder)
  const compared = scalarSql(draft, value, place.typeOf(column))
  if (below === null && rest === null) return `${sql} ${signOf(operator)} ${compared}`
  const left = `(${sql}, ${below === null ? '0' : `coalesce(${below}, 0)`})`
  return `${left} ${signOf(operator)} (${compared}, ${integerSql(Number(rest ?? 0))})`
}

const isPair = (operand: Operand): operand is Exclude<Operand, string | number | boolean | null> =>
  Array.isArray(operand)

const SIGNS: Partial<Record<Operator, string>> = { $eq: '=', $lt: '<', $lte: '<=', $gt: '>', $gte: '>=' }

const isOnParts = (operator: Operator): boolean => SIGNS[operator] === undefined

function signOf(operator: Operator): string {
  const sign = SIGNS[operator]
  if (sign === undefined) throw new Error(`${operator} compares nothing.`)
  return sign
}
