/**
 * How many requests a caller may make in a second, whichever processes they reach. A bucket in the database fills with as
 * many a second and holds no more; each process takes a tenth of the limit at a time, so that most requests ask nobody.
 * Spec: errors-and-limits 3, decision 0050.
 */

import type { Database } from '../../db/connect'
import type { Clock } from '../time'

export type RequestKind = 'read' | 'write' | 'merge'

/** Requests a second of each kind; 0 for any number. */
export type RequestRates = Readonly<Record<RequestKind, number>>

/** What became of a request that was counted. */
export interface Allowance {
  readonly limit: number
  /** How many more there may be now. */
  readonly remaining: number
  /** In milliseconds since 1970, when the request may not run: from then on one may. */
  readonly retryAt?: number
}

export interface RequestLimits {
  /** Counts a request before it runs. Undefined when requests of its kind are not limited. */
  count(caller: string, kind: RequestKind): Allowance | Promise<Allowance> | undefined
}

/** What a process has taken for one caller. */
interface Purse {
  left: number
  /** What is left is good until then, and goes back afterwards. */
  validUntil: number
  /** In the bucket when something was last taken from it, and when that was. */
  bucket: number
  takenAt: number
  taking: Promise<void> | undefined
  /** Until then nothing is in the bucket. */
  emptyUntil: number
}

const VALID_MS = 1000
const SHARE = 10
const MOST_PURSES = 10_000

/** Undefined when nothing is limited. */
export function createRequestLimits(db: Database, now: Clock, rates: RequestRates): RequestLimits | undefined {
  if (Object.values(rates).every((rate) => rate === 0)) return undefined
  const purses: Record<RequestKind, Map<string, Purse>> = { read: new Map(), write: new Map(), merge: new Map() }
  const millis = () => now() / 1000

  async function take(caller: string, kind: RequestKind, purse: Purse): Promise<void> {
    const rate = rates[kind]
    const takenAt = millis()
    const unspent = purse.left
    purse.left = 0
    const wanted = Math.max(1, Math.floor(rate / SHARE))
    const [row] = await db.sql<{ granted: number; left_over: number }[]>`
      select * from relata.reserve_requests(${caller}, ${kind}, ${takenAt}, ${rate}, ${wanted}, ${unspent})`
    const { granted, left_over } = row ?? { granted: 0, left_over: 0 }
    const emptyUntil = granted > 0 ? 0 : takenAt + ((1 - left_over) * 1000) / rate
    Object.assign(purse, { left: granted, bucket: left_over, takenAt, validUntil: takenAt + VALID_MS, emptyUntil })
  }

  /** Spends one if there is one; what stands in the answer tells what is left. */
  function spend(purse: Purse, limit: number): Allowance | undefined {
    const at = millis()
    if (purse.left > 0 && at < purse.validUntil) {
      purse.left--
      const filled = purse.bucket + ((at - purse.takenAt) * limit) / 1000
      return { limit, remaining: Math.min(limit - 1, purse.left + Math.floor(filled)) }
    }
    return at < purse.emptyUntil ? { limit, remaining: 0, retryAt: purse.emptyUntil } : undefined
  }

  async function takeAndSpend(caller: string, kind: RequestKind, purse: Purse): Promise<Allowance> {
    for (;;) {
      purse.taking ??= take(caller, kind, purse).finally(() => (purse.taking = undefined))
      await purse.taking
      const allowance = spend(purse, rates[kind])
      if (allowance) return allowance
    }
  }

  return {
    count(caller, kind) {
      const limit = rates[kind]
      if (limit === 0) return undefined
      const purse = purses[kind].get(caller) ?? newPurse(purses[kind], caller)
      // One who comes while others wait for the database waits behind them.
      return (purse.taking ? undefined : spend(purse, limit)) ?? takeAndSpend(caller, kind, purse)
    },
  }
}

/** What is forgotten with an old one is less than it could have asked again for by now. */
function newPurse(purses: Map<string, Purse>, caller: string): Purse {
  if (purses.size >= MOST_PURSES) purses.clear()
  const purse = { left: 0, validUntil: 0, bucket: 0, takenAt: 0, taking: undefined, emptyUntil: 0 }
  purses.set(caller, purse)
  return purse
}
