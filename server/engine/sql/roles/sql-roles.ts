/**
 * The login roles of workspaces. SQL of API callers runs as the role of its workspace, which owns nothing and may read only
 * the tables of that workspace. See docs/decisions/sql-roles.md.
 */

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type { Database, Sql, Transaction } from '#db/connect'
import type { RoleLogin } from '#db/role-connection'
import { createLru } from '#base/caching/caching'
import { sqlNotAvailable } from '#base/errors/queries'
import { errorCodeOf, logError } from '#base/logging/log-error'
import type { DataModel } from '#engine/data-model/model'

export interface SqlRoles {
  /** Returns the role of the workspace, which may read all tables of this version of the data model. */
  get(model: DataModel): Promise<RoleLogin>
  /** Makes the role again at the next use, because PostgreSQL refused it. */
  forget(workspaceId: string): void
}

interface Prepared {
  readonly version: number
  readonly role: Promise<RoleLogin>
}

/** A workspace that is evicted costs a few statements at its next use. */
const MAX_ROLES = 1000

export function createSqlRoles(db: Database, limits: SqlLimits): SqlRoles {
  const prepared = createLru<string, Prepared>(MAX_ROLES)
  const refused = createLru<string, true>(MAX_ROLES)
  return {
    get(model) {
      const { id } = model.workspace
      const cached = prepared.get(id)
      if (cached !== undefined && cached.version >= model.version) return cached.role
      const role = makeRole(db, limits, model, refused.get(id) === true)
      refused.delete(id)
      const entry = { version: model.version, role }
      prepared.set(id, entry)
      role.catch(() => prepared.get(id) === entry && prepared.delete(id))
      return role
    },
    forget(workspaceId) {
      prepared.delete(workspaceId)
      refused.set(workspaceId, true)
    },
  }
}

/** `resetsPassword` is set when PostgreSQL has refused the role, whose password may be that of another database's copy. */
async function makeRole(
  db: Database,
  limits: SqlLimits,
  model: DataModel,
  resetsPassword: boolean,
): Promise<RoleLogin> {
  const role = await loginOf(db, model)
  await db.sql.begin(async (tx) => {
    await prepareRole(tx, role, { limits, resetsPassword })
    await grantTables(tx, role.name, model)
  })
  return role
}

/** All processes compute the same password. */
async function loginOf({ sql, secrets }: Database, { workspace }: DataModel): Promise<RoleLogin> {
  const [found] = await sql<{ secret: string }[]>`select secret from relata.workspaces where id = ${workspace.id}`
  if (!found) throw new Error(`Workspace ${workspace.id} does not exist.`)
  const name = await roleNameOf(sql, workspace.number)
  const secret = secrets.decrypt({ table: 'workspaces', key: [workspace.id] }, found.secret)
  const password = createHmac('sha256', secret).update(`role ${name}`).digest('hex')
  return { name, password }
}

/**
 * The name contains the number of the database, because roles belong to the whole server, on which several databases may have
 * a workspace with this number.
 */
async function roleNameOf(sql: Sql | Transaction, workspaceNumber: number): Promise<string> {
  const [{ database }] = await sql<[{ database: string }]>`
    select oid::int8::text as database from pg_database where datname = current_database()`
  return `relata_sql_${database}_${workspaceNumber}`
}

/** Drops the role of a workspace, if there is one. The tables that it may read must have been dropped before. */
export async function dropSqlRole({ sql }: Database, workspaceNumber: number): Promise<void> {
  const name = await roleNameOf(sql, workspaceNumber)
  await sql.unsafe(`drop role if exists "${name}"`)
}

/**
 * Lets the role read the tables of all objects and lists of the workspace. It may not read the tables of history, unique values
 * and merges. Tables that were dropped are no longer in the data model of the next version.
 */
async function grantTables(tx: Transaction, role: string, model: DataModel): Promise<void> {
  const tables = model.entityTypes.map(({ table }) => table)
  const missing = await tx<{ name: string }[]>`
    select t.name from unnest(${tables}::text[]) as t (name)
    where to_regclass(t.name) is not null and not has_table_privilege(${role}::text, to_regclass(t.name), 'select')`
  await tx.unsafe(`grant usage on schema ${model.schema} to "${role}"`)
  if (missing.length > 0)
    await tx.unsafe(`grant select on table ${missing.map(({ name }) => name).join(', ')} to "${role}"`)
}

interface RoleOptions {
  readonly limits: SqlLimits
  readonly resetsPassword: boolean
}

/** The connections that all processes together may have for one workspace. */
const CONNECTION_LIMIT = 32
const RETRY_AFTER_MS = 60_000
const INSUFFICIENT_PRIVILEGE = '42501'

/** Creates the role of a workspace, and gives it its settings. Throws 503 when the service's own role may not create roles. */
async function prepareRole(
  tx: Transaction,
  { name, password }: RoleLogin,
  { limits, resetsPassword }: RoleOptions,
): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  const [existing] = await tx<{ settings: string[] | null }[]>`
    select rolconfig::text[] as settings from pg_roles where rolname = ${name}`
  try {
    if (existing === undefined) await createRole(tx, name, password)
    else if (resetsPassword) await tx.unsafe(`alter role "${name}" login password '${scramVerifier(password)}'`)
    for (const [setting, value] of Object.entries(roleSettings(limits))) {
      if (existing?.settings?.includes(`${setting}=${value}`) !== true) await alterSetting(tx, name, setting, value)
    }
  } catch (error) {
    if (errorCodeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
    logError('SQL needs a login role for each workspace, which the service may not create.', error)
    throw sqlNotAvailable(
      'the database role of this service may not create roles; an operator has to allow it: alter role … createrole;',
      new Date(Date.now() + RETRY_AFTER_MS),
    )
  }
  if (existing === undefined) await limitTemporaryFiles(tx, name)
}

const createRole = (tx: Transaction, name: string, password: string) =>
  tx.unsafe(
    `create role "${name}" login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls
     connection limit ${CONNECTION_LIMIT} password '${scramVerifier(password)}'`,
  )

const alterSetting = (tx: Transaction, name: string, setting: string, value: string) =>
  tx.unsafe(`alter role "${name}" set ${setting} = '${value}'`)

/** Without the right to set it, the limit of the server applies. */
async function limitTemporaryFiles(tx: Transaction, name: string): Promise<void> {
  for (const [setting, value] of Object.entries(SUPERUSER_SETTINGS)) {
    try {
      await tx.savepoint((step) => step.unsafe(`alter role "${name}" set ${setting} = '${value}'`))
    } catch (error) {
      if (errorCodeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
      console.log(`SQL runs without ${setting}, which only a superuser may set; set it for the whole server.`)
    }
  }
}

// The settings under which SQL of API callers runs: of the role, and again of each connection.

interface SqlLimits {
  readonly timeoutMs: number
}

/** Any user may set these. */
export const roleSettings = ({ timeoutMs }: SqlLimits): Readonly<Record<string, string>> => ({
  default_transaction_read_only: 'on',
  search_path: 'pg_catalog',
  // The check reads the text with the parser's own settings; the server must read it in the same way.
  standard_conforming_strings: 'on',
  client_encoding: 'UTF8',
  statement_timeout: `${timeoutMs}ms`,
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '60s',
  work_mem: '32MB',
  max_parallel_workers_per_gather: '1',
  jit: 'off',
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
})

/** Only a superuser may set these, for a role. */
const SUPERUSER_SETTINGS: Readonly<Record<string, string>> = { temp_file_limit: '1GB' }

const ITERATIONS = 4096

/**
 * The form in which PostgreSQL stores a password, so that no statement and no log contains the password itself. RFC 5803. `password` is
 * ASCII, which needs no preparation.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const sign = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64')
  const serverKey = sign('Server Key').toString('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
