/** Waits for the effect of another process, or of work that the code under test does not await. */

/** Longer than any such effect takes on a busy machine. */
const PATIENCE_MS = 60_000
const CHECK_EVERY_MS = 5

/** Throws when the check has not succeeded within a minute. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const begun = performance.now(); !(await isSo()); await Bun.sleep(CHECK_EVERY_MS))
    if (performance.now() - begun > PATIENCE_MS) throw new Error(`It did not come about: ${String(isSo)}`)
}
