/** From the body of a query to a page of entities. See docs/reference/query.md. */

import type { RequestContext } from '../../context'
import type { EntityType } from '../../data-model/model'
import { invalidRequest } from '../../errors/http'
import type { Row } from '../../storage/layout'
import { checkCost } from '../planning/check-cost'
import { cursorsFor } from './cursor'
import { flat } from '../../entities/read/render'
import { readRows } from './read-rows'
import { type Query, resolveQuery } from '../resolve/resolve-query'
import { runStatement } from './run-statement'
import { compileCount } from '../compile/page-statement'
import { getViewFilter } from '../resolve/views'
import type { Pagination, QueryBody } from '../parse/wire'

export interface Page {
  /** Each entity as JSON text. */
  readonly texts: readonly string[]
  /** What the query cost. See docs/reference/errors-and-limits.md (Query score). */
  readonly score: number
  /** Only when the body asked for it. */
  readonly pagination?: Pagination
}

/** How entities are rendered. */
export interface Rendering {
  /** The select list. */
  readonly select: string
  /** A row of it as JSON text. */
  render(row: Row): string
}

/**
 * The entities of `entity type` that a query asks for. Throws what is wrong with the body, 429 when it costs too much, and 400
 * when it takes too long.
 */
export async function queryEntities(
  context: RequestContext,
  entityType: EntityType,
  body: QueryBody,
  rendering: Rendering,
): Promise<Page> {
  const filtered = body.filter_view_id === undefined ? body : await withViewFilter(context, entityType, body)
  const query = resolveQuery(context.model, entityType, filtered)
  const { score, isLong } = await checkCost(context, entityType, query)
  const read = { ...rendering, isLong }
  const reading =
    body.cursor === undefined
      ? readPage(context, entityType, query, read)
      : walk(context, entityType, body, query, read)
  if (body.include_count !== true) return { ...(await reading), score }
  const [page, total] = await Promise.all([reading, count(context, entityType, query, isLong)])
  return { ...page, score, pagination: { ...page.pagination, total } }
}

async function withViewFilter(context: RequestContext, entityType: EntityType, body: QueryBody) {
  const { filter, filter_view_id: viewId = '' } = body
  if (filter !== undefined) throw invalidRequest('Send either filter or filter_view_id, not both.')
  return { ...body, filter: await getViewFilter(context, entityType, viewId) }
}

/** How entities are read and rendered. */
interface Read extends Rendering {
  readonly isLong: boolean
}

async function readPage(
  context: RequestContext,
  entityType: EntityType,
  query: Query,
  { render, ...how }: Read,
): Promise<Omit<Page, 'score'>> {
  return { texts: await readRows(context, entityType, query, { ...how, read: (row) => flat(render(row)) }) }
}

/** One page of a walk, and the cursor to the next; one row more is read to know whether there is one. */
async function walk(
  context: RequestContext,
  entityType: EntityType,
  body: QueryBody,
  query: Query,
  { render, ...how }: Read,
) {
  if (query.offset > 0) throw invalidRequest('Send either cursor or offset, not both.')
  const cursors = await cursorsFor(context, entityType, body)
  const after = typeof body.cursor === 'string' ? cursors.open(body.cursor) : null
  const found = await readRows(
    context,
    entityType,
    { ...query, limit: query.limit + 1, after },
    { ...how, read: (row, keysOf) => ({ text: flat(render(row)), keys: keysOf(row) }) },
  )
  const page = found.slice(0, query.limit)
  const next_cursor = found.length > page.length ? cursors.seal(page.at(-1)?.keys ?? []) : null
  return { texts: page.map(({ text }) => text), pagination: { next_cursor } }
}

async function count(
  context: RequestContext,
  entityType: EntityType,
  { condition }: Query,
  isLong: boolean,
): Promise<number> {
  const [row] = await runStatement(context, compileCount(context.model, entityType, condition), isLong)
  return Number(row?.[0])
}
