/** Runs a computation in slices, between which the event loop does other work. */

const SLICE_MS = 8

/** The computation pauses where it yields. */
export async function inSlices<T>(computation: Generator<void, T>): Promise<T> {
  let begin = performance.now()
  for (;;) {
    const { done, value } = computation.next()
    if (done === true) return value
    if (performance.now() - begin < SLICE_MS) continue
    await new Promise(setImmediate)
    begin = performance.now()
  }
}

/** Runs the computation without pauses. */
export function atOnce<T>(computation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = computation.next()
    if (done === true) return value
  }
}
