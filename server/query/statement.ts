/** Whole statements: a page of holders, and how many there are. Spec: query 5 and 6. */

import type { DataModel, Owner } from '../data-model/model'
import { compileCondition } from './compile'
import type { Condition } from './condition'
import { type Draft, startDraft } from './draft'
import type { Sort } from './resolve-sort'
import { compileOrder, type Order, type OrderKey } from './sort'

export interface Statement {
  readonly text: string
  readonly parameters: readonly string[]
}

/** A query as resolved. */
export interface Query {
  readonly condition: Condition
  readonly sorts: readonly Sort[]
  readonly limit: number
  readonly offset: number
}

/** What the holder is called in every select list. */
const HOLDER = 'h'

/** A page of holders; `select` is the select list of its renderer. */
export function compilePage(model: DataModel, owner: Owner, query: Query, select: string): Statement {
  const draft = startDraft(model)
  const { sorts, offset } = query
  const order = compileOrder(draft, sorts, HOLDER)
  const text =
    sorts.length === 0 && offset === 0
      ? directly(draft, owner, query, order, select)
      : lately(draft, owner, query, order, select)
  return { text, parameters: draft.parameters }
}

/** How many holders meet the condition. */
export function compileCount(model: DataModel, owner: Owner, condition: Condition): Statement {
  const draft = startDraft(model)
  const text = `select count(*) from ${owner.table} ${HOLDER}\nwhere ${compileCondition(draft, condition, HOLDER)}`
  return { text, parameters: draft.parameters }
}

function directly(draft: Draft, owner: Owner, { condition, limit }: Query, { keys }: Order, select: string): string {
  return [
    `select ${select}`,
    `from ${owner.table} ${HOLDER}`,
    `where ${compileCondition(draft, condition, HOLDER)}`,
    `order by ${orderBy(keys)}`,
    `limit ${limit}`,
  ].join('\n')
}

/** The wide columns join late: rows that are only sorted or skipped are never read whole. */
function lately(draft: Draft, owner: Owner, query: Query, { keys, joins }: Order, select: string): string {
  const { condition, limit, offset } = query
  const named = keys.map((key, index) => ({ ...key, name: `k${index + 1}` }))
  const outer = named.map((key) => ({ ...key, sql: `page.${key.name}` }))
  return [
    `select ${select}`,
    'from (',
    `  select ${[`${HOLDER}.id`, ...named.map(({ sql, name }) => `${sql} as ${name}`)].join(', ')}`,
    `  from ${[`${owner.table} ${HOLDER}`, ...joins].join('\n    ')}`,
    `  where ${compileCondition(draft, condition, HOLDER)}`,
    `  order by ${orderBy(keys)}`,
    `  limit ${limit} offset ${offset}`,
    ') page',
    `join ${owner.table} ${HOLDER} on ${HOLDER}.id = page.id`,
    `order by ${orderBy(outer)}`,
  ].join('\n')
}

const orderBy = (keys: readonly OrderKey[]): string =>
  keys.map(({ sql, direction }) => `${sql} ${direction} nulls last`).join(', ')
