/** What a service and its PostgreSQL use: memory, and the work of an idle minute. Stops a service. */

import { readFileSync } from 'node:fs'
import { cpuOf, residentBytes } from '../measure/usage'
import type { Bench } from '../processes'

/** The memory of the service, and of all backends that serve it and of the largest, without what backends share. */
export async function memoryOf(pid: number, { db }: Bench): Promise<string> {
  const backends = await db.sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and application_name like 'relata%'`
  const sizes = backends.map((backend) => privateBytes(backend.pid))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const largest = `${sizes.length} backends ${megabytes(total)}, the largest ${megabytes(Math.max(...sizes))}`
  return `service ${megabytes(residentBytes(pid))}, ${largest}`
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`

function privateBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
}

/** The processor time and the transactions of a minute without requests. */
export async function idleMinute(pid: number, bench: Bench, seconds: number): Promise<string> {
  const read = async () => [cpuOf(pid), cpuOf(bench.postgres), await transactionsOf(bench)] as const
  const before = await read()
  await Bun.sleep(seconds * 1000)
  const after = await read()
  const [service, postgres, transactions] = after.map((value, index) =>
    Math.round(((value - (before[index] ?? 0)) * 60) / seconds),
  )
  return `service ${service} ms, PostgreSQL ${postgres} ms of processor time, ${transactions} transactions`
}

async function transactionsOf({ db }: Bench): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()`
  return row?.count ?? 0
}

export async function stopService(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM')
  while (residentBytes(pid) > 0) await Bun.sleep(50)
}
