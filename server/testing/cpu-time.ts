/**
 * Measures the CPU time of a call in milliseconds, so that a paused process and other processes do not count. On a slow
 * machine, the limit grows by the factor by which a fixed piece of work takes longer there. A call is slow only when it is
 * slow every time, because the compiler or the garbage collector may run during one call.
 */

const REPEATS = 5

/** The time of `work` on the machine for which the limits are defined. */
const USUAL_MS = 8

function cpuTimeOf(context: () => unknown): number {
  const start = process.cpuUsage()
  context()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** Returns the least time of several calls. Stops at the first call within the limit. */
export function leastCpuTime(context: () => unknown, limit: number): number {
  const elapsed = timeOf(context)
  if (elapsed <= limit) return elapsed
  let least = Infinity
  for (let repeat = 0; repeat < REPEATS && least > limit; repeat++) least = Math.min(least, cpuTimeOf(context))
  return least
}

/** The time by the clock: never less than the CPU time of this thread, and much cheaper to measure. */
function timeOf(context: () => unknown): number {
  const start = performance.now()
  context()
  return performance.now() - start
}

/** Adapts a limit in milliseconds to this machine. */
export const limitHere = (ms: number): number => ms * Math.max(1, leastCpuTime(work, 0) / USUAL_MS)

/** A fixed piece of work: reads two million characters. */
function work(): number {
  let sum = 0
  for (let index = 0; index < 2_000_000; index++) sum = (sum * 31 + SAMPLE.charCodeAt(index % SAMPLE.length)) | 0
  return sum
}

const SAMPLE = 'The quick brown fox jumps over the lazy dog. '.repeat(1000)
