/** Compiles a filter to a condition of a statement. */

import { type RawBuilder, sql } from 'kysely'
import { invalidFilter } from '#base/errors/protocols'
import type { ScimFilter, ScimOperand, ScimOperator } from './parse'
import { isUuid } from '#vocabulary/uuids'

export type ScimCondition = RawBuilder<unknown>

/** An attribute that filters can name. */
type FilterAttribute =
  /** Upper and lower case are the same in `folded text`; `column` is in lower case. */
  | { readonly kind: 'folded text' | 'exact text' | 'boolean' | 'time'; readonly column: ScimCondition }
  /** Another name of the attribute, for a multi-valued attribute that is compared as a whole. */
  | { readonly kind: 'same as'; readonly name: string }
  /** The attribute compiles its own comparisons. `operand` is null for `pr`. */
  | { readonly kind: 'own'; readonly compile: (operator: ScimOperator | 'pr', operand: ScimOperand) => ScimCondition }

/** The attributes of a resource by their names in lower case. Sub-attributes are written with a dot. */
export type FilterAttributes = Readonly<Record<string, FilterAttribute>>

/** Throws 400 `invalidFilter`. `within` is the attribute whose values the filter tests. */
export function compileFilter(filter: ScimFilter, attributes: FilterAttributes, within = ''): ScimCondition {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const conditions = filter.filters.map((each) => compileFilter(each, attributes, within))
      return sql`(${sql.join(conditions, filter.kind === 'and' ? sql` and ` : sql` or `)})`
    }
    case 'not':
      return sql`(${compileFilter(filter.filter, attributes, within)}) is not true`
    case 'values':
      if (within !== '') throw invalidFilter('Brackets cannot stand in brackets.')
      return compileFilter(filter.filter, attributes, `${filter.attribute}.`)
    case 'present':
      return compilePresence(getAttribute(attributes, within + filter.attribute))
    case 'compare':
      return compileComparison(getAttribute(attributes, within + filter.attribute), filter)
  }
}

type Resolved = Exclude<FilterAttribute, { kind: 'same as' }>

function getAttribute(attributes: FilterAttributes, name: string): Resolved {
  const found = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  if (found === undefined) throw invalidFilter(`The attribute "${name.slice(0, 100)}" cannot be used in a filter.`)
  return found.kind === 'same as' ? getAttribute(attributes, found.name) : found
}

function compilePresence(attribute: Resolved): ScimCondition {
  if (attribute.kind === 'own') return attribute.compile('pr', null)
  const { kind, column } = attribute
  return kind === 'folded text' || kind === 'exact text'
    ? sql`(${column} is not null and ${column} <> '')`
    : sql`${column} is not null`
}

function compileComparison(attribute: Resolved, { operator, operand }: Comparison): ScimCondition {
  if (attribute.kind === 'own') return attribute.compile(operator, operand)
  if (operand === null) return compileNull(attribute, operator)
  switch (attribute.kind) {
    case 'boolean':
      return compileBoolean(attribute.column, operator, operand)
    case 'time':
      return compileTime(attribute.column, operator, operand)
    case 'folded text':
      return compareTexts(attribute.column, operator, sql`lower(${requireText(operand)}::text)`)
    case 'exact text':
      return compileText(attribute.column, operator, operand)
  }
}

interface Comparison {
  readonly operator: ScimOperator
  readonly operand: ScimOperand
}

/** An attribute without a value equals null. */
function compileNull(attribute: Resolved, operator: ScimOperator): ScimCondition {
  const present = compilePresence(attribute)
  if (operator === 'eq') return sql`not ${present}`
  if (operator === 'ne') return present
  throw invalidFilter(`"${operator}" cannot compare with null.`)
}

const COMPARISONS = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` } as const

/** Upper and lower case differ. */
const compileText = (column: ScimCondition, operator: ScimOperator, operand: ScimOperand): ScimCondition =>
  compareTexts(column, operator, sql`${requireText(operand)}::text`)

function compareTexts(column: ScimCondition, operator: ScimOperator, operand: ScimCondition): ScimCondition {
  switch (operator) {
    case 'eq':
      return sql`${column} = ${operand}`
    case 'ne':
      return sql`${column} is distinct from ${operand}`
    case 'co':
      return sql`position(${operand} in ${column}) > 0`
    case 'sw':
      return sql`starts_with(${column}, ${operand})`
    case 'ew':
      return sql`right(${column}, length(${operand})) = ${operand}`
    default:
      return sql`${column} collate "C" ${COMPARISONS[operator]} ${operand} collate "C"`
  }
}

/** Identity providers also send booleans as text. */
function compileBoolean(column: ScimCondition, operator: ScimOperator, operand: ScimOperand): ScimCondition {
  const text = String(operand).toLowerCase()
  if (text !== 'true' && text !== 'false') throw invalidFilter('A boolean attribute is compared with true or false.')
  const value = text === 'true'
  if (operator === 'eq') return sql`${column} = ${value}::boolean`
  if (operator === 'ne') return sql`${column} <> ${value}::boolean`
  throw invalidFilter(`"${operator}" cannot compare booleans.`)
}

/** Times that PostgreSQL reads in the form of `toISOString`. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59Z')

function compileTime(column: ScimCondition, operator: ScimOperator, operand: ScimOperand): ScimCondition {
  const time = typeof operand === 'string' ? Date.parse(operand) : Number.NaN
  if (!(time >= FIRST_TIME && time <= LAST_TIME)) throw invalidFilter('A time is compared with a date and time.')
  // Clients see milliseconds.
  const value = sql`${new Date(time).toISOString()}::timestamptz`
  const shown = sql`date_trunc('milliseconds', ${column})`
  if (operator === 'eq') return sql`${shown} = ${value}`
  if (operator === 'ne') return sql`${shown} <> ${value}`
  if (operator === 'co' || operator === 'sw' || operator === 'ew')
    throw invalidFilter(`"${operator}" cannot compare times.`)
  return sql`${shown} ${COMPARISONS[operator]} ${value}`
}

function requireText(operand: ScimOperand): string {
  if (typeof operand !== 'string') throw invalidFilter('A text attribute is compared with a text in quotes.')
  if (operand.includes('\0') || !operand.isWellFormed()) throw invalidFilter('A filter must not contain NUL.')
  return operand
}

// Compares ids in filters.

/** The id of an accepted invitation stands for its member. */
export const userIdOf = (workspaceId: string, id: string): ScimCondition => sql`coalesce((
  select member_id from relata.accepted_invitations a
  where a.workspace_id = ${workspaceId} and a.invitation_id = ${id}::uuid), ${id}::uuid)`

/** `idOf` returns the id to compare the column with. No resource has an id that is no UUID. */
export function compileIdComparison(
  column: ScimCondition,
  operator: ScimOperator | 'pr',
  operand: ScimOperand,
  idOf: (id: string) => ScimCondition,
): ScimCondition {
  if (operator === 'pr') return sql`true`
  if (operand === null) return operator === 'ne' ? sql`true` : sql`false`
  if (typeof operand !== 'string') throw invalidFilter('An id is compared with a text in quotes.')
  const isId = isUuid(operand)
  if (operator === 'eq') return isId ? sql`${column} = ${idOf(operand)}` : sql`false`
  if (operator === 'ne') return isId ? sql`${column} <> ${idOf(operand)}` : sql`true`
  return compileText(sql`${column}::text`, operator, operand)
}
