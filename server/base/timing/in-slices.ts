/** Runs computations in slices, between which the event loop does other work. */

const SLICE_MS = 8

let turnBegan = 0
let queue: Promise<void> = Promise.resolve()

/** Whether a computation should let the event loop do other work. It then waits for `nextTurn`. */
export const isSliceOver = (): boolean => performance.now() - turnBegan >= SLICE_MS

/** Resolves in a later turn of the event loop. In each turn, one of the waiting computations continues. */
export function nextTurn(): Promise<void> {
  queue = queue.then(
    () =>
      new Promise((resolve) =>
        setImmediate(() => {
          turnBegan = performance.now()
          resolve()
        }),
      ),
  )
  return queue
}

/** Returns a function that returns a pause at the end of each slice, and otherwise undefined. */
export function createSlices(): () => Promise<void> | undefined {
  let begin = performance.now()
  const pause = async () => {
    await nextTurn()
    begin = performance.now()
  }
  return () => (performance.now() - begin < SLICE_MS ? undefined : pause())
}

/** The computation pauses where it yields. */
export async function inSlices<T>(computation: Generator<void, T>): Promise<T> {
  const pauseAfterSlice = createSlices()
  for (;;) {
    const { done, value } = computation.next()
    if (done === true) return value
    const pause = pauseAfterSlice()
    if (pause !== undefined) await pause
  }
}

/** Runs the computation without pauses. */
export function atOnce<T>(computation: Generator<void, T>): T {
  for (;;) {
    const { done, value } = computation.next()
    if (done === true) return value
  }
}
