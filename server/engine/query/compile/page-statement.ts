/** Compiles the statement of a page of entities, and the one that counts them. See docs/reference/query.md (Sorts, Pages). */

import type { RowMessage } from '#db/driver/row-messages'
import type { DataModel, EntityType } from '#engine/data-model/model'
import { compileCondition } from './compile-condition'
import { POSITION } from '#engine/storage/layout'
import type { CompositeIndex, Equality } from '#engine/indexes/describe/composite-index'
import { findServingComposite, isCreation } from '#engine/query/planning/composite-index'
import type { Condition } from '#engine/query/resolve/condition'
import { all, type StatementBuilder, createStatementBuilder } from './statement-builder'
import { compileOrder, compileOrderOfPresent, isAfter, type KeyTexts, type Order, type OrderKey } from './sort'
import type { Query } from '#engine/query/resolve/resolve-query'
import { compileEqualHashes } from './indexed-conditions'

export interface QueryStatement {
  readonly text: string
  readonly parameters: readonly string[]
}

export interface PageQuery extends Query {
  /** With a cursor: the order keys of the last row before the page; null for the first page. */
  readonly after?: KeyTexts | null
  /** Leaves out the entities that lack the value of the first sort. */
  readonly isPresentOnly?: boolean
  /** The present time for all pages of a query that sorts by a formula of the clock, so that its order stays. */
  readonly clock?: string
}

/** The alias of the entity's row in every select list. */
const ENTITY_ALIAS = 'h'

/** A statement whose rows end in their order keys when it has a cursor. */
export interface PageStatement extends QueryStatement {
  keysOf(row: RowMessage): KeyTexts
}

/** `select` is the select list of the renderer. */
export function compilePage(model: DataModel, entityType: EntityType, query: PageQuery, select: string): PageStatement {
  const { sorts, offset, isPresentOnly, clock } = query
  const builder = createStatementBuilder(model, clock)
  const order = isPresentOnly
    ? compileOrderOfPresent(builder, sorts, ENTITY_ALIAS)
    : compileOrder(builder, sorts, ENTITY_ALIAS)
  const composite = findServingComposite(model, entityType, query)
  const source = { entityType, query, order, equalities: composite?.hashed ?? [] }
  const text =
    offset === 0 && isPresentOnly !== true && isInIndexOrder(query, composite)
      ? selectDirectly(builder, source, select)
      : selectWithLateJoin(builder, source, select)
  return { text, parameters: builder.parameters, keysOf: keyReader(order.keys) }
}

/** What a page is selected from. */
interface PageSource {
  readonly entityType: EntityType
  readonly query: PageQuery
  readonly order: Order
  /** The comparisons whose hashes the statement compares too. */
  readonly equalities: readonly Equality[]
}

/** Whether an index returns the rows in their order, so that PostgreSQL sorts no whole rows, or only those of the page. */
function isInIndexOrder({ sorts, condition }: PageQuery, composite: CompositeIndex | undefined): boolean {
  const [only, ...others] = sorts
  if (only === undefined) return true
  if (others.length > 0) return false
  return composite !== undefined || (isCreation(only) && isEverything(condition))
}

const isEverything = (condition: Condition): boolean => condition.kind === 'all' && condition.of.length === 0

/** Counts the entities that meet the condition. */
export function compileCount(model: DataModel, entityType: EntityType, condition: Condition): QueryStatement {
  const builder = createStatementBuilder(model)
  const text = `select count(*) from ${entityType.table} ${ENTITY_ALIAS}\nwhere ${compileCondition(builder, condition, ENTITY_ALIAS)}`
  return { text, parameters: builder.parameters }
}

function selectDirectly(builder: StatementBuilder, source: PageSource, select: string): string {
  const { entityType, query, order } = source
  const { limit } = query
  const { keys } = order
  return [
    `select ${[select, ...keyColumns(query, keys)].join(', ')}`,
    `from ${entityType.table} ${ENTITY_ALIAS}`,
    `where ${whereSql(builder, source)}`,
    `order by ${orderBySql(keys)}`,
    `limit ${limit}`,
  ].join('\n')
}

/** Joins the wide columns after sorting, so that rows outside the page are never read whole. */
function selectWithLateJoin(builder: StatementBuilder, source: PageSource, select: string): string {
  const { entityType, query, order } = source
  const { limit, offset } = query
  const { keys, joins } = order
  const named = keys.map((key, index) => ({ ...key, name: `k${index + 1}` }))
  const outer = named.map((key) => ({ ...key, sql: `page.${key.name}` }))
  return [
    `select ${[select, ...keyColumns(query, outer)].join(', ')}`,
    'from (',
    `  select ${[`${ENTITY_ALIAS}.id`, ...named.map(({ sql, name }) => `${sql} as ${name}`)].join(', ')}`,
    `  from ${[`${entityType.table} ${ENTITY_ALIAS}`, ...joins].join('\n    ')}`,
    `  where ${whereSql(builder, source)}`,
    `  order by ${orderBySql(keys)}`,
    `  limit ${limit} offset ${offset}`,
    ') page',
    `join ${entityType.table} ${ENTITY_ALIAS} on ${ENTITY_ALIAS}.id = page.id`,
    `order by ${orderBySql(outer)}`,
  ].join('\n')
}

function whereSql(builder: StatementBuilder, { query, order, equalities }: PageSource): string {
  const { condition, after } = query
  const { keys, condition: isPresent = 'true' } = order
  const hashes = compileEqualHashes(builder, equalities, ENTITY_ALIAS)
  const conditionSql = compileCondition(builder, condition, ENTITY_ALIAS)
  return all([conditionSql, hashes, isPresent, after ? isAfter(builder, keys, after) : 'true'])
}

/** The columns after the select list when there is a cursor. Creation time and id, the last keys, are in the select list. */
const keyColumns = ({ after }: PageQuery, keys: readonly OrderKey[]): string[] =>
  after === undefined ? [] : keys.slice(0, -2).map(({ sql }) => `(${sql})::text`)

function keyReader(keys: readonly OrderKey[]): PageStatement['keysOf'] {
  const selected = keys.length - 2
  return ({ width, value }) => [
    ...Array.from({ length: selected }, (_, index) => value(width - selected + index) as string | null), // selected as text
    value(POSITION.created_at) as string, // timestamptz comes as text
    value(POSITION.id) as string, // the primary key
  ]
}

const orderBySql = (keys: readonly OrderKey[]): string =>
  keys.map(({ sql, direction, nullable }) => `${sql} ${direction}${nullable ? ' nulls last' : ''}`).join(', ')
