/** The processor time and memory of processes, from /proc of Linux. */

import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts in hundredths of a second on every supported platform. */
const MS_PER_TICK = 10

interface Stat {
  readonly parent: number
  /** The CPU time in milliseconds, also of children that have ended. */
  readonly cpu: number
}

/** Returns the CPU time in milliseconds of a process and its descendants, also of those that have ended. */
export function cpuOf(root: number): number {
  const stats = new Map(processes().map((pid) => [pid, statOf(pid)]))
  let total = 0
  for (const [pid, stat] of stats) if (stat && isBelow(pid, root, stats)) total += stat.cpu
  return total
}

/** Returns 0 for a process that has ended. */
export function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}

export const parentOf = (pid: number): number | undefined => statOf(pid)?.parent

const processes = (): number[] => readdirSync('/proc').map(Number).filter(Number.isInteger)

function isBelow(pid: number, root: number, stats: ReadonlyMap<number, Stat | undefined>): boolean {
  for (let at: number | undefined = pid; at; at = stats.get(at)?.parent) if (at === root) return true
  return false
}

/** Returns undefined for a process that has just ended. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in parentheses, which may contain any character.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return { parent: fields[1] ?? 0, cpu: (user + system + endedUser + endedSystem) * MS_PER_TICK }
  } catch {
    return undefined
  }
}
