/** Checks, before anything is written, that the PostgreSQL server has what Relata needs. */

import { type Database, GENERIC_PLANS, StartError } from './connect'

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
      current_setting('plan_cache_mode') = ${GENERIC_PLANS.plan_cache_mode} as has_settings,
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
