/** Compares `POST /v2/sql` with the same statements by hand on a direct connection. docs/benchmarks.md (SQL) */

import postgres from 'postgres'
import type { Side } from '../measure/measure'
import { ask } from '../measure/probe'
import { residentBytes } from '../measure/usage'
import { type Bench, startService } from '../processes'
import { PEOPLE, type SeededPeople } from '../workloads/workload'
import { medianTimes } from './measure'
import { type ComparedSql, renderSql, renderSqlMemory, SQL_HEADINGS, type SqlMemory, type SqlOutcome } from './report'
import { comparisonsOf } from './statements'

const ROUNDS = 15
const POINT_ROUNDS = 500
const TEXTS = 10_000
const AT_ONCE = 4

/** Without a limit of requests a second. */
const SETTINGS = { RELATA_RATE_LIMIT_SQL: '100000' }

export async function compareSql(bench: Bench, { key }: Side, { people }: SeededPeople): Promise<SqlOutcome> {
  const service = await startService(bench, bench.url, { key, settings: SETTINGS })
  const direct = postgres(bench.url, { max: 1, onnotice() {} })
  bench.atEnd(() => direct.end())
  console.log(SQL_HEADINGS)
  const compared: ComparedSql[] = []
  for (const { name, sql, byHand, most } of await comparisonsOf(bench.db.sql)) {
    const runs = [() => query(service, sql), async () => JSON.stringify(await direct.unsafe(byHand))]
    const [service_p50 = Number.NaN, other_p50 = Number.NaN] = await medianTimes(runs, ROUNDS)
    compared.push({ name, with: 'the time by hand', service_p50, other_p50, most })
  }
  compared.push(await comparePoint(service, people[people.length >> 1]?.id ?? ''))
  for (const each of compared) console.log(renderSql(each))
  const memory = await measureTexts(service)
  console.log(renderSqlMemory(memory))
  return { compared, memory }
}

const query = (service: Side, sql: string) => ask({ method: 'POST', path: '/v2/sql', body: { sql } }, service)

async function comparePoint(service: Side, recordId: string): Promise<ComparedSql> {
  const text = `select record_id, name, email_addresses, job_title, company from people where record_id = '${recordId}'`
  const runs = [() => query(service, text), () => ask({ method: 'GET', path: `${PEOPLE}/${recordId}` }, service)]
  const [service_p50 = Number.NaN, other_p50 = Number.NaN] = await medianTimes(runs, POINT_ROUNDS)
  return { name: 'a person by id', with: 'the time of a get', service_p50, other_p50, most: 2 }
}

/** Sends one text often, which fills the memory that requests take, and then texts that differ. */
async function measureTexts(service: Side): Promise<SqlMemory> {
  await sendAll(service, () => textOf(0))
  const before_bytes = residentBytes(service.pid)
  await sendAll(service, textOf)
  return { texts: TEXTS, before_bytes, after_bytes: residentBytes(service.pid) }
}

const textOf = (n: number): string => `select ${n} as n, name from people limit 1`

async function sendAll(service: Side, textAt: (n: number) => string): Promise<void> {
  for (let n = 0; n < TEXTS; n += AT_ONCE) {
    const texts = Array.from({ length: AT_ONCE }, (_, index) => textAt(n + index))
    await Promise.all(texts.map((text) => query(service, text)))
  }
}
