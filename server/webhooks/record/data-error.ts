/** Which failures are of the data, so that trying again cannot help. */

/** Classes of PostgreSQL's codes: what cannot be stored, and what breaks a rule of a table. */
const OF_THE_DATA = new Set(['22', '23'])

export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && OF_THE_DATA.has(String(error.code).slice(0, 2))
