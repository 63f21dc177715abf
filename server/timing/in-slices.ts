/** Runs a computation in slices, between which the event loop does other work. */

const SLICE_MS = 8

/** Waits for one turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Divides a computation of several asynchronous steps. */
export interface Slices {
  /** Waits for one turn of the event loop when the present slice has ended. */
  pause(): Promise<void> | undefined
}

export function createSlices(): Slices {
  let begin = performance.now()
  const turn = async () => {
    await nextTurn()
    begin = performance.now()
  }
  return { pause: () => (performance.now() - begin < SLICE_MS ? undefined : turn()) }
}

/** The computation pauses where it yields. */
export async function inSlices<T>(computation: Generator<void, T>): Promise<T> {
  const slices = createSlices()
  for (;;) {
    const { done, value } = computation.next()
    if (done === true) return value
    const pause = slices.pause()
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
