/** From the body of a query to a page of holders. Spec: query. */

import type { Call } from '../call'
import type { Owner } from '../data-model/model'
import { invalidRequest } from '../errors'
import type { Row } from '../values/layout'
import { admit } from './admit'
import { cursorsFor } from './cursor'
import { type Reading, readRows } from './read-rows'
import { type Query, resolveQuery } from './resolve-query'
import { runStatement } from './run'
import { compileCount, type KeyTexts } from './statement'
import { getViewFilter } from './views'
import type { Pagination, QueryBody } from './wire'

export interface Page {
  /** They begin with the columns of the select list. */
  readonly rows: readonly Row[]
  /** What the query cost. Spec: errors-and-limits 3. */
  readonly score: number
  /** Only when the body asked for it. */
  readonly pagination?: Pagination
}

/**
 * The rows of `owner` that a query asks for; `select` is the select list of their renderer. Throws what is wrong with
 * the body, 429 when it costs too much, and 400 when it takes too long.
 */
export async function queryHolders(call: Call, owner: Owner, body: QueryBody, select: string): Promise<Page> {
  const query = resolveQuery(call.model, owner, { ...body, filter: await readFilter(call, owner, body) })
  const { score, isLong } = await admit(call, owner, query)
  const read = { select, isLong }
  const [page, total] = await Promise.all([
    body.cursor === undefined ? readPage(call, owner, query, read) : walk(call, owner, body, query, read),
    body.include_count === true ? count(call, owner, query, isLong) : undefined,
  ])
  if (total === undefined) return { ...page, score }
  return { ...page, score, pagination: { ...page.pagination, total } }
}

function readFilter(call: Call, owner: Owner, { filter, filter_view_id }: QueryBody): Promise<unknown> | unknown {
  if (filter_view_id === undefined) return filter ?? {}
  if (filter !== undefined) throw invalidRequest('Send either filter or filter_view_id, not both.')
  return getViewFilter(call, owner, filter_view_id)
}

async function readPage(call: Call, owner: Owner, query: Query, read: Reading): Promise<Omit<Page, 'score'>> {
  const { rows } = await readRows(call, owner, query, read)
  return { rows }
}

/** One page of a walk, and the cursor to the next; one row more is read to know whether there is one. */
async function walk(call: Call, owner: Owner, body: QueryBody, query: Query, reading: Reading) {
  if (query.offset > 0) throw invalidRequest('Send either cursor or offset, not both.')
  const cursors = await cursorsFor(call, owner, body)
  const after = typeof body.cursor === 'string' ? cursors.open(body.cursor) : null
  const read = await readRows(call, owner, { ...query, limit: query.limit + 1, after }, reading)
  const rows = read.rows.slice(0, query.limit)
  const keys = rows.at(-1)?.slice(-read.keyCount) ?? []
  const next_cursor = read.rows.length > rows.length ? cursors.seal(keys as KeyTexts) : null // selected as text
  return { rows, pagination: { next_cursor } }
}

async function count(call: Call, owner: Owner, { condition }: Query, isLong: boolean): Promise<number> {
  const [row] = await runStatement(call, compileCount(call.model, owner, condition), isLong)
  return Number(row?.[0])
}
