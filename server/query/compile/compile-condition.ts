/** From a condition to SQL over the columns of a holder's table. */

import { ownerOf } from '../../data-model/find'
import { compileValue } from './compile-value'
import type { Condition, ReferenceCondition } from '../resolve/condition'
import { all, any, type Draft } from './statement-builder'
import { getPartner, referredBy, targetColumn } from './references'

/** The holder is called `alias`. What is compared with nothing is null, which holds as little as false. */
export function compileCondition(draft: Draft, condition: Condition, alias: string): string {
  switch (condition.kind) {
    case 'all':
      return all(condition.of.map((each) => compileCondition(draft, each, alias)))
    case 'any':
      return any(condition.of.map((each) => compileCondition(draft, each, alias)))
    case 'not':
      return `(${compileCondition(draft, condition.of, alias)}) is not true`
    case 'reference':
      return compileReference(draft, condition, alias)
    case 'value':
      return compileValue(draft, condition, alias)
  }
}

/** A semi-join: from the records that meet the condition to the holders that refer to one of them. */
function compileReference(draft: Draft, { step, condition }: ReferenceCondition, alias: string): string {
  const { attribute, target } = step
  const record = draft.alias('t')
  const met = compileCondition(draft, condition, record)
  if (attribute.stored_in === 'partner') return referredBy(getPartner(draft.model, attribute), alias, record, met)
  const column = targetColumn(attribute)
  if (!attribute.is_multiselect) {
    return `${alias}.${column} in (select ${record}.id from ${target.table} ${record} where ${met})`
  }
  // From the target's side, the index on the array finds who refers to a record.
  const holder = draft.alias('t')
  const { table } = ownerOf(draft.model, attribute)
  return (
    `${alias}.id in (select ${holder}.id from ${target.table} ${record} ` +
    `join ${table} ${holder} on ${holder}.${column} @> array[${record}.id] where ${met})`
  )
}
