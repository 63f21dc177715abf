/** Compiles a condition to SQL over the columns of an entity type's table. */

import { entityTypeOf } from '#engine/data-model/find'
import { compileValue } from './compile-value'
import type { Condition, ReferenceCondition } from '#engine/query/resolve/condition'
import { all, any, type StatementBuilder } from './statement-builder'
import { getPartner, targetColumn } from '#engine/storage/references'
import { referredBy } from './references'

/** `alias` is the alias of the entity's row. A comparison with a missing value is null, which selects no row either. */
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

/** A semi-join of the entities with the records that they refer to and that meet the condition. */
function compileReference(builder: StatementBuilder, { step, condition }: ReferenceCondition, alias: string): string {
  const { attribute, target } = step
  const record = builder.alias('t')
  const conditionSql = compileCondition(builder, condition, record)
  if (attribute.stored_in === 'partner')
    return referredBy(getPartner(builder.model, attribute), alias, record, conditionSql)
  const column = targetColumn(attribute)
  if (!attribute.is_multiselect) {
    return `${alias}.${column} in (select ${record}.id from ${target.table} ${record} where ${conditionSql})`
  }
  // The join starts from the records, because the index on the array finds the entities that refer to one.
  const entity = builder.alias('t')
  const { table } = entityTypeOf(builder.model, attribute)
  return (
    `${alias}.id in (select ${entity}.id from ${target.table} ${record} ` +
    `join ${table} ${entity} on ${entity}.${column} @> array[${record}.id] where ${conditionSql})`
  )
}
