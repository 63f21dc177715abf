/** The tree of a filter. RFC 7644, 3.4.2.2. */

export const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const

export type Operator = (typeof OPERATORS)[number]
export type Operand = string | number | boolean | null

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'present'; readonly attribute: string }
  | { readonly kind: 'compare'; readonly attribute: string; readonly operator: Operator; readonly operand: Operand }
  /** `emails[type eq "work"]`: a filter of the values of an attribute. */
  | { readonly kind: 'values'; readonly attribute: string; readonly filter: Filter }
