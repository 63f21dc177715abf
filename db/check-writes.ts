/** Checks whether PostgreSQL takes writes, without writing to a table, and leaves a server that became a standby. */

import type { Database } from './connect'

const SPACE = { rows: 500, bytes: 8000 }

/** Returns why the server is read-only; undefined when it is not. */
export async function findReadOnlyReason({ sql }: Pick<Database, 'sql'>): Promise<string | undefined> {
  const [server] = await sql<[{ is_standby: boolean; is_read_only: boolean }]>`
    select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`
  if (server.is_standby) return 'PostgreSQL is a read-only standby; DATABASE_URL must lead to the primary server.'
  return server.is_read_only ? 'PostgreSQL is read-only: default_transaction_read_only is on.' : undefined
}

/**
 * Writes 4 MB to a temporary file of the server, which the server deletes at once. Throws the error of PostgreSQL when its disk is
 * full. A row in a table would mostly find room in the pages that the table has.
 */
export async function requireDiskSpace({ sql }: Pick<Database, 'sql'>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local work_mem = '64kB'`
    await tx`
      with filler as materialized (
        select repeat('x', ${SPACE.bytes}::int) as text from generate_series(1, ${SPACE.rows}::int)
      )
      select count(text) from filler`
  })
}

/**
 * Ends the connections of this process to a server that has become a standby, so that the pools and listeners connect again. The name of
 * the host may lead to the new primary by then; a connection would otherwise stay for half an hour, and a listener for ever.
 */
export async function leaveStandby({
  sql,
  pools: { applicationName },
}: Pick<Database, 'sql' | 'pools'>): Promise<void> {
  const [server] = await sql`select pg_is_in_recovery() as is_standby`
  if (server?.is_standby !== true) return
  // The connection of the statement ends as well, which fails it.
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = ${applicationName} and usename = current_user
    order by pid = pg_backend_pid()`.catch(() => {})
}
