/** Runs statements of API callers: as the role of their workspace, on connections of their own, within limits. */

import type { Database, Transaction } from '#db/connect'
import { openRoleConnection, type RoleLogin } from '#db/role-connection'
import type { DataModel } from '#engine/data-model/model'
import { sqlNotAvailable } from '#base/errors/queries'
import { roleSettings, type SqlLimits, SUPERUSER_SETTINGS } from '#engine/sql/roles/role-settings'
import { loadTypes, type SqlTypes } from '#engine/sql/results/types'
import { type ConnectionPool, createConnectionPool, type ConnectionLease } from './connection-pool'
import { isRoleRefused, type StopReason } from './statement'
import { createHmac } from 'node:crypto'
import { createLru } from '#base/caching/caching'
import { errorCodeOf, logError } from '#base/logging/log-error'
import { scramVerifier } from '#engine/sql/roles/scram-verifier'

/** The part of the request context that a statement needs. */
export interface SqlCaller {
  readonly model: DataModel
  /** Aborted when the client has closed the connection. */
  readonly signal?: AbortSignal
}

export interface SqlOptions {
  readonly db: Database
  /** The server on which statements run: that of `db`, or a replica of it. */
  readonly url: string
  /** How many statements a process runs at the same time; 0 turns SQL off. */
  readonly connections: number
  readonly timeoutMs: number
  readonly shutdown?: AbortSignal
}

/** A running statement's connection. */
export interface SqlConnection extends ConnectionLease {
  readonly types: SqlTypes
  readonly run: Run
}

export interface SqlRunner {
  readonly timeoutMs: number
  /** Waits for a connection as the role of the workspace. The caller ends the run and releases the connection. */
  connect(caller: SqlCaller): Promise<SqlConnection>
  /** Makes the role of the workspace again at the next use. */
  forgetRole(workspaceId: string): void
  close(): Promise<void>
}

/** More would wait longer than clients do. */
const MAX_WAITING = 32
const WAIT_MS = 10_000

export function createSqlRunner({ db, url, connections, timeoutMs, shutdown }: SqlOptions): SqlRunner {
  const limits = { timeoutMs }
  const roles = createSqlRoles(db, limits)
  const pool = createConnectionPool({
    size: connections,
    maxWaiting: MAX_WAITING,
    waitMs: WAIT_MS,
    open: (role) => openRoleConnection(url, role, roleSettings(limits)),
  })
  let types: SqlTypes | undefined
  return {
    timeoutMs,
    async connect({ model, signal }) {
      if (connections === 0) throw sqlNotAvailable('RELATA_SQL_CONNECTIONS is 0.', new Date(Date.now() + 60_000))
      const lease = await leaseFor({ pool, roles }, model, signal)
      try {
        types ??= await loadTypes(lease.sql)
      } catch (error) {
        lease.release(false)
        if (isRoleRefused(error)) roles.forget(model.workspace.id)
        throw error
      }
      return { ...lease, types, run: startRun({ client: signal, shutdown, timeoutMs }) }
    },
    forgetRole: (workspaceId) => roles.forget(workspaceId),
    close: () => pool.close(),
  }
}

async function leaseFor(
  { pool, roles }: { readonly pool: ConnectionPool; readonly roles: SqlRoles },
  model: DataModel,
  signal: AbortSignal | undefined,
): Promise<ConnectionLease> {
  return pool.acquire(await roles.get(model), signal)
}

/**
 * The login roles of workspaces. SQL of API callers runs as the role of its workspace, which owns nothing and may read only
 * the tables of that workspace. See docs/decisions/sql-roles.md.
 */
interface SqlRoles {
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

function createSqlRoles(db: Database, limits: SqlLimits): SqlRoles {
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

/**
 * The name contains the number of the database, because roles belong to the whole server, on which several databases may have
 * a workspace with this number. All processes compute the same password.
 */
async function loginOf({ sql }: Database, { workspace }: DataModel): Promise<RoleLogin> {
  const [found] = await sql<{ secret: string; database: number }[]>`
    select secret, (select oid::int8::text from pg_database where datname = current_database()) as database
    from relata.workspaces where id = ${workspace.id}`
  if (!found) throw new Error(`Workspace ${workspace.id} does not exist.`)
  const name = `relata_sql_${found.database}_${workspace.number}`
  const password = createHmac('sha256', found.secret).update(`role ${name}`).digest('hex')
  return { name, password }
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

/** Creates the role of a workspace, and gives it its settings. */
interface RoleOptions {
  readonly limits: SqlLimits
  readonly resetsPassword: boolean
}

/** The connections that all processes together may have for one workspace. */
const CONNECTION_LIMIT = 32
const RETRY_AFTER_MS = 60_000
const INSUFFICIENT_PRIVILEGE = '42501'

/** Throws 503 when the service's own role may not create roles. */
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

/** What ends a statement before its last row: its client, the service that stops, the time limit, the limits of its result. */
interface Run {
  readonly stop: AbortController
  /** Why the statement was ended. Undefined while it was not. */
  reason(): StopReason | undefined
  /** Stops watching. */
  end(): void
}

interface Watched {
  readonly client: AbortSignal | undefined
  readonly shutdown: AbortSignal | undefined
  readonly timeoutMs: number
}

function startRun({ client, shutdown, timeoutMs }: Watched): Run {
  const stop = new AbortController()
  let reason: StopReason | undefined
  const stopFor = (cause: StopReason) => () => {
    reason ??= cause
    stop.abort()
  }
  const [byClient, byShutdown] = [stopFor('client'), stopFor('shutdown')]
  const timer = setTimeout(stopFor('time'), timeoutMs)
  client?.addEventListener('abort', byClient)
  shutdown?.addEventListener('abort', byShutdown)
  if (client?.aborted === true) byClient()
  if (shutdown?.aborted === true) byShutdown()
  return {
    stop,
    reason: () => reason ?? (stop.signal.aborted ? 'limits' : undefined),
    end() {
      clearTimeout(timer)
      client?.removeEventListener('abort', byClient)
      shutdown?.removeEventListener('abort', byShutdown)
    },
  }
}
