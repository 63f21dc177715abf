/** A condition on one value of an attribute, in SQL, in the form its storage and indexes serve best. */

import type { ColumnProperty, Stored } from '../../attribute-types/define'
import { attributeType } from '../../attribute-types/registry'
import { renderArray } from '../../../db/connect'
import type { Attribute } from '../../data-model/model'
import { integerSql } from '../../indexes/expressions'
import { storedKey } from '../../storage/unique-keys'
import { arraySql, compileComparison } from './compile-comparison'
import type { Comparison, Operand, ValueCondition } from '../resolve/condition'
import { all, type StatementBuilder } from './statement-builder'
import { equalityOperands, isUniqueKey } from '../planning/equality'
import { hasIndex, prefilter } from './prefilter'
import { elementAccessor, type ValueAccessor, singleValueAccessor } from './value-accessor'
import { getPartner, referredBy } from './references'

/** The entity is called `alias`. */
export function compileValue(
  builder: StatementBuilder,
  { attribute, comparisons }: ValueCondition,
  alias: string,
): string {
  if (attribute.stored_in === 'partner') return compileDerived(builder, attribute, comparisons, alias)
  const [only, ...others] = comparisons
  const short = only && others.length === 0 ? compileOnly(builder, attribute, only, alias) : undefined
  if (short !== undefined) return short
  const compileAll = (accessor: ValueAccessor) =>
    all(comparisons.map((each) => compileComparison(builder, each, accessor)))
  if (!attribute.is_multiselect) return compileAll(singleValueAccessor(attribute, alias))
  const accessor = elementAccessor(attribute, alias, builder.alias('v'))
  const condition = compileAll(accessor)
  const narrowed = comparisons.flatMap((each) => prefilter(builder, attribute, each, alias) ?? [])
  return all([...narrowed, `exists (select 1 from ${accessor.from()} where ${condition})`])
}

/** Forms for a single comparison that an index can serve; undefined where there is none. */
function compileOnly(
  builder: StatementBuilder,
  attribute: Attribute,
  comparison: Comparison,
  alias: string,
): string | undefined {
  const operands = equalityOperands(comparison)
  if (operands && isUniqueKey(attribute, comparison)) return compileUnique(builder, attribute, operands, alias)
  if (!attribute.is_multiselect) return undefined
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
  const [column, type] = [accessor.column(property.column), accessor.typeOf(property.column)]
  const sought = arraySql(builder, operands, type)
  const condition = `${column} ${operands.length === 1 ? '@>' : '&&'} ${sought}`
  // Of elements it never met twice, PostgreSQL expects far too many to use the index. Told twice, it expects few.
  const isTwice = type === 'text' && hasIndex(builder, attribute, comparison, 'elements')
  return isTwice ? all([condition, `${sought} && ${column}`]) : condition
}

const intsSql = (numbers: readonly number[]): string => `array[${numbers.map(integerSql).join(', ')}]::int[]`

/** Every value of a unique attribute is a row of `uniques`, whose primary key finds it. */
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

/** The key of a value of which only the compared members are known: no others decide about it. */
function keyOf({ type }: Attribute, operand: Operand): string {
  const { key, columns, properties, defaultProperty } = attributeType(type)
  const property = properties[defaultProperty ?? ''] as ColumnProperty // `isUniqueKey` has seen that it is compared with operands
  const [value, rest] = Array.isArray(operand) ? operand : [operand, null]
  const none = Object.fromEntries(Object.keys(columns).map((column) => [column, null]))
  const members = { ...none, [property.column]: value, ...(property.remainder && { [property.remainder]: rest }) }
  return key(members as Stored) // every declared column, in its stored form
}

/** On the derived side of a relationship, the values are the partner's entities that refer to this one. */
function compileDerived(
  builder: StatementBuilder,
  attribute: Attribute,
  comparisons: readonly Comparison[],
  alias: string,
): string {
  const partner = getPartner(builder.model, attribute)
  const rows = builder.alias('t')
  const accessor: ValueAccessor = {
    column: (member) => (member === 'target_record_id' ? `${rows}.id` : integerSql(partner.entityType.number)),
    typeOf: (member) => (member === 'target_record_id' ? 'uuid' : 'int'),
    members: ['target_record_id'],
    since: () => `${rows}.created_at`,
  }
  const condition = all(comparisons.map((comparison) => compileComparison(builder, comparison, accessor)))
  return referredBy(partner, alias, rows, condition)
}
