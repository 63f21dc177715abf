/**
 * Runs inside the service and measures the turns of its event loop. It measures the CPU time of the main thread, which a
 * paused or busy machine does not lengthen.
 */

const EVERY_MS = 1

let longest = 0
let before = process.threadCpuUsage()

function look(): void {
  const now = process.threadCpuUsage()
  longest = Math.max(longest, (now.user + now.system - before.user - before.system) / 1000)
  before = now
}

setInterval(look, EVERY_MS)

/** Answers with the longest turn since the last message, in milliseconds. */
process.on('message', () => {
  look()
  process.send?.(longest)
  longest = 0
})
