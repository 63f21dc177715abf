/** The figures of transfers as text. */

import { line, megabytes, MOST_RESIDENT_BYTES, ratio, verdict } from '../report'
import type { TransferFigures, TransferMemory } from './measure'

export interface ComparedTransfer {
  readonly kind: 'upload' | 'download'
  readonly concurrency: number
  readonly floor: TransferFigures
  readonly service: TransferFigures
}

export interface TransfersOutcome {
  readonly memory: { readonly floor: TransferMemory; readonly service: TransferMemory }
  readonly compared: readonly ComparedTransfer[]
}

/** At concurrency 8: the least share of the floor's rate. */
const TARGETS = { upload: 0.4, download: 0.4 }

export const TRANSFER_HEADINGS = line(['files of 10 MB', 'c', '', 'MB/s', 'p50 ms', 'cpu/MB', 'rate', 'cpu'])

export function renderTransfer({ kind, concurrency, floor, service }: ComparedTransfer): string {
  const rate = ratio(service.rate, floor.rate)
  const ratios = [rate, ratio(service.program_cpu, floor.program_cpu)].map((each) => each.toFixed(2))
  const lines = [
    line([kind, String(concurrency), 'floor', ...columnsOf(floor)]),
    line(['', '', 'service', ...columnsOf(service), ...ratios]),
  ]
  const target = TARGETS[kind]
  if (concurrency > 1) lines.push(`  ${verdict(rate >= target)}: rate ${rate.toFixed(2)} of ≥ ${target}`)
  return lines.join('\n')
}

const columnsOf = ({ rate, p50, program_cpu }: TransferFigures): string[] => [
  rate.toFixed(0),
  p50.toFixed(1),
  program_cpu.toFixed(3),
]

export function renderTransferMemory(
  { floor, service }: TransfersOutcome['memory'],
  count: number,
  bytes: number,
): string {
  const { before_bytes, most_bytes } = service
  const isMet = verdict(most_bytes < MOST_RESIDENT_BYTES)
  return `During ${count} uploads of ${megabytes(bytes)} at once, the service's memory went from ${megabytes(before_bytes)} to ${megabytes(most_bytes)} at most (${isMet}: < ${megabytes(MOST_RESIDENT_BYTES)}), the floor's from ${megabytes(floor.before_bytes)} to ${megabytes(floor.most_bytes)}`
}
