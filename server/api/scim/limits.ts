/** The limits of what identity providers send. See docs/reference/scim.md (Limits). */

/** In characters. */
export const MAX_FILTER = 4_000
/** A filter has at most this number of comparisons. */
export const MAX_COMPARISONS = 100
/** Parentheses, brackets and `not` within each other. */
export const MAX_FILTER_DEPTH = 20
/** In characters. */
export const MAX_PATH = 1_000
export const MAX_OPERATIONS = 1_000
/** Of one list of members in a request. */
export const MAX_MEMBERS = 10_000
/** In characters, of `attributes` and `excludedAttributes`. */
export const MAX_ATTRIBUTES = 2_000
/** The resources of one page. */
export const MAX_COUNT = 100
/** In characters, of a name and of an external id. */
export const MAX_NAME = 200
export const MAX_EXTERNAL_ID = 500
/** In characters, of a role that is JSON in a text. */
export const MAX_ROLE = 1_000
