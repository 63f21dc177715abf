/** The results of the object `wide` as text. */

import type { ImportOutcome } from '../import'
import type { Figures } from '../measure/measure'
import type { Walked } from '../measure/walk'
import { columnsOf, line, megabytes, ratio, verdict } from '../report'
import { perOperation } from './batches'
import type { WideWorkload } from './workloads'

const MIN_ROWS_PER_SECOND = 15_000
const MAX_RESIDENT_BYTES = 200e6

/** Renders the figures of the plain floor, the floor and the service, each against the plain floor. */
export function renderWide(workload: WideWorkload, concurrency: number, measured: readonly Figures[]): string {
  const { title, operations = 1 } = workload
  const [plain, floor, service] = measured.map((figures) => perOperation(figures, operations))
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
  const verdicts = concurrency === 1 ? [] : verdictsOf(workload, service, ratio(service.rate, plain.rate))
  return verdicts.length === 0 ? lines.join('\n') : [...lines, `  ${verdicts.join(', ')}`].join('\n')
}

function verdictsOf({ limits, leastOperations }: WideWorkload, { rate, program_cpu }: Figures, share: number) {
  const verdicts: string[] = []
  if (leastOperations !== undefined)
    verdicts.push(`${verdict(rate >= leastOperations)}: ${rate.toFixed(0)} operations/s of ≥ ${leastOperations}`)
  if (limits !== undefined)
    verdicts.push(`${verdict(share >= limits.rate)}: rate ${share.toFixed(2)} of ≥ ${limits.rate}`)
  if (limits?.cpu !== undefined)
    verdicts.push(`${verdict(program_cpu <= limits.cpu)}: cpu ${program_cpu.toFixed(2)} ms of ≤ ${limits.cpu}`)
  return verdicts
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
