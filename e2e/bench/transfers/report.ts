/** The figures of transfers as text. */

import { line, megabytes, ratio, verdict } from '../report'
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
const TARGETS = { upload: 0.4, download: 0.6 }
/** The growth of the service's memory as a multiple of the floor's. */
const MOST_GROWTH = 1.5

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
  const growth = ratio(growthOf(service), growthOf(floor))
  const asked = `${verdict(growth <= MOST_GROWTH)}: ${growth.toFixed(2)} of ≤ ${MOST_GROWTH} times as much as the floor's`
  return `During ${count} uploads of ${megabytes(bytes)} at once, the service's memory grew ${renderGrowth(service)}, the floor's ${renderGrowth(floor)} (${asked})`
}

const growthOf = ({ before_bytes, most_bytes }: TransferMemory): number => most_bytes - before_bytes

const renderGrowth = ({ before_bytes, most_bytes }: TransferMemory): string =>
  `from ${megabytes(before_bytes)} to ${megabytes(most_bytes)}`
