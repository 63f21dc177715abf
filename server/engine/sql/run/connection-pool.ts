/**
 * The connections for SQL of API callers, each as the role of one workspace. The least recently used one is closed when another
 * workspace needs its slot. The API's own pools have no part in this.
 */

import type { Sql } from '#db/connect'
import type { RoleLogin } from '#db/role-connection'
import { serviceUnavailable } from '#base/errors/http'

export interface PoolOptions extends TurnOptions {
  readonly open: (role: RoleLogin) => Sql
}

export interface ConnectionLease {
  readonly sql: Sql
  /** Returns the connection, or closes it when its state is unknown. */
  release(isUsable: boolean): void
}

export interface ConnectionPool {
  /** Throws 503 when too many statements wait, when none ends in time, and when `signal` aborts. */
  acquire(role: RoleLogin, signal: AbortSignal | undefined): Promise<ConnectionLease>
  state(): TurnState
  close(): Promise<void>
}

interface Slot {
  readonly sql: Sql
  readonly role: RoleLogin
  isBusy: boolean
}

export function createConnectionPool({ open, ...options }: PoolOptions): ConnectionPool {
  const turns = createTurns(options)
  const slots = createSlots(options.size, open)

  async function release(slot: Slot, isUsable: boolean): Promise<void> {
    const isClean = isUsable && (await discardState(slot.sql))
    if (isClean) slot.isBusy = false
    else slots.close(slot)
    turns.end(slot.role.name)
  }

  return {
    async acquire(role, signal) {
      await turns.take(role.name, signal)
      const slot = slots.take(role)
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
    take(role: RoleLogin): Slot {
      const isOfRole = (slot: Slot) => slot.role.name === role.name && slot.role.password === role.password
      const idle = slots.filter((slot) => !slot.isBusy)
      const found = idle.findLast(isOfRole)
      if (found !== undefined) remove(found)
      else if (slots.length >= size && idle[0] !== undefined) close(idle[0])
      const slot = found ?? { sql: open(role), role, isBusy: true }
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

export interface TurnState {
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
