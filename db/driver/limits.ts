/**
 * A pool option that limits the prepared statements of a connection. One more replaces the least recently used.
 *
 * Internal used: the option `max_prepared`, which the patch adds.
 * Reason: the driver prepares each new text and never closes a prepared statement, which takes 20 to 35 kB of memory in
 * PostgreSQL. The statements of each workspace and of each form of filter have different texts.
 */
export const preparedLimit = (statements: number) => ({ max_prepared: statements })

/**
 * Pool options with which a connection ends, and is opened again when it is needed, once it has parsed statements of as many schemas. It ends when it
 * has answered what was sent to it, and after its transaction. `schemaOf` returns the schema that counts for a text.
 *
 * Internal used: the options `max_schemas` and `schema_of`, which the patch adds.
 * Reason: a backend keeps the catalogue entries of every table it has used, and the driver ends a connection by its age only.
 */
export const schemaLimit = (schemas: number, schemaOf: (text: string) => string | undefined) => ({
  max_schemas: schemas,
  schema_of: schemaOf,
})

/**
 * A pool option with which a connection ends when PostgreSQL sends a longer message, such as a row with a huge value. The statement
 * fails with the code `MESSAGE_TOO_LARGE`.
 *
 * Internal used: the option `max_message`, which the patch adds.
 * Reason: the driver keeps a message in memory until it is complete, and a value may have a gigabyte.
 */
export const messageLimit = (bytes: number) => ({ max_message: bytes })

/**
 * Pool options with which a connection receives a statement only after it answered the one before.
 *
 * Internal used: the option `max_pipeline`, which the driver's documentation and types do not mention.
 * Reason: a statement that PostgreSQL has received but not begun cannot be cancelled alone. The driver's cancellation
 * of such a statement mixes up the answers of the statements behind it.
 */
export const NO_PIPELINING = { max_pipeline: 0 } as const
