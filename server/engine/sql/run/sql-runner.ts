/** Runs statements of API callers: as the role of their workspace, on connections of their own, within limits. */

import type { Database } from '#db/connect'
import { openRoleConnection } from '#db/role-connection'
import type { DataModel } from '#engine/data-model/model'
import { sqlNotAvailable } from '#base/errors/queries'
import { createSqlRoles, roleSettings } from '#engine/sql/roles/sql-roles'
import { loadTypes, type SqlTypes } from '#engine/sql/results/renderers'
import { type ConnectionLease, createConnectionPool, type TurnState } from './connection-pool'
import { isRoleRefused, type StopReason } from './statement'

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

export interface SqlState extends TurnState {
  /** How many were ended by the time limit since the start of the process. */
  readonly timedOut: number
}

export interface SqlRunner {
  readonly timeoutMs: number
  /** Waits for a connection as the role of the workspace. The caller ends the run and releases the connection. */
  connect(caller: SqlCaller): Promise<SqlConnection>
  /** Makes the role of the workspace again at the next use. */
  forgetRole(workspaceId: string): void
  state(): SqlState
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
  let timedOut = 0
  const onTimeout = () => void timedOut++
  return {
    timeoutMs,
    async connect({ model, signal }) {
      if (connections === 0) throw sqlNotAvailable('RELATA_SQL_CONNECTIONS is 0.', new Date(Date.now() + 60_000))
      const lease = await pool.acquire(await roles.get(model), signal)
      try {
        types ??= await loadTypes(lease.sql)
      } catch (error) {
        lease.release(false)
        if (isRoleRefused(error)) roles.forget(model.workspace.id)
        throw error
      }
      return { ...lease, types, run: startRun({ client: signal, shutdown, timeoutMs, onTimeout }) }
    },
    forgetRole: (workspaceId) => roles.forget(workspaceId),
    state: () => ({ ...pool.state(), timedOut }),
    close: () => pool.close(),
  }
}

/** What ends a statement before its last row: its client, the service that stops, the time limit, the limits of its result. */
interface Run {
  readonly stop: AbortController
  /** Why the statement was ended. Undefined while it was not. */
  reason(): StopReason | undefined
  /** The server has the same time limit, and may end the statement first. */
  countTimeout(): void
  /** Stops watching. */
  end(): void
}

interface Watched {
  readonly client: AbortSignal | undefined
  readonly shutdown: AbortSignal | undefined
  readonly timeoutMs: number
  readonly onTimeout: () => void
}

function startRun({ client, shutdown, timeoutMs, onTimeout }: Watched): Run {
  const stop = new AbortController()
  let reason: StopReason | undefined
  const stopFor = (cause: StopReason) => () => {
    reason ??= cause
    stop.abort()
  }
  const [byClient, byShutdown] = [stopFor('client'), stopFor('shutdown')]
  let isTimedOut = false
  const countTimeout = () => {
    if (!isTimedOut) onTimeout()
    isTimedOut = true
  }
  const stopForTime = stopFor('time')
  const timer = setTimeout(() => {
    countTimeout()
    stopForTime()
  }, timeoutMs)
  client?.addEventListener('abort', byClient)
  shutdown?.addEventListener('abort', byShutdown)
  if (client?.aborted === true) byClient()
  if (shutdown?.aborted === true) byShutdown()
  return {
    stop,
    reason: () => reason ?? (stop.signal.aborted ? 'limits' : undefined),
    countTimeout,
    end() {
      clearTimeout(timer)
      client?.removeEventListener('abort', byClient)
      shutdown?.removeEventListener('abort', byShutdown)
    },
  }
}
