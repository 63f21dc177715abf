/** From a condition to SQL over the columns of an entity's table. */

import { entityTypeOf } from '../../data-model/find'
import { compileValue } from './compile-value'
import type { Condition, ReferenceCondition } from '../resolve/condition'
import { all, any, type StatementBuilder } from './statement-builder'
import { getPartner, referredBy, targetColumn } from './references'

/** The entity is called `alias`. What is compared with nothing is null, which holds as little as false. */
export function compileCondition(builder: StatementBuilder, condition: Condition, alias: string): string {
  switch (condition.kind) {
    case 'all':
      return all(condition.of.map((each) => compileCondition(builder, each, alias)))
    case 'any':
      return any(condition.of.map((each) => compileCondition(builder, each, alias)))
    case 'not':
      return `(${compileCondition(builder, condition.of, alias)}) is not true`
    case 'reference':
      return compileReference(builder, condition, alias)
    case 'value':
      return compileValue(builder, condition, alias)
  }
}

/** A semi-join: from the records that meet the condition to the entities that refer to one of them. */
function compileReference(builder: StatementBuilder, { step, condition }: ReferenceCondition, alias: string): string {
  const { attribute, target } = step
  const record = builder.alias('t')
  const met = compileCondition(builder, condition, record)
  if (attribute.stored_in === 'partner') return referredBy(getPartner(builder.model, attribute), alias, record, met)
  const column = targetColumn(attribute)
  if (!attribute.is_multiselect) {
    return `${alias}.${column} in (select ${record}.id from ${target.table} ${record} where ${met})`
  }
  // From the target's side, the index on the array finds who refers to a record.
  const entity = builder.alias('t')
  const { table } = entityTypeOf(builder.model, attribute)
  return (
    `${alias}.id in (select ${entity}.id from ${target.table} ${record} ` +
    `join ${table} ${entity} on ${entity}.${column} @> array[${record}.id] where ${met})`
  )
}
