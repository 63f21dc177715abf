/** What a run found, for people. */

import type { ImportOutcome } from './import'
import type { Figures } from './measure'
import type { Workload } from './workloads'

export interface Compared {
  readonly workload: Workload['name']
  readonly concurrency: number
  readonly floor: Figures
  readonly service: Figures
  /** Of the service, after it. */
  readonly resident_bytes: number
  /** Of one answer, floor first. */
  readonly bytes: readonly [number, number]
}

/** What the service has to reach besides each workload's target. */
const IMPORTED_PER_SECOND = 10_000
const MOST_RESIDENT_BYTES = 200e6

const WIDTHS = [26, 3, 8, 9, 8, 8, 8, 8, 9, 9]

export const HEADINGS = line(['', 'c', '', 'req/s', 'p50 ms', 'p99 ms', 'cpu ms', 'pg ms', 'rate', 'cpu'])

/** Three lines: floor, service and, if there is a target at this concurrency, what was asked for. */
export function renderCompared({ title, target }: Workload, { concurrency, floor, service }: Compared): string {
  const rate = ratio(service.rate, floor.rate)
  const cpu = ratio(service.program_cpu, floor.program_cpu)
  const lines = [
    line([title, String(concurrency), 'floor', ...columnsOf(floor), '', '']),
    line(['', '', 'service', ...columnsOf(service), `${rate.toFixed(2)}`, `${cpu.toFixed(2)}`]),
  ]
  if (target && concurrency > 1) {
    const asked = [`${rate >= target.rate ? 'ok' : 'MISSED'}: rate ${rate.toFixed(2)} of ≥ ${target.rate}`]
    if (target.cpu !== undefined) {
      asked.push(`${cpu <= target.cpu ? 'ok' : 'MISSED'}: cpu ${cpu.toFixed(2)} of ≤ ${target.cpu}`)
    }
    lines.push(`  ${asked.join(', ')}`)
  }
  for (const [name, { errors }] of Object.entries({ floor, service })) {
    if (Object.keys(errors).length > 0) lines.push(`  FAILED: the ${name} answered ${JSON.stringify(errors)}`)
  }
  return lines.join('\n')
}

export function renderImport(title: string, { rows, seconds, cpu, rss_early, rss_end }: ImportOutcome): string {
  const rate = rows / seconds
  const verdict = `${rate >= IMPORTED_PER_SECOND ? 'ok' : 'MISSED'}: of ≥ ${IMPORTED_PER_SECOND}`
  return `${title}: ${rows} people at ${rate.toFixed(0)}/s (${verdict}), ${cpu.toFixed(3)} ms of processor time each, memory ${megabytes(rss_early)} to ${megabytes(rss_end)}`
}

export function renderMemory(samples: readonly number[]): string {
  const [first = 0, last = 0, most] = [samples[0], samples.at(-1), Math.max(0, ...samples)]
  const verdict = most < MOST_RESIDENT_BYTES ? 'ok' : 'MISSED'
  return `The service's memory: ${megabytes(first)} after the first workload, ${megabytes(last)} at the end, ${megabytes(most)} at most (${verdict}: < ${megabytes(MOST_RESIDENT_BYTES)})`
}

export const ratio = (service: number, floor: number): number => Math.round((service / floor) * 1000) / 1000

const columnsOf = ({ rate, p50, p99, program_cpu, postgres_cpu }: Figures): string[] => [
  rate.toFixed(0),
  ...[p50, p99, program_cpu, postgres_cpu].map((ms) => ms.toFixed(3)),
]

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => {
      const width = WIDTHS[index] ?? 0
      return index === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    .join('')
    .trimEnd()
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
