/**
 * The syntax tree of a filter. Its names are not resolved yet.
 * See docs/reference/query.md (Filters).
 */

/** A path from the root of a filter or of the sorts to a JSON value in it. Array indexes are texts. */
export type JsonPath = readonly string[]

export type Filter =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | FilterCondition

export interface FilterCondition {
  readonly kind: 'condition'
  readonly target: Target
  readonly constraint: SourceValue
}

/** An attribute of the queried entity type, or the segments of a path to an attribute of another one. */
export type Target =
  | { readonly attribute: string; readonly path: JsonPath }
  | { readonly segments: readonly unknown[]; readonly path: JsonPath }

/** A JSON value of the request, and its path. */
export interface SourceValue {
  readonly raw: unknown
  readonly path: JsonPath
}
