/** Polls for the effect of another process. */

/** The maximum time of a wait: longer than any passing wait on a busy machine, and less than the timeout of a test. */
export const PATIENCE_MS = 150_000

interface Patience {
  /** Returns the reason of a timeout. */
  readonly why?: () => unknown
  /** Milliseconds: the maximum time, and the time between two checks. */
  readonly most?: number
  readonly every?: number
}

/** Polls until the check succeeds. Throws after the maximum time. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { why = () => String(isSo), most = PATIENCE_MS, every = 20 }: Patience = {},
): Promise<void> {
  for (const begun = performance.now(); !(await isSo()); await Bun.sleep(every)) {
    if (performance.now() - begun > most) throw new Error(`It did not come about: ${String(await why())}`)
  }
}
