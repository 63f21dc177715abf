/** The ISO 8601 durations of default values and target times. See docs/reference/objects-and-attributes.md (Default values). */

/** Permits no sign, and requires at least one component. */
export const DURATION_PATTERN =
  '^P(?=[\\dT])(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+([.,]\\d+)?H)?(\\d+([.,]\\d+)?M)?(\\d+([.,]\\d+)?S)?)?$'
