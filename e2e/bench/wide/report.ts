/** The results of the object `wide` as text. */

import type { ImportOutcome } from '../import'
import type { Figures } from '../measure/measure'
import type { Walked } from '../measure/walk'
import { columnsOf, line, megabytes, ratio, verdict } from '../report'
import type { WideWorkload } from './workloads'

const MIN_ROWS_PER_SECOND = 15_000
const MAX_RESIDENT_BYTES = 200e6

/** Renders the figures of the plain floor, the floor and the service, each against the plain floor. */
export function renderWide({ title, limits }: WideWorkload, concurrency: number, figures: readonly Figures[]): string {
  const [plain, floor, service] = figures
  if (!plain || !floor || !service) throw new Error('All sides are measured always.')
  const rendered = (name: string, each: Figures) => {
    const ratios = [ratio(each.rate, plain.rate), ratio(each.program_cpu, plain.program_cpu)]
    return line([
      name === 'plain' ? title : '',
      String(concurrency),
      name,
      ...columnsOf(each),
      ...ratios.map(twoDigits),
    ])
  }
  const lines = [rendered('plain', plain), rendered('floor', floor), rendered('service', service)]
  if (!limits || concurrency === 1) return lines.join('\n')
  const rate = ratio(service.rate, plain.rate)
  const verdicts = [
    `${verdict(rate >= limits.rate)}: rate ${rate.toFixed(2)} of ≥ ${limits.rate}`,
    `${verdict(service.program_cpu <= limits.cpu)}: cpu ${service.program_cpu.toFixed(2)} ms of ≤ ${limits.cpu}`,
  ]
  return [...lines, `  ${verdicts.join(', ')}`].join('\n')
}

export const renderWideImport = ({ rows, seconds, cpu, rss_by_second = [] }: ImportOutcome): string =>
  `Imported: ${rows} records at ${rate(rows, seconds)}, ${cpu.toFixed(3)} ms of processor time each, ${memory(Math.max(0, ...rss_by_second))}`

export const renderWideWalk = ({ records, seconds, rss_by_quarter, rss_most }: Walked): string =>
  `Walked over ${records} records at ${rate(records, seconds)}, by quarter ${rss_by_quarter.map(megabytes).join(', ')}, ${memory(rss_most)}`

const rate = (rows: number, seconds: number): string =>
  `${(rows / seconds).toFixed(0)}/s (${verdict(rows / seconds >= MIN_ROWS_PER_SECOND)}: of ≥ ${MIN_ROWS_PER_SECOND})`

const memory = (bytes: number): string =>
  `memory ${megabytes(bytes)} at most (${verdict(bytes <= MAX_RESIDENT_BYTES)}: of ≤ ${megabytes(MAX_RESIDENT_BYTES)})`

const twoDigits = (value: number): string => value.toFixed(2)
