/**
 * Key-set pagination: selects the rows after a given row of the order, also when rows were inserted or deleted meanwhile.
 * See docs/reference/query.md (Pages).
 */

import { all, any, type StatementBuilder, scalarSql } from './statement-builder'
import type { OrderKey } from './sort'

/** The order keys of a row, as texts that a cursor carries. */
export type KeyTexts = readonly (string | null)[]

/** SQL that holds for the rows after the row with these keys. */
export function isAfter(builder: StatementBuilder, keys: readonly OrderKey[], last: KeyTexts): string {
  // The last two keys, creation time and id, are never null and ascend. An index finds a pair of them.
  const sorts = keys.slice(0, -2)
  const pairs = keys.slice(-2).map((key, index) => ({ key, text: last[sorts.length + index] ?? null }))
  const left = pairs.map(({ key }) => key.sql).join(', ')
  const right = pairs.map(({ key, text }) => keySql(builder, key, text)).join(', ')
  return sorts.reduceRight((rest, key, index) => {
    const text = last[index] ?? null
    return any([isBeyond(builder, key, text), all([isSame(builder, key, text), rest])])
  }, `(${left}) > (${right})`)
}

/** No value comes after a missing one, which is last in both directions. */
function isBeyond(builder: StatementBuilder, key: OrderKey, text: string | null): string {
  if (text === null) return 'false'
  const beyond = `${key.sql} ${key.direction === 'asc' ? '>' : '<'} ${keySql(builder, key, text)}`
  return key.nullable ? any([beyond, `${key.sql} is null`]) : beyond
}

const isSame = (builder: StatementBuilder, key: OrderKey, text: string | null): string =>
  text === null ? `${key.sql} is null` : `${key.sql} = ${keySql(builder, key, text)}`

const keySql = (builder: StatementBuilder, { type }: OrderKey, text: string | null): string =>
  scalarSql(builder, type === 'boolean' ? text === 'true' : text, type)
