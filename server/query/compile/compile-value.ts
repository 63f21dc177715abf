/** A condition on one value of an attribute, in SQL, in the form its storage and indexes serve best. */

import type { ColumnProperty, Stored } from '../../attribute-types/define'
import { attributeType } from '../../attribute-types/registry'
import { arrayLiteral } from '../../../db/connect'
import type { Attribute } from '../../data-model/model'
import { integerSql } from '../../indexes/expressions'
import { storedKey } from '../../storage/unique-keys'
import { arraySql, compileComparison } from './compile-comparison'
import type { Comparison, Operand, ValueCondition } from '../resolve/condition'
import { all, type Draft } from './statement-builder'
import { equalTo, isKey } from '../planning/equality'
import { hasIndex, narrow } from './prefilter'
import { elementPlace, type Place, singlePlace } from './value-accessor'
import { getPartner, referredBy } from './references'

/** The holder is called `alias`. */
export function compileValue(draft: Draft, { attribute, comparisons }: ValueCondition, alias: string): string {
  if (attribute.stored_in === 'partner') return compileDerived(draft, attribute, comparisons, alias)
  const [only, ...others] = comparisons
  const short = only && others.length === 0 ? compileOnly(draft, attribute, only, alias) : undefined
  if (short !== undefined) return short
  const compileAll = (place: Place) => all(comparisons.map((each) => compileComparison(draft, each, place)))
  if (!attribute.is_multiselect) return compileAll(singlePlace(attribute, alias))
  const place = elementPlace(attribute, alias, draft.alias('v'))
  const condition = compileAll(place)
  const narrowed = comparisons.flatMap((each) => narrow(draft, attribute, each, alias) ?? [])
  return all([...narrowed, `exists (select 1 from ${place.from()} where ${condition})`])
}

/** Forms for a single comparison that an index can serve; undefined where there is none. */
function compileOnly(draft: Draft, attribute: Attribute, comparison: Comparison, alias: string): string | undefined {
  const operands = equalTo(comparison)
  if (operands && isKey(attribute, comparison)) return compileUnique(draft, attribute, operands, alias)
  if (!attribute.is_multiselect) return undefined
  const place = singlePlace(attribute, alias)
  if (comparison.kind === 'present' && comparison.property === null) {
    const [first = ''] = place.members
    return `${place.column(first)} is not null`
  }
  if (comparison.kind === 'numbers')
    return `${place.column(comparison.property.column)} && ${intsSql(comparison.numbers)}`
  if (!operands || comparison.kind === 'present' || comparison.kind === 'since') return undefined
  const { property } = comparison
  if (property.source !== 'column' || property.expression || property.remainder !== undefined) return undefined
  const [column, type] = [place.column(property.column), place.typeOf(property.column)]
  const sought = arraySql(draft, operands, type)
  const condition = `${column} ${operands.length === 1 ? '@>' : '&&'} ${sought}`
  // Of elements it never met twice, PostgreSQL expects far too many to use the index. Told twice, it expects few.
  const isTwice = type === 'text' && hasIndex(draft, attribute, comparison, 'elements')
  return isTwice ? all([condition, `${sought} && ${column}`]) : condition
}

const intsSql = (numbers: readonly number[]): string => `array[${numbers.map(integerSql).join(', ')}]::int[]`

/** Every value of a unique attribute is a row of `uniques`, whose primary key finds it. */
function compileUnique(draft: Draft, attribute: Attribute, operands: readonly Operand[], alias: string): string {
  const keys = operands.map((operand) => storedKey(keyOf(attribute, operand)))
  const [only = '', ...others] = keys
  const key =
    keys.length === 1 && others.length === 0
      ? `= ${draft.bind(only, 'text')}`
      : `= any(${draft.bind(arrayLiteral(keys), 'text[]')})`
  const { schema } = draft.model
  const rows = draft.alias('u')
  const condition = `${rows}.attribute = ${attribute.number} and ${rows}.key ${key}`
  return `${alias}.id in (select ${rows}.holder_id from ${schema}.uniques ${rows} where ${condition})`
}

/** The key of a value of which only the compared members are known: no others decide about it. */
function keyOf({ type }: Attribute, operand: Operand): string {
  const { key, columns, properties, defaultProperty } = attributeType(type)
  const property = properties[defaultProperty ?? ''] as ColumnProperty // `isKey` has seen that it is compared with operands
  const [value, rest] = Array.isArray(operand) ? operand : [operand, null]
  const none = Object.fromEntries(Object.keys(columns).map((column) => [column, null]))
  const members = { ...none, [property.column]: value, ...(property.remainder && { [property.remainder]: rest }) }
  return key(members as Stored) // every declared column, in its stored form
}

/** On the derived side of a relationship, the values are the partner's holders that refer to this one. */
function compileDerived(draft: Draft, attribute: Attribute, comparisons: readonly Comparison[], alias: string): string {
  const partner = getPartner(draft.model, attribute)
  const rows = draft.alias('t')
  const place: Place = {
    column: (member) => (member === 'target_record_id' ? `${rows}.id` : integerSql(partner.owner.number)),
    typeOf: (member) => (member === 'target_record_id' ? 'uuid' : 'int'),
    members: ['target_record_id'],
    since: () => `${rows}.created_at`,
  }
  const condition = all(comparisons.map((comparison) => compileComparison(draft, comparison, place)))
  return referredBy(partner, alias, rows, condition)
}
