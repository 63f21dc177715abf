/** Names of processes. All connections of a process carry its name, so that other processes see whether it is connected. */

import type { Sql } from './connect'

/** The application name of all connections of a process. */
export const connectionName = (process: string): string => `relata ${process}`

/** Returns those of the processes that have no connection: they were killed, or are about to connect again. */
export async function findDisconnected(sql: Sql, processes: readonly string[]): Promise<ReadonlySet<string>> {
  if (processes.length === 0) return new Set()
  const rows = await sql<{ application_name: string }[]>`
    select distinct application_name from pg_stat_activity where application_name like ${`${connectionName('')}%`}`
  const connected = new Set(rows.map(({ application_name }) => application_name))
  return new Set(processes.filter((process) => !connected.has(connectionName(process))))
}
