/**
 * Parses the `filter` of a body. Throws the errors that do not depend on the data model.
 * See docs/reference/query.md (Filters) and docs/reference/errors-and-limits.md (Sizes).
 */

import { isObject } from '#base/validation/shapes'
import { filterError, invalidFilterOperator, unknownFilterAttribute } from '#base/errors/queries'
import type { Operator } from '#engine/attribute-types/define'

const MAX_DEPTH = 10
const MAX_CONDITIONS = 250
/** The limit on JSON objects that are filters, empty ones included. */
const MAX_FILTERS = 1000

/** The position of the parser, and its counts of conditions and filters. */
interface Position {
  readonly path: JsonPath
  readonly depth: number
  readonly counts: { conditions: number; filters: number }
}

export const parseFilter = (raw: unknown): Filter =>
  parseAt(raw, { path: [], depth: 0, counts: { conditions: 0, filters: 0 } })

function parseAt(raw: unknown, position: Position): Filter {
  if (!isObject(raw)) throw filterError('Expected a filter, which is an object.', [...position.path])
  position.counts.filters += 1
  if (position.counts.filters > MAX_FILTERS) throw tooManyFilters(position)
  const parts = Object.entries(raw).flatMap(([key, value]) => parseMember(raw, key, value, below(position, key)))
  const [first, ...others] = parts
  return first && others.length === 0 ? first : { kind: 'all', of: parts }
}

/** Parses one member of a filter. All of them must hold. */
function parseMember(raw: object, key: string, value: unknown, position: Position): Filter[] {
  if (isPathFilter(raw)) {
    if (key === 'constraints') return []
    if (key === 'path') return [parsePathFilter(raw, position)]
  }
  if (key === '$and') return [{ kind: 'all', of: parseList(value, position) }]
  if (key === '$or') return [{ kind: 'any', of: parseList(value, position) }]
  if (key === '$not') return [{ kind: 'not', of: parseAt(value, deeper(position)) }]
  if (key.startsWith('$')) throw unknownFilterAttribute(key, [...position.path])
  count(position)
  const { path } = position
  return [{ kind: 'condition', target: { attribute: key, path }, constraint: { raw: value, path } }]
}

function parseList(raw: unknown, position: Position): Filter[] {
  if (!Array.isArray(raw)) throw filterError('Expected an array of filters.', [...position.path])
  if (raw.length > MAX_FILTERS) throw tooManyFilters(position)
  const inside = deeper(position)
  return raw.map((each, index) => parseAt(each, below(inside, String(index))))
}

interface PathFilter {
  readonly path: readonly unknown[]
  readonly constraints?: unknown
}

/** An attribute may have the slug `path`, but its constraint is never an array. */
const isPathFilter = (raw: object): raw is PathFilter => 'path' in raw && Array.isArray(raw.path)

/** `position` is that of the path. */
function parsePathFilter(raw: PathFilter, position: Position): Filter {
  const { path } = position
  const around = path.slice(0, -1)
  if (!('constraints' in raw)) throw filterError('A path needs constraints beside it.', around)
  count(position)
  const constraint = { raw: raw.constraints, path: [...around, 'constraints'] }
  return { kind: 'condition', target: { segments: raw.path, path }, constraint }
}

function count({ counts, path }: Position): void {
  counts.conditions += 1
  if (counts.conditions > MAX_CONDITIONS)
    throw filterError(`A filter has at most ${MAX_CONDITIONS} conditions.`, [...path])
}

const tooManyFilters = ({ path }: Position) =>
  filterError(`A filter is made of at most ${MAX_FILTERS} filters.`, [...path])

const below = (position: Position, key: string): Position => ({ ...position, path: [...position.path, key] })

function deeper(position: Position): Position {
  const depth = position.depth + 1
  if (depth > MAX_DEPTH) throw filterError(`A filter is nested at most ${MAX_DEPTH} deep.`, [...position.path])
  return { ...position, depth }
}

// Parses the constraint on one value: comparisons of fields with operands, all of which must hold.
// See docs/reference/query.md (Filters, Operators).

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
  '$relative',
])

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

/**
 * The syntax tree of a filter. Its names are not resolved yet.
 * See docs/reference/query.md (Filters).
 */

/** A path from the root of a filter or of the sorts to a JSON value in it. Array indexes are texts. */
export type JsonPath = readonly string[]

export type Filter =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | FilterCondition

export interface FilterCondition {
  readonly kind: 'condition'
  readonly target: FilterTarget
  readonly constraint: SourceValue
}

/** An attribute of the queried entity type, or the segments of a path to an attribute of another one. */
export type FilterTarget =
  | { readonly attribute: string; readonly path: JsonPath }
  | { readonly segments: readonly unknown[]; readonly path: JsonPath }

/** A JSON value of the request, and its path. */
export interface SourceValue {
  readonly raw: unknown
  readonly path: JsonPath
}
