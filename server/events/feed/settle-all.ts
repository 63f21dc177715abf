/**
 * Waits for statements of one transaction that are sent together. Throws the first error after all of them have ended,
 * because the transaction must not be rolled back while one of them runs.
 */
export async function settleAll(statements: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(statements)
  await Promise.all(statements)
}
