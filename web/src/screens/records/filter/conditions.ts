/** Filters of the API as rows of conditions, and back. More complex filters are edited as JSON. */

import type { Filter } from '../../../api/records/entities'

export interface Condition {
  /** The slug, or the id in some saved views. */
  readonly attribute: string
  /** The property; null for the default one. */
  readonly field: string | null
  readonly operator: string
  /** Undefined until the person enters one. */
  readonly operand: unknown
  readonly isNegated: boolean
}

export interface Conditions {
  readonly join: '$and' | '$or'
  readonly list: readonly Condition[]
}

export const NO_CONDITIONS: Conditions = { join: '$and', list: [] }

type Json = Readonly<Record<string, unknown>>

const isObject = (given: unknown): given is Json => typeof given === 'object' && given !== null && !Array.isArray(given)

/** Undefined for filters that rows of conditions cannot express. */
export function readConditions(filter: Filter): Conditions | undefined {
  const { $and, $or } = filter
  const keys = Object.keys(filter)
  if (keys.length === 1 && (Array.isArray($and) || Array.isArray($or))) {
    const parts: unknown[] = Array.isArray($and) ? $and : ($or as unknown[])
    const list = parts.map(readParts)
    // Several attributes in one member are joined by "and", whatever joins the members.
    if (list.some((each) => each === undefined || (each.length !== 1 && $or !== undefined))) return undefined
    return { join: $or === undefined ? '$and' : '$or', list: list.flatMap((each) => each ?? []) }
  }
  const list = readParts(filter)
  return list && { join: '$and', list }
}

function readParts(part: unknown): Condition[] | undefined {
  if (!isObject(part) || 'path' in part || '$and' in part || '$or' in part) return undefined
  const all: Condition[] = []
  for (const [key, constraint] of Object.entries(part)) {
    const read = key === '$not' ? readNegated(constraint) : readConstraint(key, constraint)
    if (read === undefined) return undefined
    all.push(...read)
  }
  return all
}

/** A single negated condition. The negation of several conditions cannot be split into rows. */
function readNegated(part: unknown): Condition[] | undefined {
  const read = readParts(part)
  if (read?.length !== 1 || read[0]?.isNegated) return undefined
  return read.map((condition) => ({ ...condition, isNegated: true }))
}

function readConstraint(attribute: string, constraint: unknown): Condition[] | undefined {
  if (!isObject(constraint)) return [{ attribute, field: null, operator: '$eq', operand: constraint, isNegated: false }]
  const target = readTarget(constraint)
  if (target !== undefined) return [{ attribute, field: null, operator: '$eq', operand: target, isNegated: false }]
  const operators = Object.keys(constraint).filter((key) => key.startsWith('$'))
  const fields = Object.keys(constraint).filter((key) => !key.startsWith('$'))
  // Several members apply to the same value, which rows cannot express.
  if (operators.length + fields.length !== 1) return undefined
  const [key] = [...operators, ...fields]
  if (key === undefined) return undefined
  if (operators.length === 1) {
    return [{ attribute, field: null, operator: key, operand: constraint[key], isNegated: false }]
  }
  return readConstraint(attribute, constraint[key])?.map((condition) => ({ ...condition, field: key }))
}

/** Operands that refer to records and actors have two members. */
function readTarget(constraint: Json): Json | undefined {
  const names = Object.keys(constraint).sort().join()
  const isTarget = names === 'target_object,target_record_id' || names === 'referenced_actor_id,referenced_actor_type'
  const isPlain = Object.values(constraint).every((member) => !isObject(member))
  return isTarget && isPlain ? constraint : undefined
}

/** Leaves out conditions without an operand. */
export function writeFilter({ join, list }: Conditions): Filter {
  const parts = list.filter(isComplete).map(writeCondition)
  const [only] = parts
  if (only === undefined) return {}
  return parts.length === 1 ? only : { [join]: parts }
}

/** Whether two conditions differ in nothing but their operands. */
export const isSameComparison = (one: Condition, other: Condition): boolean =>
  one.attribute === other.attribute &&
  one.field === other.field &&
  one.operator === other.operator &&
  one.isNegated === other.isNegated

export const isComplete = ({ operand }: Condition): boolean => operand !== undefined && operand !== ''

function writeCondition({ attribute, field, operator, operand, isNegated }: Condition): Filter {
  const compared = isObject(operand) ? operand : { [operator]: operand }
  const condition = { [attribute]: field === null ? compared : { [field]: compared } }
  return isNegated ? { $not: condition } : condition
}
