/** Waits for the work of another process that sends no signal. */

/** So long that only work that hangs reaches it, also on a busy machine. Shorter than the timeout of a test. */
export const PATIENCE_MS = 150_000

interface Patience {
  /** Describes the state for the error. */
  readonly why?: () => unknown
  /** In milliseconds: the timeout, and the interval between two checks. */
  readonly most?: number
  readonly every?: number
}

/** Checks at intervals until the condition holds. Throws after the timeout. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { why = () => String(isSo), most = PATIENCE_MS, every = 20 }: Patience = {},
): Promise<void> {
  for (const begun = performance.now(); !(await isSo()); await Bun.sleep(every)) {
    if (performance.now() - begun > most) throw new Error(`It did not come about: ${String(await why())}`)
  }
}
