/** Waiting for what another process does, where nothing can tell of it. */

/** Only what hangs takes as long, on however busy a machine; a little less than a test may take. */
export const PATIENCE_MS = 150_000

interface Patience {
  /** What tells why it did not come about. */
  readonly why?: () => unknown
  /** Milliseconds, in all and between two looks. */
  readonly most?: number
  readonly every?: number
}

/** Looks again and again. Throws when it takes too long. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  { why = () => String(isSo), most = PATIENCE_MS, every = 20 }: Patience = {},
): Promise<void> {
  for (const begun = performance.now(); !(await isSo()); await Bun.sleep(every)) {
    if (performance.now() - begun > most) throw new Error(`It did not come about: ${String(await why())}`)
  }
}
