/** The figures of SQL as text. */

import { line, megabytes, verdict } from '../report'

export interface ComparedSql {
  readonly name: string
  /** What the service is compared with. */
  readonly with: string
  readonly service_p50: number
  readonly other_p50: number
  /** The most that the service's time may be, as a multiple of the other. */
  readonly most: number
}

export interface SqlMemory {
  readonly texts: number
  readonly before_bytes: number
  readonly after_bytes: number
}

export interface SqlOutcome {
  readonly compared: readonly ComparedSql[]
  readonly memory: SqlMemory
}

const MOST_GROWTH_BYTES = 50e6

export const SQL_HEADINGS = line(['SQL', '', '', 'service', 'other', 'ratio'])

export function renderSql(compared: ComparedSql): string {
  const { name, service_p50, other_p50, most } = compared
  const times = service_p50 / other_p50
  const columns = [service_p50.toFixed(2), other_p50.toFixed(2), times.toFixed(2)]
  return `${line([name, '', '', ...columns])}\n  ${verdict(times <= most)}: ${times.toFixed(2)} of ≤ ${most.toFixed(2)} times ${compared.with}`
}

export function renderSqlMemory({ texts, before_bytes, after_bytes }: SqlMemory): string {
  const growth = after_bytes - before_bytes
  return (
    `With ${texts} different texts, the service's memory went from ${megabytes(before_bytes)} to ${megabytes(after_bytes)} ` +
    `(${verdict(growth <= MOST_GROWTH_BYTES)}: growth of ≤ ${megabytes(MOST_GROWTH_BYTES)})`
  )
}
