/**
 * How long a call keeps the processor, in milliseconds of this process. A paused process and busy neighbours on the machine
 * do not count. The limit is stretched on a slow machine by as much as a fixed piece of work takes longer there, and a call
 * counts as slow only when it is slow each time: once, a compiler or garbage collector may have run beside it.
 */

const REPEATS = 5

/** What `work` takes on the machine that the limits are meant for. */
const USUAL_MS = 8

export function cpuTimeOf(context: () => unknown): number {
  const start = process.cpuUsage()
  context()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

/** The least time of several calls; stops at the first that is within the limit. */
export function leastCpuTime(context: () => unknown, limit: number): number {
  let least = Infinity
  for (let repeat = 0; repeat < REPEATS && least > limit; repeat++) least = Math.min(least, cpuTimeOf(context))
  return least
}

/** A limit in milliseconds as this machine would have it. */
export const limitHere = (ms: number): number => ms * Math.max(1, leastCpuTime(work, 0) / USUAL_MS)

/** Reads two million characters. */
function work(): number {
  let sum = 0
  for (let index = 0; index < 2_000_000; index++) sum = (sum * 31 + SAMPLE.charCodeAt(index % SAMPLE.length)) | 0
  return sum
}

const SAMPLE = 'The quick brown fox jumps over the lazy dog. '.repeat(1000)
