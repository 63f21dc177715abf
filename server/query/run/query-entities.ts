/** Runs a query: from its body to a page of entities. See docs/reference/query.md. */

import type { RowMessage } from '../../../db/driver/row-messages'
import type { RequestContext } from '../../context'
import type { EntityType } from '../../data-model/model'
import type { ByteWriter } from '../../text/byte-writer'
import { invalidRequest } from '../../errors/http'
import { checkCost } from '../planning/check-cost'
import { cursorsFor } from './cursor'
import { collectLines, collectPage } from './page-body'
import { readRows } from './read-rows'
import { type FormedQuery, formQuery } from '../forms/compiled-forms'
import { resolveQuery } from '../resolve/resolve-query'
import { getViewFilter } from '../resolve/views'
import type { Pagination, QueryBody } from '../parse/schemas'
import { startTotals } from './totals'

export interface Page {
  /** Has the body up to the last entity. */
  readonly writer: ByteWriter
  /** The score of the query. See docs/reference/errors-and-limits.md (Query score). */
  readonly score: number
  /** Present when the body has a cursor or requests totals. */
  readonly pagination?: Pagination
}

/** Renders entities. */
export interface EntityRenderer {
  /** The select list. */
  readonly select: string
  /** Appends a row of the select list as JSON text. */
  render(message: RowMessage, writer: ByteWriter): void
  /** Whether the page has each entity on a line of its own, instead of the body of a response. */
  readonly isLines?: boolean
}

/**
 * Returns a page of the entities of an entity type. Throws the errors of the body, 429 when the query exceeds the cost limit,
 * and 400 when it takes too long.
 */
export async function queryEntities(
  context: RequestContext,
  entityType: EntityType,
  body: QueryBody,
  renderer: EntityRenderer,
): Promise<Page> {
  const filtered = body.filter_view_id === undefined ? body : await withViewFilter(context, entityType, body)
  const query = formQuery(context.model, entityType, resolveQuery(context.model, entityType, filtered))
  const readTotals = startTotals(context, entityType, body)
  const { score, isLong } = await checkCost(context, entityType, query)
  const reader = { ...renderer, isLong }
  const pending =
    body.cursor === undefined
      ? readPage(context, entityType, query, reader)
      : readCursorPage(context, entityType, body, query, reader)
  if (!readTotals) return { ...(await pending), score }
  const [page, totals] = await Promise.all([pending, readTotals(query, isLong)])
  return { ...page, score, pagination: { ...page.pagination, ...totals } }
}

/** The body with the filter of the view that it names. Throws 404 for the view. */
export async function withViewFilter<Body extends Pick<QueryBody, 'filter' | 'filter_view_id'>>(
  context: RequestContext,
  entityType: EntityType,
  body: Body,
): Promise<Omit<Body, 'filter'> & { readonly filter: unknown }> {
  const { filter, filter_view_id: viewId = '' } = body
  if (filter !== undefined) throw invalidRequest('Send either filter or filter_view_id, not both.')
  return { ...body, filter: await getViewFilter(context, entityType, viewId) }
}

/** Reads and renders entities. */
interface EntityReader extends EntityRenderer {
  readonly isLong: boolean
}

async function readPage(
  context: RequestContext,
  entityType: EntityType,
  query: FormedQuery,
  { render, ...options }: EntityReader,
): Promise<Omit<Page, 'score'>> {
  const open = () => collectPage(render, query.limit)
  const { writer } = await readRows(context, entityType, query, { ...options, open })
  return { writer }
}

/** Reads a page with a cursor. It reads one row more, to know whether there is a next page. */
async function readCursorPage(
  context: RequestContext,
  entityType: EntityType,
  body: QueryBody,
  query: FormedQuery,
  { render, isLines, ...options }: EntityReader,
) {
  if (query.offset > 0) throw invalidRequest('Send either cursor or offset, not both.')
  // The totals do not change the order, so a caller may request them with the first page only.
  const { include_count: _count, sum: _sum, ...ordered } = body
  const cursors = await cursorsFor(context, entityType, ordered)
  const after = typeof body.cursor === 'string' ? cursors.decode(body.cursor) : null
  const { writer, lastKeys } = await readRows(
    context,
    entityType,
    { ...query, limit: query.limit + 1, after },
    { ...options, open: (keysOf) => (isLines === true ? collectLines : collectPage)(render, query.limit, keysOf) },
  )
  return { writer, pagination: { next_cursor: lastKeys === undefined ? null : cursors.encode(lastKeys) } }
}
