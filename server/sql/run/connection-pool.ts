/**
 * The connections for SQL of API callers, each as the role of one workspace. The least recently used one is closed when another
 * workspace needs its slot. The API's own pools have no part in this.
 */

import type { Sql } from '../../../db/connect'
import type { RoleConnection, RoleLogin } from '../../../db/role-connection'
import { serviceUnavailable } from '../../errors/http'

export interface PoolOptions {
  /** How many statements run at the same time. */
  readonly size: number
  /** How many more wait for their turn. */
  readonly maxWaiting: number
  /** How long one waits. */
  readonly waitMs: number
  readonly open: (role: RoleLogin) => RoleConnection
}

export interface Lease extends RoleConnection {
  /** Returns the connection, or closes it when its state is unknown. */
  release(isUsable: boolean): void
}

export interface ConnectionPool {
  /** Throws 503 when too many statements wait, when none ends in time, and when `signal` aborts. */
  acquire(role: RoleLogin, signal: AbortSignal | undefined): Promise<Lease>
  close(): Promise<void>
}

interface Slot extends RoleConnection {
  readonly role: RoleLogin
  isBusy: boolean
}

interface Waiter {
  readonly role: string
  readonly start: () => void
}

const RETRY_AFTER_MS = 2000

export function createConnectionPool({ size, maxWaiting, waitMs, open }: PoolOptions): ConnectionPool {
  /** In the order of use, the least recently used first. */
  const slots: Slot[] = []
  const waiting: Waiter[] = []
  const running = new Map<string, number>()
  let busy = 0

  /** Counts the statement as running when its turn has come. */
  async function untilTurn(role: string, signal: AbortSignal | undefined): Promise<void> {
    if (busy < size && waiting.length === 0) return count(role, 1)
    if (waiting.length >= maxWaiting) throw busyNow()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter = { role, start: resolve }
    const leave = () => {
      const index = waiting.indexOf(waiter)
      if (index >= 0) waiting.splice(index, 1)
      reject(busyNow())
    }
    waiting.push(waiter)
    const timer = setTimeout(leave, waitMs)
    signal?.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }

  /** The workspace with the fewest running statements goes first, so that one workspace cannot keep the others waiting. */
  function startNext(): void {
    const fewest = Math.min(...waiting.map(({ role }) => running.get(role) ?? 0))
    const index = waiting.findIndex(({ role }) => (running.get(role) ?? 0) === fewest)
    const [next] = waiting.splice(index, 1)
    if (next === undefined) return
    count(next.role, 1)
    next.start()
  }

  function count(role: string, change: 1 | -1): void {
    busy += change
    const left = (running.get(role) ?? 0) + change
    if (left > 0) running.set(role, left)
    else running.delete(role)
  }

  /** Called when fewer slots are busy than there are slots, so one of them is free or can be made. */
  function takeSlot(role: RoleLogin): Slot {
    const isOfRole = (slot: Slot) => slot.role.name === role.name && slot.role.password === role.password
    const idle = slots.filter((slot) => !slot.isBusy)
    const found = idle.findLast(isOfRole)
    if (found !== undefined) remove(found)
    else if (slots.length >= size && idle[0] !== undefined) closeSlot(idle[0])
    const slot = found ?? { ...open(role), role, isBusy: true }
    slot.isBusy = true
    slots.push(slot)
    return slot
  }

  function remove(slot: Slot): void {
    const index = slots.indexOf(slot)
    if (index >= 0) slots.splice(index, 1)
  }

  function closeSlot(slot: Slot): void {
    remove(slot)
    slot.sql.end({ timeout: 0 }).catch(() => undefined) // a connection that is lost has ended already
  }

  async function release(slot: Slot, isUsable: boolean): Promise<void> {
    const isClean = isUsable && (await discardState(slot.sql))
    if (isClean) slot.isBusy = false
    else closeSlot(slot)
    count(slot.role.name, -1)
    startNext()
  }

  return {
    async acquire(role, signal) {
      if (signal?.aborted === true) throw busyNow()
      await untilTurn(role.name, signal)
      const slot = takeSlot(role)
      let isReleased = false
      const releaseOnce = (isUsable: boolean) => {
        if (isReleased) return
        isReleased = true
        void release(slot, isUsable)
      }
      return { sql: slot.sql, startPage: slot.startPage, release: releaseOnce }
    },
    async close() {
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

const busyNow = () => serviceUnavailable(new Date(Date.now() + RETRY_AFTER_MS))
