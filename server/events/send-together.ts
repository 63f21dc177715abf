/** Statements of one transaction that are sent at once. */

/** Throws when one of these failed, but not before all have ended: what is undone then must not go on. */
export async function sendTogether(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}
