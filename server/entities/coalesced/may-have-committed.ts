/** PostgreSQL's codes: the connection failed, the server stops, the outcome of a transaction is unknown. */
const UNKNOWN_OUTCOME = /^(08|57P|40003)/
const POSTGRES_CODE = /^[0-9A-Z]{5}$/

/** Whether a statement may have been committed although it failed with this error. */
export function mayHaveCommitted(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  const code = String(error.code)
  // The codes of refusals are words in lower case. Those of the driver are longer: CONNECTION_CLOSED.
  return POSTGRES_CODE.test(code) ? UNKNOWN_OUTCOME.test(code) : code === code.toUpperCase()
}
