/**
 * Decides which statements are prepared. Preparing saves parsing and, with this driver, a round trip. But a connection
 * keeps each prepared statement until it is closed, at 20 to 35 kB each, so only a limited number of texts is
 * prepared. Later texts are parsed at each execution.
 */

/**
 * Returns the options of `sql.unsafe` for a text: `prepare` is true when the text was prepared before or fits the
 * limit.
 */
type PrepareIfRoom = (text: string) => { prepare: boolean }

const withLimit = (limit: number): PrepareIfRoom => {
  const prepared = new Set<string>()
  return (text) => {
    if (prepared.has(text)) return { prepare: true }
    if (prepared.size >= limit) return { prepare: false }
    prepared.add(text)
    return { prepare: true }
  }
}

/** For the service's own statements. */
export const prepareOptions = withLimit(1000)

/** For API callers' queries. They have a limit of their own, because each filter makes another text. */
export const queryPrepareOptions = withLimit(500)
