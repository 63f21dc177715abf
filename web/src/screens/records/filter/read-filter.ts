/**
 * Filters of the API as the tree of the builder. A filter that the tree would change, in its meaning or in its form, is
 * edited as JSON.
 */

import type { Filter } from '../../../api/records/entities'
import {
  ANY_OF,
  type Condition,
  type Group,
  isGroup,
  isMine,
  isObject,
  isSameTarget,
  type Json,
  NO_CONDITIONS,
  type Part,
  type Segment,
} from './filter-tree'
import { writeFilter } from './write-filter'

/** Undefined for filters that the builder cannot express. */
export function readFilter(filter: Filter): Group | undefined {
  if (Object.keys(filter).length === 0) return NO_CONDITIONS
  const part = readPart(filter)
  if (part === undefined) return undefined
  const group: Group = isGroup(part) ? part : { join: '$and', parts: [part] }
  return JSON.stringify(writeFilter(group)) === JSON.stringify(filter) ? group : undefined
}

function readPart(filter: unknown): Part | undefined {
  if (!isObject(filter)) return undefined
  if (Array.isArray(filter.path)) return readPath(filter)
  const members = Object.entries(filter).map(([key, value]) => readMember(key, value))
  const parts = members.filter((part) => part !== undefined)
  if (parts.length !== members.length) return undefined
  return parts.length > 1 ? { join: '$and', parts, form: 'members' } : parts[0]
}

function readMember(key: string, value: unknown): Part | undefined {
  if (key === '$and' || key === '$or') return readList(key, value)
  if (key === '$not') return readNegated(value)
  if (key.startsWith('$')) return undefined
  return readConstraint({ attribute: key }, value)
}

function readList(join: Group['join'], list: unknown): Part | undefined {
  if (!Array.isArray(list)) return undefined
  const parts = list.map(readPart).filter((part) => part !== undefined)
  if (parts.length !== list.length) return undefined
  return (
    (join === '$or' ? readAnyOf(parts) : undefined) ?? {
      join,
      parts,
      ...(parts.length === 1 && { form: 'list' }),
    }
  )
}

/** Conditions that compare one attribute with several records or actors. */
function readAnyOf(parts: readonly Part[]): Condition | undefined {
  const [first] = parts
  if (first === undefined || isGroup(first)) return undefined
  const operands: unknown[] = []
  for (const part of parts) {
    if (isGroup(part) || !isTarget(part.operand) || part.isNegated || !isSameTarget(part, first)) return undefined
    operands.push(part.operand)
  }
  return { ...first, operator: ANY_OF, operand: operands }
}

/** A single negated condition. The builder has no negated groups. */
function readNegated(filter: unknown): Condition | undefined {
  const part = readPart(filter)
  return part === undefined || isGroup(part) || part.isNegated ? undefined : { ...part, isNegated: true }
}

function readPath({ path, constraints, ...others }: Json): Condition | undefined {
  if (!Array.isArray(path) || !path.every(isSegment) || Object.keys(others).length > 0) return undefined
  const attribute = path.at(-1)?.[1]
  return attribute === undefined ? undefined : readConstraint({ path, attribute }, constraints)
}

const isSegment = (given: unknown): given is Segment =>
  Array.isArray(given) && given.length === 2 && given.every((one) => typeof one === 'string')

function readConstraint(
  target: Pick<Condition, 'path' | 'attribute'>,
  constraint: unknown,
  field: string | null = null,
): Condition | undefined {
  const condition = { ...target, field, isNegated: false }
  if (!isObject(constraint)) return { ...condition, operator: '$eq', operand: constraint, isShort: true }
  if (isTarget(constraint) || isMine(constraint)) return { ...condition, operator: '$eq', operand: constraint }
  // Several members apply to the same value, which rows cannot express.
  const [[key, inner] = [undefined, undefined], ...others] = Object.entries(constraint)
  if (key === undefined || others.length > 0) return undefined
  if (!key.startsWith('$')) return field === null ? readConstraint(target, inner, key) : undefined
  return {
    ...condition,
    operator: key,
    operand: inner,
    ...(isObject(inner) && { isShort: false }),
  }
}

/** Operands that refer to records and actors have two members. */
function isTarget(constraint: unknown): constraint is Json {
  if (!isObject(constraint)) return false
  const names = Object.keys(constraint).sort().join()
  const isNamed = names === 'target_object,target_record_id' || names === 'referenced_actor_id,referenced_actor_type'
  return isNamed && Object.values(constraint).every((member) => !isObject(member))
}
