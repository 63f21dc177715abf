import type { EntityType } from '#engine/data-model/model'

/**
 * `ordered` and `descending` serve sorts, ranges and prefixes of text; `exact` equal texts; `elements` the values of
 * multiselects; `trigram` substrings; `search` the search over all objects; `composite` equal values in the order of a sort;
 * `partial` the same for constant values, as an index over the rows that have them; `covering` aggregates over many entities.
 */
export type IndexKind =
  'ordered' | 'descending' | 'exact' | 'elements' | 'trigram' | 'search' | 'composite' | 'partial' | 'covering'

/** What the index worker needs of an index over several columns. See docs/decisions/indexes.md. */
export interface CompositeParts {
  readonly attributeIds: readonly string[]
  /** The columns that the queries compare for equality: whole columns that have a value in each row that matches. */
  readonly equalColumns: readonly string[]
  /** The name of the composite index that serves the same queries for all values; null for a composite index. */
  readonly partialOf: string | null
}

/** An index that would have served a query. */
export interface IndexRequest {
  /** Unique in the workspace; begins with the table's name. */
  readonly name: string
  readonly kind: IndexKind
  /** The SQL after `create index … on <table>`. */
  readonly definition: string
  /** The indexed attribute. Null for an index over several, or over an attribute that no control table has. */
  readonly attributeId: string | null
  /** The number of rows from which requests for this index count, if it differs from the setting. */
  readonly fromRows?: number
  /** Present for an index over several columns. */
  readonly composite?: CompositeParts
}

/** An index request with the entity type whose table it is for. */
export interface EntityTypeIndex {
  readonly entityType: EntityType
  readonly index: IndexRequest
}

// When an index is built. See docs/decisions/indexes.md. A request for an index comes from a query that would have used it and is not a
// lookup by id or unique key (`query/planning/check-cost.ts`), or from a search over an object without a search index
// (`search/search.ts`). A request counts when its table has enough rows. The worker builds an index with enough requests, and any index
// that an operator pins. An index over several columns serves fewer queries, so it takes more requests, all within a day. An aggregate
// takes as long as the build of its covering index, so that one takes fewer again.

/** The number of counted requests after which an index is built. A single query may never be repeated. */
export const REQUIRED_REQUESTS = 3

/** The same for an index over several columns, within the window. */
export const REQUIRED_COMPOSITE_REQUESTS = 30
/** The same for a covering index. */
export const REQUIRED_COVERING_REQUESTS = 6
export const REQUEST_WINDOW_HOURS = 24

/** The share of the requests that a constant needs for a partial index instead of a composite one. */
export const CONSTANT_SHARE = 0.9

/** The most indexes over several columns that a table gets, because every write maintains them. */
export const MAX_COMPOSITE_INDEXES = 5
/** The same for aggregates. One over a text takes two. */
export const MAX_COVERING_INDEXES = 5

/** An index over several columns is worth its cost when at least this many rows can match. Fewer are soon sorted. */
export const MIN_MATCHING_ROWS = 500

/** The number of rows from which a search index is worth its cost. A search reads and compares fewer records one by one. */
export const SEARCH_INDEX_FROM_ROWS = 1000

/** Whether a request counts. `settingFromRows` applies to every index without a number of its own. */
export const isRequestCounted = (request: IndexRequest, rows: number, settingFromRows: number): boolean =>
  rows >= (request.fromRows ?? settingFromRows)
