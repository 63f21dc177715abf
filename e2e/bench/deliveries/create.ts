/** Measures how much a webhook with all events slows down writes: the same writes with it and without it, in turns. */

import { until } from '../../support/until'
import { cpuOf } from '../measure/usage'
import { createCompany, onlyWebhooks, quantile, type Parts } from './parts'

const ROUNDS = 4
const SECONDS = 2

export async function writing(parts: Parts): Promise<void> {
  for (const concurrency of [1, 8]) {
    const [without, beside] = [newWrites(), newWrites()]
    for (let round = 0; round < ROUNDS; round++) {
      await onlyWebhooks(parts, 'record.created', [])
      await create(parts, concurrency, without)
      await onlyWebhooks(parts, 'record.created', ['/well/0'])
      await create(parts, concurrency, beside)
    }
    show(concurrency, without, beside)
  }
}

interface Writes {
  /** The time of each write, in milliseconds. */
  readonly waits: number[]
  /** Milliseconds of processor time of the service and of PostgreSQL, until all events are published and all attempts recorded. */
  cpu: number
}

const newWrites = (): Writes => ({ waits: [], cpu: 0 })

function show(concurrency: number, without: Writes, beside: Writes): void {
  const p50 = ({ waits }: Writes) =>
    quantile(
      [...waits].sort((a, b) => a - b),
      0.5,
    )
  const perSecond = ({ waits }: Writes) => (waits.length / (ROUNDS * SECONDS)).toFixed(0)
  const micros = ({ cpu, waits }: Writes) => (cpu * 1000) / waits.length
  console.log(
    `create at concurrency ${concurrency}: p50 ${p50(without).toFixed(2)} ms, with a webhook ${p50(beside).toFixed(2)} ms: ` +
      `${(p50(beside) / p50(without)).toFixed(2)} (at most 1.15); ` +
      `${perSecond(without)} and ${perSecond(beside)} a second: ${(without.waits.length / beside.waits.length).toFixed(2)} of the time for each`,
  )
  console.log(
    `  processor time of service and PostgreSQL: ${micros(without).toFixed(0)} µs, with a webhook ${micros(beside).toFixed(0)} µs: ` +
      `${(micros(beside) / micros(without)).toFixed(2)}`,
  )
}

async function create(parts: Parts, concurrency: number, writes: Writes): Promise<void> {
  const cpu = cpuOfBoth(parts)
  const before = writes.waits.length
  const end = performance.now() + SECONDS * 1000
  const client = async () => {
    while (performance.now() < end) {
      const begun = performance.now()
      await createCompany(parts, 'A company')
      writes.waits.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  const made = writes.waits.length - before
  await until(async () => (await countOf(parts, 'events')) >= made, { every: 100 })
  const deliveries = await countOf(parts, 'deliveries')
  await until(async () => (await countOf(parts, 'delivery_attempts')) >= deliveries, { every: 100 })
  writes.cpu += cpuOfBoth(parts) - cpu
}

const cpuOfBoth = ({ bench, service }: Parts): number => cpuOf(service.pid) + cpuOf(bench.postgres)

async function countOf({ bench }: Parts, table: 'events' | 'deliveries' | 'delivery_attempts'): Promise<number> {
  const [row] = await bench.db.sql.unsafe<{ count: number }[]>(`select count(*)::int as count from relata.${table}`)
  return row?.count ?? 0
}
