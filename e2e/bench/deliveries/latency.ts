/** Measures the time from the creation of a record to its delivery. The commit is between the request and its response. */

import { cpuOf } from '../measure/usage'
import { until } from '../../support/until'
import { ask, createCompany, onlyWebhooks, quantile, type Parts } from './parts'

const SECONDS = 8
const WARMING = 50

export interface Pace {
  /** The number of records created per second. */
  readonly rate: number
  /** The number of receivers that respond immediately. Each gets every record. */
  readonly well: number
  /** The number of receivers that never respond. */
  readonly dead: number
}

export async function latency(parts: Parts, pace: Pace): Promise<void> {
  const { rate, well, dead } = pace
  await onlyWebhooks(parts, 'record.created', [...paths('well', well), ...paths('dead', dead)])
  await warmUp(parts, well)
  const cpu = cpuOf(parts.service.pid)
  const created = await createAtPace(parts, rate)
  const busy = ((cpuOf(parts.service.pid) - cpu) / (SECONDS * 10)).toFixed(0)
  await until(async () => (await ask<number>(parts, '/count')) >= well * created.size, { every: 50 })
  const seen = await ask<[path: string, id: string, at: number][]>(parts, '/seen')
  const after = (which: keyof Times) =>
    seen.map(([, id, at]) => at - (created.get(id)?.[which] ?? at)).sort((a, b) => a - b)
  const shown = (waits: readonly number[]) =>
    `p50 ${quantile(waits, 0.5).toFixed(1)} ms, p95 ${quantile(waits, 0.95).toFixed(1)} ms`
  console.log(`${rate} events a second to ${well} receivers${dead === 0 ? '' : `, beside ${dead} that hang`}:`)
  console.log(`  from the request to the receiver: ${shown(after('asked'))}`)
  console.log(`  from its answer, at most 50 ms:   ${shown(after('answered'))}; service ${busy} % of a core`)
  await showExchange(parts)
}

const paths = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `/${kind}/${index}`)

/** Sends a first delivery to every receiver before the measurement. */
async function warmUp(parts: Parts, well: number): Promise<void> {
  for (let count = 0; count < WARMING; count++) await createCompany(parts, 'Warm')
  await until(async () => (await ask<number>(parts, '/count')) >= well * WARMING)
  await ask(parts, '/seen')
}

interface Times {
  /** Milliseconds since 1970. */
  readonly asked: number
  readonly answered: number
}

const now = (): number => performance.timeOrigin + performance.now()

/** Returns the times by record. */
async function createAtPace(parts: Parts, rate: number): Promise<Map<string, Times>> {
  const created = new Map<string, Times>()
  const create = async (name: string) => {
    const asked = now()
    const id = await createCompany(parts, name)
    created.set(id, { asked, answered: now() })
  }
  const running: Promise<void>[] = []
  const begun = performance.now()
  for (let count = 0; count < rate * SECONDS; count++) {
    const ahead = begun + (count * 1000) / rate - performance.now()
    if (ahead > 0) await Bun.sleep(ahead)
    running.push(create(`${rate} ${count}`))
  }
  await Promise.all(running)
  return created
}

/** Prints the time of one exchange with a receiver. A receiver gets one first attempt at a time, so others wait for it. */
async function showExchange({ bench }: Parts): Promise<void> {
  const [exchange] = await bench.db.sql<{ mean: number }[]>`
    select round(avg(duration_ms), 1)::float8 as mean from relata.delivery_attempts where status_code is not null`
  console.log(`  of it one exchange with a receiver: ${exchange?.mean ?? 0} ms on average`)
}
