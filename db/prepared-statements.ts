/**
 * Decides which statements are prepared. Preparing saves parsing and planning. A connection keeps a limited number of
 * prepared statements, the most recently used.
 */

/** The limit for a connection. A statement takes 20 to 35 kB of memory in PostgreSQL. */
export const MAX_PREPARED = 500

/** A longer text has a large parse tree, and is hardly ever sent twice. */
const MAX_LENGTH = 30_000

/** Returns the options of `sql.unsafe` for a text. */
export const prepareOptions = (text: string): { prepare: boolean } => ({ prepare: text.length <= MAX_LENGTH })
