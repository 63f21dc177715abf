/**
 * When an index is built. See docs/decisions/indexes.md.
 *
 * A request for an index comes from a query that would have used it and is not a lookup by id or unique key
 * (`query/planning/check-cost.ts`), or from a search over an object without a search index (`search/plan.ts`). A request
 * counts when its table has enough rows. The worker builds an index with enough requests, and any index that an operator
 * pins. An index over several columns serves fewer queries, so it takes more requests, all within a day.
 */

import type { IndexRequest } from './index-request'

/** The number of counted requests after which an index is built. A single query may never be repeated. */
export const REQUIRED_REQUESTS = 3

/** The same for an index over several columns, within the window. */
export const REQUIRED_COMPOSITE_REQUESTS = 30
export const REQUEST_WINDOW_HOURS = 24

/** The share of the requests that a constant needs for a partial index instead of a composite one. */
export const CONSTANT_SHARE = 0.9

/** The most indexes over several columns that a table gets, because every write maintains them. */
export const MAX_COMPOSITE_INDEXES = 5

/** An index over several columns is worth its cost when at least this many rows can match. Fewer are soon sorted. */
export const MIN_MATCHING_ROWS = 500

/** The number of rows from which a search index is worth its cost. A search reads and compares fewer records one by one. */
export const SEARCH_INDEX_FROM_ROWS = 1000

/** Whether a request counts. `settingFromRows` applies to every index without a number of its own. */
export const isRequestCounted = (request: IndexRequest, rows: number, settingFromRows: number): boolean =>
  rows >= (request.fromRows ?? settingFromRows)
