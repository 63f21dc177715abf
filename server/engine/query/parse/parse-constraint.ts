/**
 * Parses the constraint on one value: comparisons of fields with operands, all of which must hold.
 * See docs/reference/query.md (Filters, Operators).
 */

import type { Operator } from '#engine/attribute-types/define'
import { filterError, invalidFilterOperator } from '#base/errors/queries'
import type { JsonPath, SourceValue } from './filter'

/** `{"email_domain":{"$eq":"example.com"}}`: one field, one operator, one operand. */
export interface ParsedComparison {
  /** Null for the default field of the type. */
  readonly field: string | null
  readonly operator: Operator
  readonly operand: SourceValue
  /** The path of the field, or of the attribute when the constraint names no field. */
  readonly path: JsonPath
}

const OPERATORS: ReadonlySet<string> = new Set<Operator>([
  '$eq',
  '$in',
  '$not_empty',
  '$contains',
  '$starts_with',
  '$ends_with',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
])

export const isObject = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw)

/** Parses a scalar, operators of the default field, fields with a scalar or operators, or a mixture of these. */
export function parseConstraint({ raw, path }: SourceValue): ParsedComparison[] {
  if (!isObject(raw)) return [equals(null, raw, path)]
  const comparisons = Object.entries(raw).flatMap(([key, value]) =>
    key.startsWith('$') ? [parseOperator(null, key, value, path)] : parseField(key, value, [...path, key]),
  )
  if (comparisons.length === 0) throw filterError('Expected a value, a field or an operator.', [...path])
  return comparisons
}

function parseField(field: string, raw: unknown, path: JsonPath): ParsedComparison[] {
  if (!isObject(raw)) return [equals(field, raw, path)]
  const operators = Object.entries(raw)
  if (operators.length === 0) throw filterError('Expected a value or an operator.', [...path])
  return operators.map(([operator, operand]) => parseOperator(field, operator, operand, path))
}

function equals(field: string | null, raw: unknown, path: JsonPath): ParsedComparison {
  if (Array.isArray(raw)) throw filterError('Expected a value or an object of operators, received array.', [...path])
  return { field, operator: '$eq', operand: { raw, path }, path }
}

function parseOperator(field: string | null, operator: string, raw: unknown, path: JsonPath): ParsedComparison {
  const at = [...path, operator]
  if (!isOperator(operator)) throw invalidFilterOperator(operator, at)
  return { field, operator, operand: { raw, path: at }, path }
}

const isOperator = (text: string): text is Operator => OPERATORS.has(text)
