/** The largest body of a request, by its sender and its content. See docs/reference/errors-and-limits.md (Sizes). */

/** For a request without credentials, whose body has at most a password or a token. */
export const OPEN_BODY_LIMIT = 16_000

/** For a request with credentials whose body has no values of records or entries, no content of a note and no transcript. */
export const USUAL_BODY_LIMIT = 1_000_000

/** How many members and elements a body may have. 250 conditions with 500 operands each stay below it. */
export const MAX_BODY_VALUES = 200_000

/** How many members its objects may have. */
export const MAX_BODY_MEMBERS = 50_000

/** A deeper body would exhaust the stack of a recursive function. */
export const MAX_BODY_DEPTH = 200

export interface BodySpec {
  /**
   * Whether the body contains values of records or entries, of which one text may have 10 MB, the content of a note, whose
   * JSON may have several, or a transcript.
   */
  readonly usesConfiguredLimit?: boolean
}

/** `configured` is the limit of the settings. */
export const bodyLimitOf = ({ usesConfiguredLimit }: BodySpec, configured: number): number =>
  usesConfiguredLimit === true ? configured : Math.min(configured, USUAL_BODY_LIMIT)

export const openBodyLimitOf = (configured: number): number => Math.min(configured, OPEN_BODY_LIMIT)
