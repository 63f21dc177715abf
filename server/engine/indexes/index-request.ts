import type { EntityType } from '#engine/data-model/model'

/**
 * `ordered` and `descending` serve sorts, ranges and prefixes of text; `exact` equal texts; `elements` the values of
 * multiselects; `trigram` substrings; `search` the search over all objects; `composite` equal values in the order of a sort;
 * `partial` the same for constant values, as an index over the rows that have them.
 */
export type IndexKind = 'ordered' | 'descending' | 'exact' | 'elements' | 'trigram' | 'search' | 'composite' | 'partial'

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
  /** The number of rows from which requests for this index count, if it differs from the setting. See `build-rule.ts`. */
  readonly fromRows?: number
  /** Present for an index over several columns. */
  readonly composite?: CompositeParts
}

/** An index request with the entity type whose table it is for. */
export interface EntityTypeIndex {
  readonly entityType: EntityType
  readonly index: IndexRequest
}
