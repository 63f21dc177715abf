/** Checks that the PostgreSQL server has what Relata needs, before anything is written, and that it takes writes. */

import { type Database, StartError } from './connect'
import { COMMAND } from './program'

const OLDEST_MAJOR = 15

interface Server {
  version: number
  role: string
  database: string
  is_standby: boolean
  /** A setting of the server, the database or the role, such as of a managed server whose disk is almost full. */
  is_read_only: boolean
  is_utf8: boolean
  may_create_schemas: boolean
  /** False behind a connection pooler that drops the settings of connections. */
  has_settings: boolean
  /** Null while the schema `relata` does not exist. */
  may_use_schema: boolean | null
}

export async function checkServer(db: Database): Promise<void> {
  const [server] = await db.sql<[Server]>`
    select current_setting('server_version_num')::int as version, current_user::text as role,
      current_database()::text as database, pg_is_in_recovery() as is_standby,
      current_setting('transaction_read_only') = 'on' as is_read_only,
      current_setting('server_encoding') = 'UTF8' as is_utf8,
      has_database_privilege(current_database(), 'create') as may_create_schemas,
      current_setting('enable_seqscan') = 'off' as has_settings,
      has_schema_privilege(to_regnamespace('relata'), 'usage')
        and has_schema_privilege(to_regnamespace('relata'), 'create') as may_use_schema`
  const problem = findServerProblem(server)
  if (problem !== undefined) throw new StartError(problem)
}

export function findServerProblem(server: Server): string | undefined {
  const { version, role, database } = server
  const major = Math.floor(version / 10_000)
  if (major < OLDEST_MAJOR) {
    return `PostgreSQL ${major} is too old: Relata needs ${OLDEST_MAJOR} or newer.`
  }
  if (server.is_standby)
    return `The database "${database}" is a read-only standby; set DATABASE_URL to the primary server.`
  if (server.is_read_only)
    return `The database "${database}" is read-only (default_transaction_read_only is on); let the role "${role}" write to it.`
  if (!server.has_settings)
    return 'A connection pooler drops the settings of connections, such as time limits: let DATABASE_URL name PostgreSQL itself. See docs/scaling.md.'
  if (!server.is_utf8) return `The database "${database}" must have the encoding UTF8; make it with createdb -E UTF8.`
  if (!server.may_create_schemas) {
    return `The role "${role}" may not create schemas, which each workspace needs: grant create on database "${database}" to "${role}";`
  }
  if (server.may_use_schema === false) {
    return `The role "${role}" may not use the schema "relata" of database "${database}", which belongs to another role: start with that role.`
  }
  return undefined
}

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

/** The bytes of the database on the disk of the server. */
export async function readDatabaseSize({ sql }: Pick<Database, 'sql'>): Promise<number> {
  const [row] = await sql<[{ size: string }]>`select pg_database_size(current_database()) as size`
  return Number(row.size)
}

/** Exists while a backup is read into the database, and after a restore that did not end. */
export const RESTORING_SCHEMA = 'relata_restoring'

/** Throws `StartError` when the rows of the database are not all there. */
export async function refuseHalfRestored({ sql }: Pick<Database, 'sql'>): Promise<void> {
  const [found] = await sql<[{ exists: boolean }]>`select to_regnamespace(${RESTORING_SCHEMA}) is not null as exists`
  if (found.exists)
    throw new StartError(
      `A backup is being restored into this database, or its restore did not end; run ${COMMAND} restore again.`,
    )
}
