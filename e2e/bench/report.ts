/** The results of a run as text. */

import type { ImportOutcome } from './import'
import type { FirstQueries } from './measure/first'
import type { Figures } from './measure/measure'
import type { Exported } from './measure/export'
import type { Walked } from './measure/walk'
import type { Workload } from './workloads/workload'

export interface Compared {
  readonly workload: Workload['name']
  readonly concurrency: number
  /** Undefined for a workload that the floor does not have. */
  readonly floor: Figures | undefined
  readonly service: Figures
  /** The memory of the service after the workload. */
  readonly resident_bytes: number
  /** The size of one response of each side; the service is last. */
  readonly bytes: readonly number[]
}

/** Targets of the service beside those of the workloads. */
const IMPORTED_PER_SECOND = 10_000
/** The share of the import rate of the floor. */
const IMPORTED_TO_FLOOR = 0.41
const MOST_RESIDENT_BYTES = 200e6
const WALKED_PER_SECOND = 15_000
const EXPORTED_PER_SECOND = 20_000
/** The limit for a query before it has an index. */
const MOST_AT_FIRST_MS = 1000
/** The share of the CPU time of a get. */
const MOST_FOR_AUTHENTICATION = 0.05
/** The factor between a run with fewer records and this one. */
const MOST_GROWTH = 2

const WIDTHS = [26, 3, 8, 9, 8, 8, 8, 8, 9, 9]

export const HEADINGS = line(['', 'c', '', 'req/s', 'p50 ms', 'p99 ms', 'cpu ms', 'pg ms', 'rate', 'cpu'])

/** Renders the figures of floor and service, and the target if there is one. */
export function renderCompared(
  workload: Workload,
  { concurrency, floor, service }: Compared,
  before?: Figures,
): string {
  const ratios = floor ? [ratio(service.rate, floor.rate), ratio(service.program_cpu, floor.program_cpu)] : []
  const head = [workload.title, String(concurrency)]
  const lines = [
    ...(floor ? [line([...head, 'floor', ...columnsOf(floor)])] : []),
    line([...(floor ? ['', ''] : head), 'service', ...columnsOf(service), ...ratios.map((each) => each.toFixed(2))]),
  ]
  const verdicts = concurrency > 1 ? againstFloor(workload, ratios) : againstClock(workload, service, before)
  if (verdicts.length > 0) lines.push(`  ${verdicts.join(', ')}`)
  for (const [name, side] of Object.entries({ floor, service })) {
    const errors = side?.errors ?? {}
    if (Object.keys(errors).length > 0) lines.push(`  FAILED: the ${name} answered ${JSON.stringify(errors)}`)
  }
  return lines.join('\n')
}

export const verdict = (isMet: boolean): string => (isMet ? 'ok' : 'MISSED')

function againstFloor({ target }: Workload, [rate, cpu]: readonly number[]): string[] {
  if (!target || rate === undefined || cpu === undefined) return []
  const asked = [`${verdict(rate >= target.rate)}: rate ${rate.toFixed(2)} of ≥ ${target.rate}`]
  if (target.cpu !== undefined) asked.push(`${verdict(cpu <= target.cpu)}: cpu ${cpu.toFixed(2)} of ≤ ${target.cpu}`)
  return asked
}

function againstClock({ within }: Workload, { p50 }: Figures, before: Figures | undefined): string[] {
  const asked = within === undefined ? [] : [`${verdict(p50 <= within)}: p50 ${p50.toFixed(1)} ms of ≤ ${within}`]
  if (!before) return asked
  const growth = ratio(p50, before.p50)
  return [...asked, `${verdict(growth <= MOST_GROWTH)}: ${growth.toFixed(1)} times as long as before`]
}

export const renderFirst = ({ title }: Workload, { times }: FirstQueries): string => {
  const shown = times.map((ms) => ms.toFixed(0)).join(', ')
  return `${title.padEnd(28)} ${shown} ms (${verdict(Math.max(...times) <= MOST_AT_FIRST_MS)}: ≤ ${MOST_AT_FIRST_MS})`
}

export function renderWalk({ records, seconds, rss_by_quarter, rss_most }: Walked): string {
  const rate = records / seconds
  const quarters = rss_by_quarter.map((bytes) => (bytes / 1e6).toFixed(0)).join(', ')
  return `Walked over ${records} people at ${rate.toFixed(0)}/s (${verdict(rate >= WALKED_PER_SECOND)}: of ≥ ${WALKED_PER_SECOND}), memory by quarter ${quarters} MB, ${megabytes(rss_most)} at most`
}

export function renderExport({ format, records, seconds, rss_begin, rss_most }: Exported): string {
  const rate = records / seconds
  return `Exported ${records} people as ${format} at ${rate.toFixed(0)}/s (${verdict(rate >= EXPORTED_PER_SECOND)}: of ≥ ${EXPORTED_PER_SECOND}), memory ${megabytes(rss_begin)} at first, ${megabytes(rss_most)} at most`
}

export function renderImport(title: string, outcome: ImportOutcome): string {
  const { rows, seconds, cpu, rss_early, rss_end, rss_by_second = [] } = outcome
  const rate = rows / seconds
  const bySecond = rss_by_second.map((bytes) => (bytes / 1e6).toFixed(0)).join(' ')
  return `${title}: ${rows} people at ${rate.toFixed(0)}/s (${verdict(rate >= IMPORTED_PER_SECOND)}: of ≥ ${IMPORTED_PER_SECOND}), ${cpu.toFixed(3)} ms of processor time each, memory ${megabytes(rss_early)} to ${megabytes(rss_end)}, by second ${bySecond} MB${renderLoadedByHand(outcome)}`
}

function renderLoadedByHand({ rows, seconds, cpu, floor }: ImportOutcome): string {
  if (!floor) return ''
  const [rate, cpuRatio] = [ratio(floor.seconds, seconds), ratio(cpu, floor.cpu)]
  return `\n  The floor loads them at ${(rows / floor.seconds).toFixed(0)}/s, ${floor.cpu.toFixed(3)} ms of processor time each; ${verdict(rate >= IMPORTED_TO_FLOOR)}: rate ${rate.toFixed(2)} of ≥ ${IMPORTED_TO_FLOOR}, cpu ${cpuRatio.toFixed(2)}`
}

export function renderMemory(samples: readonly number[]): string {
  const [first = 0, last = 0, most] = [samples[0], samples.at(-1), Math.max(0, ...samples)]
  return `The service's memory: ${megabytes(first)} after the first workload, ${megabytes(last)} at the end, ${megabytes(most)} at most (${verdict(most < MOST_RESIDENT_BYTES)}: < ${megabytes(MOST_RESIDENT_BYTES)})`
}

export function renderAuthentication(cpu: number, { program_cpu }: Figures): string {
  const share = cpu / program_cpu
  return `Knowing who asks: ${(cpu * 1000).toFixed(1)} µs of a get's ${(program_cpu * 1000).toFixed(0)}, ${(share * 100).toFixed(1)} % (${verdict(share <= MOST_FOR_AUTHENTICATION)}: ≤ ${MOST_FOR_AUTHENTICATION * 100} %)`
}

export const ratio = (service: number, floor: number): number => Math.round((service / floor) * 1000) / 1000

export const columnsOf = ({ rate, p50, p99, program_cpu, postgres_cpu }: Figures): string[] => [
  rate.toFixed(0),
  ...[p50, p99, program_cpu, postgres_cpu].map((ms) => ms.toFixed(3)),
]

export function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => {
      const width = WIDTHS[index] ?? 0
      return index === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    .join('')
    .trimEnd()
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`
