/** Queries that name the few holders they ask for. Decision 0032. */

import { columnsOf } from '../attribute-types/columns'
import type { Attribute } from '../data-model/model'
import type { Condition } from './condition'
import { equalTo, isKey } from './equality'
import type { Query } from './resolve-query'

/**
 * Whether ids or unique values find all that is asked for: the plan is the same for all operands, and never long, as there
 * are no more of them than an `$in` may have.
 */
export const isLookup = ({ condition, sorts }: Pick<Query, 'condition' | 'sorts'>): boolean =>
  sorts.length === 0 && namesHolders(condition)

function namesHolders(condition: Condition): boolean {
  if (condition.kind === 'all') {
    const [only, ...others] = condition.of
    return only !== undefined && others.length === 0 && namesHolders(only)
  }
  if (condition.kind !== 'value') return false
  const [only, ...others] = condition.comparisons
  if (!only || others.length > 0 || equalTo(only) === undefined) return false
  return isKey(condition.attribute, only) || isId(condition.attribute)
}

const isId = (attribute: Attribute): boolean => columnsOf(attribute).some(({ name }) => name === 'id')
