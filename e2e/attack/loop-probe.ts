/**
 * Runs inside the service: measures for how long one turn of its event loop keeps a processor busy. The time is the main
 * thread's processor time, so that a paused or busy machine does not lengthen it.
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

/** Answers with the longest turn since the last time it was asked, in milliseconds. */
process.on('message', () => {
  look()
  process.send?.(longest)
  longest = 0
})
