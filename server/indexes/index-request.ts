import type { EntityType } from '../data-model/model'

/**
 * `ordered` and `descending` serve sorts, ranges and prefixes of text; `exact` equal texts; `elements` the values of
 * multiselects; `trigram` substrings; `search` the search over all objects.
 */
export type IndexKind = 'ordered' | 'descending' | 'exact' | 'elements' | 'trigram' | 'search'

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
}

/** An index request with the entity type whose table it is for. */
export interface EntityTypeIndex {
  readonly entityType: EntityType
  readonly index: IndexRequest
}
