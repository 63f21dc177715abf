/**
 * When an index is built. Decision 0030.
 *
 * A request for an index comes from a query that would have used it and is not a lookup by id or unique key
 * (`query/planning/check-cost.ts`), or from a search over an object without a search index (`search/plan.ts`). A request
 * counts when its table has enough rows. The worker builds an index with enough requests, and any index that an operator
 * pins.
 */

import type { IndexRequest } from './index-request'

/** The number of counted requests after which an index is built. A single query may never be repeated. */
export const REQUIRED_REQUESTS = 3

/** The number of rows from which a search index is worth its cost. A search reads and compares fewer records one by one. */
export const SEARCH_INDEX_FROM_ROWS = 1000

/** Whether a request counts. `settingFromRows` applies to every index without a number of its own. */
export const isRequestCounted = (request: IndexRequest, rows: number, settingFromRows: number): boolean =>
  rows >= (request.fromRows ?? settingFromRows)
