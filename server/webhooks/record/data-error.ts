/** The classes of PostgreSQL's error codes for data that cannot be stored (22) and for violated constraints (23). */
const DATA_ERROR_CLASSES = new Set(['22', '23'])

/** True for errors that a retry with the same data cannot avoid. */
export const isDataError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DATA_ERROR_CLASSES.has(String(error.code).slice(0, 2))
