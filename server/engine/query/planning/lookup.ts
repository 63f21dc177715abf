/** Recognises lookups: queries that name a few entities by id or unique key. Decision 0032. */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Attribute } from '#engine/data-model/model'
import type { Condition } from '#engine/query/resolve/condition'
import type { Query } from '#engine/query/resolve/resolve-query'
import { equalityOperands, isUniqueKey } from './equality'

type QueryParts = Pick<Query, 'condition' | 'sorts'>

/**
 * Whether ids or unique keys alone select the entities. Such a query is always short: its plan is the same for all operands,
 * and an `$in` has a limited number of them.
 */
export const isLookup = (query: QueryParts): boolean => countLookedUp(query) !== undefined

/** Whether the query looks up so few entities that it may run on the connections of single reads. */
export const isSmallLookup = (query: QueryParts): boolean => (countLookedUp(query) ?? Infinity) <= MAX_SMALL_LOOKUP

const MAX_SMALL_LOOKUP = 10

/** The number of ids or unique keys; undefined when the query is not a lookup. */
const countLookedUp = ({ condition, sorts }: QueryParts): number | undefined =>
  sorts.length === 0 ? countKeys(condition) : undefined

function countKeys(condition: Condition): number | undefined {
  if (condition.kind === 'all') {
    const [only, ...others] = condition.of
    return only !== undefined && others.length === 0 ? countKeys(only) : undefined
  }
  if (condition.kind !== 'value') return undefined
  const [only, ...others] = condition.comparisons
  if (!only || others.length > 0) return undefined
  return isUniqueKey(condition.attribute, only) || isId(condition.attribute)
    ? equalityOperands(only)?.length
    : undefined
}

const isId = (attribute: Attribute): boolean => columnsOf(attribute).some(({ name }) => name === 'id')
