/** Asks the probe inside the service how long its event loop was held. */

import type { RunningProcess } from '../support/service/start'

export const PROBE = 'e2e/attack/loop-probe.ts'

export interface LoopMonitor {
  /** The longest turn since the last call, in milliseconds of processor time. */
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

/** How long it takes, in milliseconds of processor time, to do what nobody can do without: decode and parse a body. */
export function parsingTime(bytes: Uint8Array): number {
  const before = process.threadCpuUsage()
  try {
    JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // The time until it fails is what it takes.
  }
  const after = process.threadCpuUsage()
  return (after.user + after.system - before.user - before.system) / 1000
}
