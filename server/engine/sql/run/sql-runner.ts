/** Runs statements of API callers: as the role of their workspace, on connections of their own, within limits. */

import type { Database, ReplicaAccess, Sql } from '#db/connect'
import { openRoleConnection, type RoleLogin } from '#db/role-connection'
import type { DataModel } from '#engine/data-model/model'
import { sqlNotAvailable } from '#base/errors/queries'
import { createSqlRoles, roleSettings } from '#engine/sql/roles/sql-roles'
import { loadTypes, type SqlTypes } from '#engine/sql/results/renderers'
import { isRoleRefused, type StopReason } from './statement'
import { serviceUnavailable } from '#base/errors/http'

/** The part of the request context that a statement needs. */
export interface SqlCaller {
  readonly model: DataModel
  /** Aborted when the client has closed the connection. */
  readonly signal?: AbortSignal
  /** The replica on which the statement may run. */
  readonly db?: { readonly replica?: ReplicaAccess | undefined }
}

export interface SqlOptions {
  readonly db: Database
  /** The server on which statements run: that of `db`, or a replica of it. */
  readonly url: string
  /** The server of statements that run on the replica of their caller. */
  readonly replicaUrl?: string | undefined
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

export type SqlServer = 'primary' | 'replica'

export interface SqlState extends TurnState {
  /** How many were ended by the time limit since the start of the process. */
  readonly timedOut: number
}

export interface SqlRunner {
  readonly timeoutMs: number
  readonly hasReplica: boolean
  /** Waits for a connection as the role of the workspace. The caller ends the run and releases the connection. */
  connect(caller: SqlCaller, server?: SqlServer): Promise<SqlConnection>
  /** Makes the role of the workspace again at the next use. */
  forgetRole(workspaceId: string): void
  state(): SqlState
  close(): Promise<void>
}

/** More would wait longer than clients do. */
const MAX_WAITING = 32
const WAIT_MS = 10_000

export function createSqlRunner({
  db,
  url,
  replicaUrl = url,
  connections,
  timeoutMs,
  shutdown,
}: SqlOptions): SqlRunner {
  const limits = { timeoutMs }
  const roles = createSqlRoles(db, limits)
  const pool = createConnectionPool({
    size: connections,
    maxWaiting: MAX_WAITING,
    waitMs: WAIT_MS,
    open: (role, server) => openRoleConnection(server === 'replica' ? replicaUrl : url, role, roleSettings(limits)),
  })
  let types: SqlTypes | undefined
  let timedOut = 0
  const onTimeout = () => void timedOut++
  return {
    timeoutMs,
    hasReplica: replicaUrl !== url,
    async connect({ model, signal }, server = 'primary') {
      if (connections === 0) throw sqlNotAvailable('RELATA_SQL_CONNECTIONS is 0.', new Date(Date.now() + 60_000))
      const lease = await pool.acquire(await roles.get(model), server, signal)
      try {
        types ??= await loadTypes(lease.sql)
      } catch (error) {
        lease.release(false)
        // The replica may not have the role yet.
        if (server === 'primary' && isRoleRefused(error)) roles.forget(model.workspace.id)
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

// The connections for SQL of API callers, each as the role of one workspace. The least recently used one is closed when another
// workspace needs its slot. The API's own pools have no part in this.

interface PoolOptions extends TurnOptions {
  readonly open: (role: RoleLogin, server: SqlServer) => Sql
}

interface ConnectionLease {
  readonly sql: Sql
  /** Returns the connection, or closes it when its state is unknown. */
  release(isUsable: boolean): void
}

interface ConnectionPool {
  /** Throws 503 when too many statements wait, when none ends in time, and when `signal` aborts. */
  acquire(role: RoleLogin, server: SqlServer, signal: AbortSignal | undefined): Promise<ConnectionLease>
  state(): TurnState
  close(): Promise<void>
}

interface Slot {
  readonly sql: Sql
  readonly role: RoleLogin
  readonly server: SqlServer
  isBusy: boolean
}

function createConnectionPool({ open, ...options }: PoolOptions): ConnectionPool {
  const turns = createTurns(options)
  const slots = createSlots(options.size, open)

  async function release(slot: Slot, isUsable: boolean): Promise<void> {
    const isClean = isUsable && (await discardState(slot.sql))
    if (isClean) slot.isBusy = false
    else slots.close(slot)
    turns.end(slot.role.name)
  }

  return {
    async acquire(role, server, signal) {
      await turns.take(role.name, signal)
      const slot = slots.take(role, server)
      let isReleased = false
      const releaseOnce = (isUsable: boolean) => {
        if (isReleased) return
        isReleased = true
        void release(slot, isUsable)
      }
      return { sql: slot.sql, release: releaseOnce }
    },
    state: turns.state,
    close: slots.closeAll,
  }
}

/** As many connections as statements run at the same time. */
function createSlots(size: number, open: PoolOptions['open']) {
  /** In the order of use, the least recently used first. */
  const slots: Slot[] = []

  function remove(slot: Slot): void {
    const index = slots.indexOf(slot)
    if (index >= 0) slots.splice(index, 1)
  }

  function close(slot: Slot): void {
    remove(slot)
    slot.sql.end({ timeout: 0 }).catch(() => undefined) // a connection that is lost has ended already
  }

  return {
    /** Called when fewer slots are busy than there may be, so one of them is free or can be made. */
    take(role: RoleLogin, server: SqlServer): Slot {
      const isOfRole = (slot: Slot) =>
        slot.server === server && slot.role.name === role.name && slot.role.password === role.password
      const idle = slots.filter((slot) => !slot.isBusy)
      const found = idle.findLast(isOfRole)
      if (found !== undefined) remove(found)
      else if (slots.length >= size && idle[0] !== undefined) close(idle[0])
      const slot = found ?? { sql: open(role, server), role, server, isBusy: true }
      slot.isBusy = true
      slots.push(slot)
      return slot
    },
    close,
    async closeAll(): Promise<void> {
      await Promise.all(slots.splice(0).map(({ sql }) => sql.end({ timeout: 1 })))
    },
  }
}

/** A statement may have changed settings or taken advisory locks. Returns false when the connection is lost. */
async function discardState(sql: Sql): Promise<boolean> {
  try {
    await sql.unsafe('discard all')
    return true
  } catch {
    return false
  }
}

/** Decides which statement runs next. A workspace cannot keep the others waiting: the one with the fewest running statements is next. */
interface TurnOptions {
  /** How many statements run at the same time. */
  readonly size: number
  /** How many more wait for their turn. */
  readonly maxWaiting: number
  /** How long one waits. */
  readonly waitMs: number
}

interface TurnState {
  /** The statements that have a turn, and those that wait for one. */
  readonly running: number
  readonly waiting: number
  /** How many got no turn since the start of the process. */
  readonly refused: number
}

interface Turns {
  /** Waits for a turn. Throws 503 when too many statements wait, when none ends in time, and when `signal` aborts. */
  take(role: string, signal: AbortSignal | undefined): Promise<void>
  /** Ends the turn of a statement. */
  end(role: string): void
  state(): TurnState
}

interface Waiter {
  readonly role: string
  readonly start: () => void
}

const RETRY_AFTER_MS = 2000

export function createTurns({ size, maxWaiting, waitMs }: TurnOptions): Turns {
  const waiting: Waiter[] = []
  /** The role of each running statement. */
  const running: string[] = []
  let refused = 0
  const refuse = () => {
    refused += 1
    return serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
  }
  const runningOf = (role: string) => running.filter((each) => each === role).length

  function startNext(): void {
    const fewest = Math.min(...waiting.map(({ role }) => runningOf(role)))
    const index = waiting.findIndex(({ role }) => runningOf(role) === fewest)
    const [next] = index < 0 ? [] : waiting.splice(index, 1)
    if (next === undefined) return
    running.push(next.role)
    next.start()
  }

  async function wait(role: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { role, start: resolve }
    const leave = () => {
      const index = waiting.indexOf(waiter)
      if (index >= 0) waiting.splice(index, 1)
      reject(refuse())
    }
    waiting.push(waiter)
    const timer = setTimeout(leave, waitMs)
    signal?.addEventListener('abort', leave)
    await promise.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    })
  }

  return {
    async take(role, signal) {
      if (signal?.aborted === true || waiting.length >= maxWaiting) throw refuse()
      if (running.length >= size || waiting.length > 0) return wait(role, signal)
      running.push(role)
    },
    end(role) {
      running.splice(running.indexOf(role), 1)
      startNext()
    },
    state: () => ({ running: running.length, waiting: waiting.length, refused }),
  }
}
