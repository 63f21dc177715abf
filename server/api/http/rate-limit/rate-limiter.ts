/**
 * Limits the requests of a caller per second, over all processes, with a token bucket in the database. The bucket
 * holds the tokens of one second. A process takes a tenth of the limit at a time, so most requests need no statement.
 * See docs/reference/errors-and-limits.md (Rate limits) and docs/decisions/rate-limits.md.
 */

import type { Database } from '#db/connect'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { createLru, type Lru } from '#base/caching/caching'
import type { Clock } from '#base/timing/clock'

/** `merge`: merging records. `recording`: creating a call recording. `sql`: SQL, whose caller is the workspace. */
export type RequestKind = 'read' | 'write' | 'merge' | 'recording' | 'sql'

/** Requests per second of each kind; 0 means no limit. */
export type RateLimits = Readonly<Record<RequestKind, number>>

/** The result of counting a request. */
export interface RateLimitResult {
  readonly limit: number
  /** The number of further requests that may run now. */
  readonly remaining: number
  /** Set when the request may not run: the time from which a request may, in milliseconds since 1970. */
  readonly retryAt?: number
}

export interface RateLimiter {
  /** Counts a request before it runs. Returns undefined when requests of its kind have no limit. */
  count(caller: string, kind: RequestKind): RateLimitResult | Promise<RateLimitResult> | undefined
  /** Counts a request that may run as `requests` more. The next requests wait until the bucket has refilled so far. */
  countFurther(caller: string, kind: RequestKind, requests: number): Promise<void>
}

/** The tokens that this process has taken for one caller. */
interface Tokens {
  left: number
  /** The tokens may be used until this time; then the unused ones return to the bucket. */
  validUntil: number
  /** The tokens left in the bucket when this process last took some, at `takenAt`. */
  bucket: number
  takenAt: number
  taking: Promise<void> | undefined
  /** Until this time the bucket is empty. */
  emptyUntil: number
}

const VALID_MS = 1000
/** The part of the limit that a process takes at a time: a tenth. */
const SHARE = 10
/** Evicting a caller loses at most the tokens that its bucket has refilled since. */
const MAX_CALLERS = 10_000

/** Returns undefined when no kind has a limit. */
export function createRateLimiter(
  db: Database,
  now: Clock,
  rates: RateLimits,
  maxCallers = MAX_CALLERS,
): RateLimiter | undefined {
  if (Object.values(rates).every((rate) => rate === 0)) return undefined
  const newCallers = () => createLru<string, Tokens>(maxCallers)
  const tokensByCaller: Record<RequestKind, Lru<string, Tokens>> = {
    read: newCallers(),
    write: newCallers(),
    merge: newCallers(),
    recording: newCallers(),
    sql: newCallers(),
  }
  return {
    count(caller, kind) {
      const limit = rates[kind]
      if (limit === 0) return undefined
      const bucket = { db, now, caller, kind, limit }
      const tokens = tokensByCaller[kind].get(caller) ?? newTokens(tokensByCaller[kind], caller)
      // While others wait for the database, a new request waits behind them.
      return (tokens.taking ? undefined : spend(bucket, tokens)) ?? takeAndSpend(bucket, tokens)
    },
    async countFurther(caller, kind, requests) {
      // The row exists: the request itself was counted.
      if (rates[kind] > 0)
        await db.control
          .updateTable('relata.request_budgets')
          .set((row) => ({ tokens: row('tokens', '-', requests) }))
          .where(equal({ caller, kind }))
          .execute()
    },
  }
}

/** The bucket of one caller and one kind of request. */
interface Bucket {
  readonly db: Database
  readonly now: Clock
  readonly caller: string
  readonly kind: RequestKind
  readonly limit: number
}

const millis = (now: Clock): number => now() / 1000

/** Uses a token if one is left. Returns undefined when the process must ask the bucket. */
function spend({ now, limit }: Bucket, tokens: Tokens): RateLimitResult | undefined {
  const at = millis(now)
  if (tokens.left > 0 && at < tokens.validUntil) {
    tokens.left--
    const filled = tokens.bucket + ((at - tokens.takenAt) * limit) / 1000
    return { limit, remaining: Math.min(limit - 1, tokens.left + Math.floor(filled)) }
  }
  return at < tokens.emptyUntil ? { limit, remaining: 0, retryAt: tokens.emptyUntil } : undefined
}

async function takeAndSpend(bucket: Bucket, tokens: Tokens): Promise<RateLimitResult> {
  for (;;) {
    tokens.taking ??= take(bucket, tokens).finally(() => (tokens.taking = undefined))
    await tokens.taking
    const result = spend(bucket, tokens)
    if (result) return result
  }
}

async function take({ db, now, caller, kind, limit }: Bucket, tokens: Tokens): Promise<void> {
  const takenAt = millis(now)
  const unspent = tokens.left
  tokens.left = 0
  const wanted = Math.max(1, Math.floor(limit / SHARE))
  const [row] = await db.sql<{ granted: number; left_over: number }[]>`
    select * from relata.reserve_requests(${caller}, ${kind}, ${takenAt}, ${limit}, ${wanted}, ${unspent})`
  const { granted, left_over } = row ?? { granted: 0, left_over: 0 }
  const emptyUntil = granted > 0 ? 0 : takenAt + ((1 - left_over) * 1000) / limit
  Object.assign(tokens, { left: granted, bucket: left_over, takenAt, validUntil: takenAt + VALID_MS, emptyUntil })
}

function newTokens(tokensByCaller: Lru<string, Tokens>, caller: string): Tokens {
  const tokens = { left: 0, validUntil: 0, bucket: 0, takenAt: 0, taking: undefined, emptyUntil: 0 }
  tokensByCaller.set(caller, tokens)
  return tokens
}
