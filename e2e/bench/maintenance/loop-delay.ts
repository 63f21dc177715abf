/** Preloaded into the service: writes the delays of a timer of 5 ms to the file of `BENCH_LOOP_FILE` at SIGUSR2, and begins anew. */

import { writeFileSync } from 'node:fs'

const EVERY_MS = 5
let delays: number[] = []
let last = performance.now()
setInterval(() => {
  const now = performance.now()
  delays.push(Math.max(0, now - last - EVERY_MS))
  last = now
}, EVERY_MS)

process.on('SIGUSR2', () => {
  const written = delays
  delays = []
  writeFileSync(process.env.BENCH_LOOP_FILE ?? '', JSON.stringify(written))
})
