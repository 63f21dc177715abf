/** What may be wished for. */

/**
 * `ordered` and `descending` serve sorts, ranges and beginnings of text; `exact` equal texts; `elements` what multiselects
 * hold; `trigram` parts of texts; `search` is of search's own making.
 */
export type IndexKind = 'ordered' | 'descending' | 'exact' | 'elements' | 'trigram' | 'search'

/** An index that would have served a query. */
export interface IndexWish {
  /** Of its own in the workspace; begins with the table's name. */
  readonly name: string
  readonly kind: IndexKind
  /** What follows `create index … on <table>`. */
  readonly definition: string
  /** Whose columns it is over; null when of several, or of an attribute that is in no control table. */
  readonly attributeId: string | null
  /** From how many holders on it is worth its price, where that is not as for others. */
  readonly fromRows?: number
}
