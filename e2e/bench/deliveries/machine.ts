/** Measures the load of the machine itself, which is part of every latency. */

import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from './parts'

const TIMES = 200

const CALM_MS = 1
const PATIENCE_MS = 20_000

/** Prints the time of a flush to disk, for which every commit waits. Waits for earlier writes first, up to a limit. */
export async function showFlush(folder: string): Promise<void> {
  const begun = performance.now()
  let waits = await flush(folder)
  while (quantile(waits, 0.95) > CALM_MS && performance.now() - begun < PATIENCE_MS) waits = await flush(folder)
  console.log(`The disk flushes in ${quantile(waits, 0.5).toFixed(2)} ms, p95 ${quantile(waits, 0.95).toFixed(2)} ms.`)
}

/** Returns the times of flushes in milliseconds, sorted. */
async function flush(folder: string): Promise<number[]> {
  const file = openSync(join(folder, 'flush'), 'w')
  const page = Buffer.alloc(8192)
  const waits: number[] = []
  for (let count = 0; count < TIMES; count++) {
    const begun = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    waits.push(performance.now() - begun)
    await Bun.sleep(2)
  }
  closeSync(file)
  return waits.sort((a, b) => a - b)
}

/** Prints the share of CPU time that the host gave to other machines during `work`. */
export async function showStolen(work: () => Promise<void>): Promise<void> {
  const [stolen, all] = processorTicks()
  await work()
  const [stolenAfter, allAfter] = processorTicks()
  console.log(`  The host took ${(((stolenAfter - stolen) / (allAfter - all)) * 100).toFixed(1)} % of the processors.`)
}

function processorTicks(): [stolen: number, all: number] {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const ticks = line.split(/ +/).slice(1).map(Number)
  return [ticks[7] ?? 0, ticks.reduce((sum, each) => sum + each, 0)]
}
