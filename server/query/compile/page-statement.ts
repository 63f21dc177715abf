/** Whole statements: a page of entities, and how many there are. See docs/reference/query.md (Sorts, Pages). */

import type { DataModel, EntityType } from '../../data-model/model'
import { compileCondition } from './compile-condition'
import { createdAtText, idOf, type Row } from '../../storage/layout'
import type { Condition } from '../resolve/condition'
import { all, type StatementBuilder, createStatementBuilder } from './statement-builder'
import { isAfter, type KeyTexts } from './keyset'
import type { Query } from '../resolve/resolve-query'
import { compileOrder, compileOrderOfPresent, type Order, type OrderKey } from './sort'

export interface Statement {
  readonly text: string
  readonly parameters: readonly string[]
}

/** What a page is of. */
export interface PageOf extends Query {
  /** For walking by cursor: the order keys of the last row before the page; null for the first page. */
  readonly after?: KeyTexts | null
  /** Leaves out entities without what the first sort asks for. */
  readonly isOfPresent?: boolean
}

/** What the entity is called in every select list. */
const HOLDER = 'h'

/** A page, and where in its rows a walk finds the order keys. */
export interface PageStatement extends Statement {
  keysOf(row: Row): KeyTexts
}

/** A page of entities; `select` is the select list of its renderer. */
export function compilePage(model: DataModel, entityType: EntityType, query: PageOf, select: string): PageStatement {
  const builder = createStatementBuilder(model)
  const { sorts, offset, isOfPresent } = query
  const order = isOfPresent ? compileOrderOfPresent(builder, sorts, HOLDER) : compileOrder(builder, sorts, HOLDER)
  const text =
    sorts.length === 0 && offset === 0
      ? directly(builder, entityType, query, order, select)
      : lately(builder, entityType, query, order, select)
  return { text, parameters: builder.parameters, keysOf: keyReader(order.keys) }
}

/** How many entities meet the condition. */
export function compileCount(model: DataModel, entityType: EntityType, condition: Condition): Statement {
  const builder = createStatementBuilder(model)
  const text = `select count(*) from ${entityType.table} ${HOLDER}\nwhere ${compileCondition(builder, condition, HOLDER)}`
  return { text, parameters: builder.parameters }
}

function directly(
  builder: StatementBuilder,
  entityType: EntityType,
  query: PageOf,
  order: Order,
  select: string,
): string {
  const { limit } = query
  const { keys } = order
  return [
    `select ${[select, ...keyTexts(query, keys)].join(', ')}`,
    `from ${entityType.table} ${HOLDER}`,
    `where ${where(builder, query, order)}`,
    `order by ${orderBy(keys)}`,
    `limit ${limit}`,
  ].join('\n')
}

/** The wide columns join late: rows that are only sorted or skipped are never read whole. */
function lately(
  builder: StatementBuilder,
  entityType: EntityType,
  query: PageOf,
  order: Order,
  select: string,
): string {
  const { limit, offset } = query
  const { keys, joins } = order
  const named = keys.map((key, index) => ({ ...key, name: `k${index + 1}` }))
  const outer = named.map((key) => ({ ...key, sql: `page.${key.name}` }))
  return [
    `select ${[select, ...keyTexts(query, outer)].join(', ')}`,
    'from (',
    `  select ${[`${HOLDER}.id`, ...named.map(({ sql, name }) => `${sql} as ${name}`)].join(', ')}`,
    `  from ${[`${entityType.table} ${HOLDER}`, ...joins].join('\n    ')}`,
    `  where ${where(builder, query, order)}`,
    `  order by ${orderBy(keys)}`,
    `  limit ${limit} offset ${offset}`,
    ') page',
    `join ${entityType.table} ${HOLDER} on ${HOLDER}.id = page.id`,
    `order by ${orderBy(outer)}`,
  ].join('\n')
}

function where(
  builder: StatementBuilder,
  { condition, after }: PageOf,
  { keys, condition: isPresent = 'true' }: Order,
): string {
  const met = compileCondition(builder, condition, HOLDER)
  return all([met, isPresent, after ? isAfter(builder, keys, after) : 'true'])
}

/** Selected behind everything else, when walking by cursor; creation and id, the last keys, are in every row anyway. */
const keyTexts = ({ after }: PageOf, keys: readonly OrderKey[]): string[] =>
  after === undefined ? [] : keys.slice(0, -2).map(({ sql }) => `(${sql})::text`)

function keyReader(keys: readonly OrderKey[]): PageStatement['keysOf'] {
  const selected = keys.length - 2
  return (row) => [
    ...(row.slice(row.length - selected) as (string | null)[]), // selected as text
    createdAtText(row),
    idOf(row),
  ]
}

const orderBy = (keys: readonly OrderKey[]): string =>
  keys.map(({ sql, direction, nullable }) => `${sql} ${direction}${nullable ? ' nulls last' : ''}`).join(', ')
