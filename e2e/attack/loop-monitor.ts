/** Asks the probe inside the service for how long its event loop was blocked. */

import type { RunningProcess } from '../support/service/start'

export const PROBE = 'e2e/attack/loop-probe.ts'

export interface LoopMonitor {
  /** Returns the longest turn since the last call, in milliseconds of CPU time. */
  longestTurn(): Promise<number>
}

export function createMonitor() {
  let answered: ((longest: number) => void) | undefined
  return {
    onMessage: (message: unknown) => answered?.(Number(message)),
    of: (service: Pick<RunningProcess, 'tell'>): LoopMonitor => ({
      longestTurn: () =>
        new Promise((resolve) => {
          answered = resolve
          service.tell('longest')
        }),
    }),
  }
}

/** Returns the CPU time in milliseconds for decoding and parsing JSON. */
export function parsingTime(bytes: Uint8Array): number {
  const before = process.threadCpuUsage()
  try {
    JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // Invalid JSON: the time until the failure counts.
  }
  const after = process.threadCpuUsage()
  return (after.user + after.system - before.user - before.system) / 1000
}
