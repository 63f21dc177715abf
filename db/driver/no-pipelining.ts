/**
 * Pool options with which a connection receives a statement only after it answered the one before.
 *
 * Internal used: the option `max_pipeline`, which the driver's documentation and types do not mention.
 * Reason: a statement that PostgreSQL has received but not begun cannot be cancelled alone. The driver's cancellation
 * of such a statement mixes up the answers of the statements behind it.
 */
export const NO_PIPELINING = { max_pipeline: 0 } as const
