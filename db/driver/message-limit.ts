/**
 * A pool option with which a connection ends when PostgreSQL sends a longer message, such as a row with a huge value. The statement
 * fails with the code `MESSAGE_TOO_LARGE`.
 *
 * Internal used: the option `max_message`, which the patch adds.
 * Reason: the driver keeps a message in memory until it is complete, and a value may have a gigabyte.
 */
export const messageLimit = (bytes: number) => ({ max_message: bytes })
