/** Measures one workload on both sides, in short rounds by turns, so that whatever disturbs the machine meets both. */

import { openConnection, renderRequest, type Connection } from './http-client'
import { randomFrom } from './random'
import { cpuOf } from './usage'
import type { Loaded, Workload } from './workloads'

export interface Side {
  readonly name: 'floor' | 'service'
  readonly port: number
  readonly key: string
  readonly pid: number
}

/** What one side did. Times are milliseconds. */
export interface Figures {
  readonly requests: number
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** Processor time per request of the program, and of PostgreSQL. */
  readonly program_cpu: number
  readonly postgres_cpu: number
  /** Answers other than 200, by status. */
  readonly errors: Readonly<Record<string, number>>
}

interface Round {
  readonly latencies: number[]
  readonly statuses: Map<number, number>
}

interface Total extends Round {
  elapsed: number
  program: number
  postgres: number
}

const ROUNDS = 3
const WARM_UP_MS = 1000

export async function measure(
  workload: Workload,
  loaded: Loaded,
  sides: readonly [Side, Side],
  how: { readonly concurrency: number; readonly seconds: number; readonly postgres: number },
): Promise<[Figures, Figures]> {
  const [first, second] = await Promise.all(sides.map((side) => runner(workload, loaded, side, how.concurrency)))
  if (!first || !second) throw new Error('Two sides are compared.')
  const totals = [newTotal(), newTotal()] as const
  const both = [
    [first, totals[0]],
    [second, totals[1]],
  ] as const
  for (const [run] of both) await run.round(WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const [run, total] of both) await add(total, run, how.postgres, (how.seconds * 1000) / ROUNDS)
  }
  for (const [run] of both) run.close()
  return [figuresOf(totals[0]), figuresOf(totals[1])]
}

interface Runner {
  readonly pid: number
  /** Sends as much as is answered within the time. */
  round(ms: number): Promise<Round>
  close(): void
}

async function runner(workload: Workload, loaded: Loaded, side: Side, concurrency: number): Promise<Runner> {
  const connections = await Promise.all(Array.from({ length: concurrency }, () => openConnection(side.port)))
  const random = randomFrom(concurrency)
  const next = () => renderRequest(workload.request(random, loaded), side.key)
  return {
    pid: side.pid,
    async round(ms) {
      const round: Round = { latencies: [], statuses: new Map() }
      const end = performance.now() + ms
      await Promise.all(connections.map((connection) => drive(connection, next, end, round)))
      return round
    },
    close: () => connections.forEach((connection) => connection.close()),
  }
}

async function drive(connection: Connection, next: () => Uint8Array, end: number, round: Round): Promise<void> {
  const { latencies, statuses } = round
  for (let begun = performance.now(); begun < end; begun = performance.now()) {
    const bytes = next()
    const sent = performance.now()
    const status = await connection.send(bytes)
    latencies.push(performance.now() - sent)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
}

async function add(total: Total, run: Runner, postgres: number, ms: number): Promise<void> {
  const before = { program: cpuOf(run.pid), postgres: cpuOf(postgres), at: performance.now() }
  const { latencies, statuses } = await run.round(ms)
  total.elapsed += performance.now() - before.at
  total.program += cpuOf(run.pid) - before.program
  total.postgres += cpuOf(postgres) - before.postgres
  for (const latency of latencies) total.latencies.push(latency)
  for (const [status, count] of statuses) total.statuses.set(status, (total.statuses.get(status) ?? 0) + count)
}

const newTotal = (): Total => ({ latencies: [], statuses: new Map(), elapsed: 0, program: 0, postgres: 0 })

function figuresOf({ latencies, statuses, elapsed, program, postgres }: Total): Figures {
  const requests = latencies.length
  const sorted = Float64Array.from(latencies).sort()
  const at = (part: number) => sorted[Math.min(requests - 1, Math.floor(requests * part))] ?? Number.NaN
  return {
    requests,
    rate: requests / (elapsed / 1000),
    p50: at(0.5),
    p99: at(0.99),
    program_cpu: program / requests,
    postgres_cpu: postgres / requests,
    errors: Object.fromEntries([...statuses].filter(([status]) => status !== 200)),
  }
}
