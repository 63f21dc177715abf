/**
 * A pool option that limits the prepared statements of a connection. One more replaces the least recently used.
 *
 * Internal used: the option `max_prepared`, which the patch adds.
 * Reason: the driver prepares each new text and never closes a prepared statement, which takes 20 to 35 kB of memory in
 * PostgreSQL. The statements of each workspace and of each form of filter have different texts.
 */
export const preparedLimit = (statements: number) => ({ max_prepared: statements })
