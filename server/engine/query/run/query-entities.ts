/** Runs a query: from its body to a page of entities. See docs/reference/query.md. */

import type { RowMessage } from '#db/driver/row-messages'
import type { RequestContext, ApiContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import type { ByteWriter } from '#base/text/byte-writer'
import { invalidRequest } from '#base/errors/http'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { checkCost } from '#engine/query/planning/check-cost'
import {
  compileCount,
  type PageQuery,
  type QueryStatement,
  type PageStatement,
} from '#engine/query/compile/page-statement'
import { cursorsFor } from './cursor'
import {
  AS_BODY,
  AS_FURTHER_ROWS,
  AS_LINES,
  collectPage,
  type Delimiters,
  type PageRows,
  type RowCollector,
} from './page-body'
import { type FormedQuery, formQuery, pageStatement } from '#engine/query/forms/compiled-forms'
import { type RelativeContext, relativeContextOf } from '#engine/query/resolve/relative'
import { type Query, resolveQuery } from '#engine/query/resolve/resolve-query'
import type { Pagination, QueryBody } from '#engine/query/parse/schemas'
import { namesHidden } from '#engine/data-model/access/hidden'
import { viewOwner } from '#engine/data-model/viewer'
import { noSum, viewNotFound } from '#base/errors/queries'
import { findHiddenTexts } from '#engine/storage/hidden-texts'
import { unknownAttributeKey } from '#base/errors/records'
import { numberMember } from '#engine/query/aggregate/resolve-aggregates'
import { compileAggregates } from '#engine/query/compile/aggregate-statement'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import { runStatement, collectStatement, runSmallLookup } from './run-statement'
import { isSmallLookup } from '#engine/query/planning/estimate-cost'
import { startsFromSortTarget } from '#engine/query/planning/query-indexes'
import { FORMATS, piecesOf } from './long-texts'

interface Page {
  /** The body up to the last entity, or the first part of it. */
  readonly rows: PageRows
  /** Reads the parts of a page that is too large for memory, after the first. Returns undefined at its end. */
  readonly readNext?: (signal: AbortSignal) => Promise<PageRows | undefined>
  /** The score of the query. See docs/reference/errors-and-limits.md (Query score). */
  readonly score: number
  /** Present when the body has a cursor or requests totals. */
  readonly pagination?: Pagination
}

/** Renders entities. */
interface EntityRenderer {
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
  const relativeContext = await relativeContextOf(context, filtered.filter, body.time_zone)
  const resolved = resolveQuery(context.model, entityType, filtered, relativeContext)
  const query = withClock(formQuery(context.model, entityType, resolved), relativeContext.now)
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

/** The statements of such a query differ in the time, so it has no form. */
function withClock(query: FormedQuery, now: Micros): FormedPage {
  const readsClock = query.sorts.some(({ attribute }) => attribute.stored_in === 'function')
  return readsClock ? { ...query, form: undefined, clock: timestampFromMicros(now) } : query
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

/** A page of a query whose form is known. */
type FormedPage = PageQuery & FormedQuery

/** Reads a page, or the first part of one that is too large for memory. */
async function readPage(
  context: RequestContext,
  entityType: EntityType,
  query: FormedPage,
  reader: EntityReader,
): Promise<Omit<Page, 'score'>> {
  // Rows in the default order have their keys, and others only for a cursor.
  const hasKeys = query.sorts.length === 0
  const rows = await readPart(context, entityType, query, { ...reader, hasKeys })
  if (!rows.isCut) return { rows }
  if (hasKeys) return inParts(context, entityType, query, reader, rows)
  rows.writer.release()
  const first = await readPart(context, entityType, { ...query, after: null }, { ...reader, hasKeys: true })
  return inParts(context, entityType, query, reader, first)
}

/** The page continues behind the keys of its last entity, so changes of other entities neither repeat nor omit one. */
function inParts(
  context: RequestContext,
  entityType: EntityType,
  query: FormedPage,
  reader: EntityReader,
  first: PageRows,
): Omit<Page, 'score'> {
  let missing = query.limit - first.count
  let last: PageRows = first
  const readNext = async (signal: AbortSignal): Promise<PageRows | undefined> => {
    if (last.lastKeys === undefined || missing === 0) return undefined
    // PostgreSQL prepares few rows that are not collected when the next part has as many as this one.
    const limit = Math.min(missing, last.isCut ? last.count : 2 * last.count)
    const page = { ...query, limit, offset: 0, after: last.lastKeys }
    const options = { ...reader, hasKeys: true, delimiters: AS_FURTHER_ROWS }
    last = await readPart({ ...context, signal }, entityType, page, options)
    missing -= last.count
    return last.count === 0 ? undefined : last
  }
  return { rows: first, readNext }
}

interface PartReader extends EntityReader {
  /** Whether the statement selects the order keys. */
  readonly hasKeys: boolean
  readonly delimiters?: Delimiters
  /** The number of entities, if the statement selects more rows. */
  readonly limit?: number
}

function readPart(
  context: RequestContext,
  entityType: EntityType,
  page: FormedPage,
  { render, hasKeys, delimiters = AS_BODY, limit = page.limit, ...options }: PartReader,
): Promise<PageRows> {
  return readRows(context, entityType, page, {
    ...options,
    open: (keysOf) => collectPage(render, delimiters, limit, hasKeys ? keysOf : undefined),
  })
}

/** Reads a page with a cursor. It reads one row more, to know whether there is a next page. */
async function readCursorPage(
  context: RequestContext,
  entityType: EntityType,
  body: QueryBody,
  query: FormedPage,
  reader: EntityReader,
): Promise<Omit<Page, 'score'>> {
  if (query.offset > 0) throw invalidRequest('Send either cursor or offset, not both.')
  // The totals do not change the order, so a caller may request them with the first page only.
  const { include_count: _count, sum: _sum, ...ordered } = body
  const cursors = await cursorsFor(context, entityType, ordered)
  const after = typeof body.cursor === 'string' ? cursors.decode(body.cursor) : null
  const { limit } = query
  const delimiters = reader.isLines === true ? AS_LINES : AS_BODY
  // A cursor ends with the time of its first page.
  const clock = query.clock === undefined ? undefined : (after?.at(-1) ?? query.clock)
  const page = { ...query, limit: limit + 1, after, ...(clock !== undefined && { clock }) }
  const rows = await readPart(context, entityType, page, { ...reader, hasKeys: true, delimiters, limit })
  const isLast = rows.length === rows.count || rows.lastKeys === undefined
  const nextCursor = isLast ? null : cursors.encode([...rows.lastKeys, ...(clock === undefined ? [] : [clock])])
  return { rows, pagination: { next_cursor: nextCursor, ...(rows.isCut && { ended_by_size: true }) } }
}

// Reads the filters of saved views. See docs/reference/query.md (Views as filters).

/** The filter of a view of the entity type, archived or not. Throws 404 for any other view. */
async function getViewFilter(context: RequestContext, entityType: EntityType, viewId: string): Promise<unknown> {
  const { db, model } = context
  const [view] = await db.sql<{ filter: string; member_id: string | null }[]>`
    select filter, member_id from relata.views
    where workspace_id = ${model.workspace.id} and entity_type_id = ${entityType.id} and id = ${viewId.toLowerCase()}
      and (member_id is null or member_id = ${viewOwner(context)})`
  const filter: unknown = view && JSON.parse(view.filter)
  const text = JSON.stringify(filter ?? null)
  const isHidden =
    view?.member_id === null ? (await findHiddenTexts(context, [text])).has(text) : namesHidden(model, text)
  if (!view || isHidden) throw viewNotFound(viewId)
  return filter
}

/** The totals of a query over everything that it finds. See docs/reference/query.md (Totals). */
type Totals = Pick<Pagination, 'total' | 'sum'>

/** Starts to read the totals that the body requests. Returns undefined without any. Throws 400 for an attribute without numbers. */
function startTotals(
  context: RequestContext,
  entityType: EntityType,
  body: QueryBody,
): ((query: Query, isLong: boolean) => Promise<Totals>) | undefined {
  const { include_count = false, sum } = body
  if (sum === undefined) return include_count ? (query, isLong) => count(context, entityType, query, isLong) : undefined
  const attribute = getSummed(context, entityType, sum)
  return async ({ condition }, isLong) => {
    const aggregates = [{ function: 'sum' as const, steps: [], attribute }]
    const [row] = await runStatement(
      context,
      compileAggregates(context.model, entityType, condition, aggregates),
      isLong,
    )
    return { ...(include_count && { total: Number(row?.[0]) }), sum: Number(row?.[1] ?? 0) }
  }
}

async function count(
  context: RequestContext,
  entityType: EntityType,
  { condition }: Query,
  isLong: boolean,
): Promise<Totals> {
  const [row] = await runStatement(context, compileCount(context.model, entityType, condition), isLong)
  return { total: Number(row?.[0]) }
}

function getSummed({ model }: RequestContext, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getSearchable(model, entityType, slugOrId, (didYouMean) =>
    unknownAttributeKey(slugOrId, didYouMean),
  )
  if (numberMember(attribute) === undefined) throw noSum(attribute.api_slug)
  return attribute
}

/** Counts the entities that a filter finds. Throws the errors of a query with `include_count`. */
export async function countEntities(
  context: RequestContext,
  entityType: EntityType,
  filter: Readonly<Record<string, unknown>>,
  relativeContext: RelativeContext,
): Promise<number> {
  const query = formQuery(
    context.model,
    entityType,
    resolveQuery(context.model, entityType, { filter }, relativeContext),
  )
  const { isLong } = await checkCost(context, entityType, query)
  const statement = compileCount(context.model, entityType, query.condition)
  if (context.db.isInTransaction) return countInTransaction(context, statement)
  const [row] = await runStatement(context, statement, isLong)
  return Number(row?.[0])
}

/** The transaction has its connection already, so it waits for no other one. The time limit is that of queries. */
async function countInTransaction({ db }: RequestContext, { text, parameters }: QueryStatement): Promise<number> {
  const limitTo = (limit: string) => db.sql`select set_config('statement_timeout', ${limit}, true)`
  const [before] = await db.sql<[{ value: string }]>`select current_setting('statement_timeout') as value`
  await limitTo(String(db.queryTimeoutMs))
  const [row] = await db.sql.unsafe<[{ count: string }]>(text, [...parameters])
  await limitTo(before.value)
  return Number(row.count)
}

// Reads the rows of a page with the statement that is fastest for it. See docs/decisions/queries.md.

/** How to read rows: the columns to select and what collects them. */
interface PageReader<R> {
  /** The select list. */
  readonly select: string
  /** Whether the statement is expected to take long. */
  readonly isLong: boolean
  /** Returns a collector for one run of the statement. */
  readonly open: (keysOf: PageStatement['keysOf']) => RowCollector<R>
}

/** Returns the rows of the page in its order, as the reader collects them. */
export async function readRows<R extends { readonly length: number; readonly isCut?: boolean }>(
  context: RequestContext,
  entityType: EntityType,
  page: FormedPage,
  reader: PageReader<R>,
): Promise<R> {
  if (startsFromSortTarget(context.model, page.sorts, reader.isLong)) {
    // Entities without a value come last. If those with a value fill the page, it has no others.
    const present = await readWithStatement(context, entityType, { ...page, isPresentOnly: true }, reader)
    if (present.length === page.limit || present.isCut === true) return present
  }
  return readWithStatement(context, entityType, page, reader)
}

function readWithStatement<R>(
  context: RequestContext,
  entityType: EntityType,
  page: FormedPage,
  { select, isLong, open }: PageReader<R>,
): Promise<R> {
  const statement = pageStatement(context.model, entityType, page, select)
  const openCollector = () => open(statement.keysOf)
  // The rest of a lookup begins with a large row.
  return page.cost.isLookup && isSmallLookup(page) && !page.after
    ? runSmallLookup(context, statement, openCollector)
    : collectStatement(context, statement, openCollector, isLong)
}

// Makes the body of a response from a page. A page with long texts, or in several parts, is a stream. See docs/decisions/exports-and-large-pages.md.

interface Pieces {
  next(): Promise<IteratorResult<string | Uint8Array, void>>
  return(): Promise<unknown>
}

/** Makes the context of a caller with the present access; undefined when the caller has lost access. */
type RenewContext = () => Promise<ApiContext | undefined>

export type PieceSource = (renew: RenewContext) => Pieces

/** Returns what is produced, and cancels its statement when the client disconnects. */
export const cancellable =
  (produce: (renew: RenewContext, signal: AbortSignal) => AsyncGenerator<string | Uint8Array, void>): PieceSource =>
  (renew) => {
    const closed = new AbortController()
    const pieces = produce(renew, closed.signal)
    return {
      next: () => pieces.next(),
      return() {
        closed.abort()
        return pieces.return()
      },
    }
  }

/** The body of the response to a query. */
export function pageBody(page: Page): ByteWriter | PieceSource {
  const { rows, readNext, pagination } = page
  const end = pagination === undefined ? ']}' : `],"pagination":${JSON.stringify(pagination)}}`
  if (readNext !== undefined || rows.longTexts.length > 0)
    return cancellable((renew, signal) => streamPage(page, end, renew, signal))
  rows.writer.text(end)
  return rows.writer
}

/** The next part is read when the client has taken the one before, if the caller still has access. */
async function* streamPage({ rows: first, readNext }: Page, end: string, renew: RenewContext, signal: AbortSignal) {
  let rows: PageRows | undefined = first
  while (rows !== undefined) {
    yield* piecesOf(rows.writer.written(), rows.longTexts, FORMATS.json)
    rows.writer.release()
    if (readNext !== undefined && (await renew()) === undefined)
      throw new Error('The caller of a query lost access before the end of its response.')
    rows = await readNext?.(signal)
  }
  yield end
}
