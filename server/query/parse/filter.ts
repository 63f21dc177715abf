/**
 * A filter as it was written, in one small tree: what it names is not looked up yet.
 * See docs/reference/query.md (Filters).
 */

/** Leads from the root of a filter or of the sorts to a place in it; positions in arrays are text. */
export type JsonPath = readonly string[]

export type Filter =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | FilterCondition

export interface FilterCondition {
  readonly kind: 'condition'
  readonly target: Target
  readonly constraint: Written
}

/** An attribute of what is queried, or the segments of a path to another one. */
export type Target =
  | { readonly attribute: string; readonly path: JsonPath }
  | { readonly segments: readonly unknown[]; readonly path: JsonPath }

/** Any JSON, and where it stood. */
export interface Written {
  readonly raw: unknown
  readonly path: JsonPath
}
