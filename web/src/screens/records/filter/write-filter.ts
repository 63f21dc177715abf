/** The tree of the builder as a filter of the API. */

import type { Filter } from '../../../api/records/entities'
import { ANY_OF, type Condition, type Group, isComplete, isGroup, isObject, type Part } from './filter-tree'

/** Leaves out conditions without an operand. */
export const writeFilter = (group: Group): Filter => writeGroup(group) ?? {}

function writePart(part: Part): Filter | undefined {
  if (isGroup(part)) return writeGroup(part)
  return isComplete(part) ? writeCondition(part) : undefined
}

function writeGroup({ join, parts, form }: Group): Filter | undefined {
  const written: readonly Filter[] = parts.map(writePart).filter((filter) => filter !== undefined)
  const [only] = written
  if (only === undefined) return undefined
  if (form === 'members' && areDistinct(written)) return Object.fromEntries(written.flatMap(Object.entries<unknown>))
  return written.length === 1 && form !== 'list' ? only : { [join]: written }
}

/** Whether one object can have the members of all. A path is an object of its own. */
function areDistinct(filters: readonly Filter[]): boolean {
  const keys = filters.flatMap((filter) => Object.keys(filter))
  return new Set(keys).size === keys.length && !filters.some(({ path }) => Array.isArray(path))
}

function writeCondition(condition: Condition): Filter {
  const positive = condition.operator === ANY_OF ? writeAnyOf(condition) : writeComparison(condition)
  return condition.isNegated ? { $not: positive } : positive
}

function writeAnyOf(condition: Condition): Filter {
  const operands: readonly unknown[] = Array.isArray(condition.operand) ? condition.operand : []
  return {
    $or: operands.map((operand) => writeComparison({ ...condition, operator: '$eq', operand })),
  }
}

function writeComparison({ path, attribute, field, operator, operand, isShort }: Condition): Filter {
  const compared = (isShort ?? isObject(operand)) ? operand : { [operator]: operand }
  const constraint = field === null ? compared : { [field]: compared }
  return path ? { path, constraints: constraint } : { [attribute]: constraint }
}
