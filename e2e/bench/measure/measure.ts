/** Measures one workload on both sides in short alternating rounds, so that disturbances of the machine affect both. */

import { openConnection, renderRequest, type Connection } from './http-client'
import { randomFrom } from '../data/random'
import { cpuOf } from './usage'
import type { SeededPeople, Workload } from '../workloads/workload'

export interface Side {
  readonly name: 'floor' | 'plain floor' | 'service'
  readonly port: number
  readonly key: string
  readonly pid: number
}

/** The figures of one side. Times are in milliseconds. */
export interface Figures {
  readonly requests: number
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** The CPU time per request of the program, and of PostgreSQL. */
  readonly program_cpu: number
  readonly postgres_cpu: number
  /** The number of responses other than 200, by status. */
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

export interface How {
  readonly concurrency: number
  readonly seconds: number
  /** The id of PostgreSQL's main process. */
  readonly postgres: number
  /** The workloads that other connections send meanwhile, and the number of these connections. */
  readonly beside?: { readonly workloads: readonly Workload[]; readonly connections: number }
}

/** Returns the figures of each side, in their order. */
export async function measure(
  workload: Workload,
  seeded: SeededPeople,
  sides: readonly Side[],
  how: How,
): Promise<readonly Figures[]> {
  const runs = await Promise.all(sides.map((side) => runner(workload, seeded, side, how)))
  const all = runs.map((run) => ({ run, total: newTotal() }))
  for (const { run } of all) await run.round(WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const { run, total } of all) await add(total, run, how.postgres, (how.seconds * 1000) / ROUNDS)
  }
  for (const { run } of all) run.close()
  return all.map(({ total }) => figuresOf(total))
}

interface Runner {
  readonly pid: number
  /** Sends requests without pause for this time. */
  round(ms: number): Promise<Round>
  close(): void
}

async function runner(workload: Workload, seeded: SeededPeople, side: Side, how: How): Promise<Runner> {
  const random = randomFrom(how.concurrency)
  const sending = (each: Workload) => () => renderRequest(each.request(random, seeded), side.key)
  const open = async (count: number) => Promise.all(Array.from({ length: count }, () => openConnection(side.port)))
  const measured = await open(how.concurrency)
  const others = (how.beside?.workloads ?? []).map(sending)
  const beside = await open(others.length === 0 ? 0 : (how.beside?.connections ?? 0))
  return {
    pid: side.pid,
    async round(ms) {
      const round = newRound()
      const end = performance.now() + ms
      await Promise.all([
        ...measured.map((connection) => drive(connection, sending(workload), end, round)),
        ...beside.map((connection, index) =>
          drive(connection, others[index % others.length] ?? sending(workload), end, newRound()),
        ),
      ])
      return round
    },
    close: () => [...measured, ...beside].forEach((connection) => connection.close()),
  }
}

const newRound = (): Round => ({ latencies: [], statuses: new Map() })

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

const newTotal = (): Total => ({ ...newRound(), elapsed: 0, program: 0, postgres: 0 })

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
