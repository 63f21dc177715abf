/** Runs statements of API callers: as the role of their workspace, on connections of their own, within limits. */

import type { Database } from '#db/connect'
import { openRoleConnection } from '#db/role-connection'
import type { DataModel } from '#engine/data-model/model'
import { sqlNotAvailable } from '#base/errors/queries'
import { roleSettings } from '#engine/sql/roles/role-settings'
import { createSqlRoles, type SqlRoles } from '#engine/sql/roles/sql-roles'
import { loadTypes, type SqlTypes } from '#engine/sql/results/types'
import { createConnectionPool, type ConnectionPool, type Lease } from './connection-pool'
import { isRoleRefused } from './run-errors'
import { type Run, startRun } from './run-limits'

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
export interface SqlConnection extends Lease {
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
): Promise<Lease> {
  return pool.acquire(await roles.get(model), signal)
}
