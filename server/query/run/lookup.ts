/** Queries that name the few entities they ask for. Decision 0032. */

import { columnsOf } from '../../attribute-types/definition/columns'
import type { Attribute } from '../../data-model/model'
import type { Condition } from '../resolve/condition'
import { equalTo, isKey } from '../planning/equality'
import type { Query } from '../resolve/resolve-query'

type Asked = Pick<Query, 'condition' | 'sorts'>

/**
 * Whether ids or unique values find all that is asked for: the plan is the same for all operands, and never long, as there
 * are no more of them than an `$in` may have.
 */
export const isLookup = (asked: Asked): boolean => lookedUp(asked) !== undefined

/** Whether those are so few that others can wait for them. */
export const isOfFew = (asked: Asked): boolean => (lookedUp(asked) ?? Infinity) <= FEW

const FEW = 10

/** How many ids or unique values are looked up; undefined when that is not all that is asked. */
const lookedUp = ({ condition, sorts }: Asked): number | undefined =>
  sorts.length === 0 ? namedBy(condition) : undefined

function namedBy(condition: Condition): number | undefined {
  if (condition.kind === 'all') {
    const [only, ...others] = condition.of
    return only !== undefined && others.length === 0 ? namedBy(only) : undefined
  }
  if (condition.kind !== 'value') return undefined
  const [only, ...others] = condition.comparisons
  if (!only || others.length > 0) return undefined
  return isKey(condition.attribute, only) || isId(condition.attribute) ? equalTo(only)?.length : undefined
}

const isId = (attribute: Attribute): boolean => columnsOf(attribute).some(({ name }) => name === 'id')
