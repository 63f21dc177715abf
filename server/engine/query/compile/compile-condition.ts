/** Compiles a condition to SQL over the columns of an entity type's table. */

import { entityTypeOf } from '#engine/data-model/find'
import type {
  Comparison,
  Condition,
  Operand,
  ReferenceCondition,
  ValueCondition,
} from '#engine/query/resolve/condition'
import { all, any, type StatementBuilder } from './statement-builder'
import { getPartner, targetColumn } from '#engine/storage/layout'
import { referredBy } from './references'
import type { ColumnProperty, Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import { renderArray } from '#db/connect'
import type { Attribute } from '#engine/data-model/model'
import { integerSql } from '#engine/indexes/expressions'
import { storedKey } from '#engine/storage/unique-keys'
import { arraySql, compileComparison } from './compile-comparison'
import { compileHashedTexts, hasIndex, prefilter } from './indexed-conditions'
import { equalityOperands, isUniqueKey } from '#engine/query/planning/composite-index'
import { elementAccessor, referringRecordAccessor, singleValueAccessor } from './value-accessor'

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

// Compiles a condition on one value of an attribute to the SQL that its storage and indexes serve best.

/** `alias` is the alias of the entity's row. */
function compileValue(builder: StatementBuilder, { attribute, comparisons }: ValueCondition, alias: string): string {
  if (attribute.stored_in === 'partner') return compileDerived(builder, attribute, comparisons, alias)
  const [only, ...others] = comparisons
  const indexed = only && others.length === 0 ? compileIndexed(builder, attribute, only, alias) : undefined
  if (indexed !== undefined) return indexed
  if (!attribute.is_multiselect) {
    const accessor = singleValueAccessor(attribute, alias)
    const compileEach = (each: Comparison) =>
      compileHashedTexts(builder, attribute, each, accessor) ?? compileComparison(builder, each, accessor)
    return all(comparisons.map(compileEach))
  }
  const accessor = elementAccessor(attribute, alias, builder.alias('v'))
  const condition = all(comparisons.map((each) => compileComparison(builder, each, accessor)))
  const prefilters = comparisons.flatMap((each) => prefilter(builder, attribute, each, alias) ?? [])
  return all([...prefilters, `exists (select 1 from ${accessor.from()} where ${condition})`])
}

/** The form of a single comparison that an index can serve; undefined when there is none. */
function compileIndexed(
  builder: StatementBuilder,
  attribute: Attribute,
  comparison: Comparison,
  alias: string,
): string | undefined {
  const operands = equalityOperands(comparison)
  if (operands && isUniqueKey(attribute, comparison)) return compileUnique(builder, attribute, operands, alias)
  if (!attribute.is_multiselect || attribute.hiddenTargets !== undefined) return undefined
  const accessor = singleValueAccessor(attribute, alias)
  if (comparison.kind === 'present' && comparison.property === null) {
    const [first = ''] = accessor.members
    return `${accessor.column(first)} is not null`
  }
  if (comparison.kind === 'numbers')
    return `${accessor.column(comparison.property.column)} && ${intsSql(comparison.numbers)}`
  if (!operands || comparison.kind === 'present' || comparison.kind === 'since') return undefined
  const { property } = comparison
  if (property.source !== 'column' || property.expression || property.remainder !== undefined) return undefined
  const [column, sqlType] = [accessor.column(property.column), accessor.typeOf(property.column)]
  const operandsSql = arraySql(builder, operands, sqlType)
  const condition = `${column} ${operands.length === 1 ? '@>' : '&&'} ${operandsSql}`
  // For an element outside its statistics, PostgreSQL expects too many rows to use the index. A second condition halves
  // the estimate.
  const isRepeated = sqlType === 'text' && hasIndex(builder, attribute, comparison, 'elements')
  return isRepeated ? all([condition, `${operandsSql} && ${column}`]) : condition
}

const intsSql = (numbers: readonly number[]): string => `array[${numbers.map(integerSql).join(', ')}]::int[]`

/** Looks up the unique keys of the operands in `uniques` by its primary key. */
function compileUnique(
  builder: StatementBuilder,
  attribute: Attribute,
  operands: readonly Operand[],
  alias: string,
): string {
  const keys = operands.map((operand) => storedKey(keyOf(attribute, operand)))
  const [only = '', ...others] = keys
  const key =
    keys.length === 1 && others.length === 0
      ? `= ${builder.bind(only, 'text')}`
      : `= any(${builder.bind(renderArray(keys), 'text[]')})`
  const { schema } = builder.model
  const rows = builder.alias('u')
  const condition = `${rows}.attribute = ${attribute.number} and ${rows}.key ${key}`
  return `${alias}.id in (select ${rows}.entity_id from ${schema}.uniques ${rows} where ${condition})`
}

/** The key of a value of which only the compared members are set. The key does not depend on other members. */
function keyOf({ type }: Attribute, operand: Operand): string {
  const { key, columns, properties, defaultProperty } = attributeType(type)
  const property = properties[defaultProperty ?? ''] as ColumnProperty // `isUniqueKey` holds only for a column property
  const [value, rest] = Array.isArray(operand) ? operand : [operand, null]
  const empty = Object.fromEntries(Object.keys(columns).map((column) => [column, null]))
  const members = { ...empty, [property.column]: value, ...(property.remainder && { [property.remainder]: rest }) }
  return key(members as Stored) // every declared column, in its stored form
}

/** On the derived side of a relationship, the values are the partner's records that refer to this one. */
function compileDerived(
  builder: StatementBuilder,
  attribute: Attribute,
  comparisons: readonly Comparison[],
  alias: string,
): string {
  const partner = getPartner(builder.model, attribute)
  const record = builder.alias('t')
  const accessor = referringRecordAccessor(partner.entityType.number, record)
  const condition = all(comparisons.map((comparison) => compileComparison(builder, comparison, accessor)))
  return referredBy(partner, alias, record, condition)
}
