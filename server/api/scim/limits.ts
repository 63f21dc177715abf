/** The limits of what identity providers send. Lengths are in characters. See docs/reference/scim.md (Limits). */
export const SCIM_LIMITS = {
  filterLength: 4_000,
  /** Of a filter. */
  comparisons: 100,
  /** Parentheses, brackets and `not` within each other. */
  filterDepth: 20,
  pathLength: 1_000,
  /** Of one PATCH. */
  operations: 1_000,
  /** Of one list of members in a request. */
  members: 10_000,
  /** Of `attributes` and `excludedAttributes`. */
  attributesLength: 2_000,
  /** The resources of one page. */
  pageSize: 100,
  nameLength: 200,
  externalIdLength: 500,
  /** Of a role that is JSON in a text. */
  roleLength: 1_000,
} as const
