/** ISO 8601 durations, as default values and target times name them. Spec: resources 3, values 6. */

/** Without a sign; `P` and `PT` alone say nothing. */
export const DURATION_PATTERN =
  '^P(?=[\\dT])(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+([.,]\\d+)?H)?(\\d+([.,]\\d+)?M)?(\\d+([.,]\\d+)?S)?)?$'
