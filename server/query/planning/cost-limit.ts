/**
 * What a workspace's record queries may cost in a window of time, whichever processes they reach. Each process reserves
 * from the window in the database, and more at once the more it spends, so that most queries ask nobody. Never more than
 * the limit is spent; what was reserved and not spent is given back. Spec: errors-and-limits 3, decision 0030.
 */

import type { Database } from '../../../db/connect'
import { queryTooCostly, rateLimited } from '../../errors/errors'
import { createLru } from '../../caching/lru'
import type { Clock } from '../../timing/clock'

export interface QueryBudget {
  /**
   * Counts a query before it runs; `holders` is how many there are where it looks. Throws 429 when it may not run, now
   * or at all.
   */
  spend(workspaceId: string, score: number, holders: number): void | Promise<void>
}

export interface QueryLimits {
  /** 0 for none. */
  readonly perQuery: number
  readonly perWindow: number
}

const SLOT_MS = 500
/** Ten seconds, the slot of now, and the one into which a reservation of the slot before may still be spent. */
const SLOTS = 22
/** Where so few are looked at, a query that the limits of filters allow is never too costly by itself. */
const FEW_HOLDERS = 10_000
/** One process reserves at most this share of the window at once. */
const GREATEST_SHARE = 20
/** What was reserved for a workspace that makes room for others counts as spent. */
const MOST_PURSES = 10_000

/** What a process has reserved for a workspace. */
interface Purse {
  left: number
  /** Of the last reservation. */
  slot: number
  validUntil: number
  /** Since the last reservation. */
  spent: number
  /** Between reservations, of late. */
  pace: number
  reserving: Promise<void> | undefined
  /** Until when as much as this was refused. */
  refused: { score: number; until: number } | undefined
}

export function createQueryBudget(
  db: Database,
  now: Clock,
  { perQuery, perWindow }: QueryLimits,
  mostPurses = MOST_PURSES,
): QueryBudget {
  const purses = createLru<string, Purse>(mostPurses)
  const millis = () => now() / 1000

  function take(purse: Purse, score: number): boolean {
    if (purse.left < score || millis() >= purse.validUntil) return false
    purse.left -= score
    purse.spent += score
    return true
  }

  async function takeReserved(workspaceId: string, purse: Purse, score: number): Promise<void> {
    do {
      const { refused } = purse
      if (refused && score >= refused.score && millis() < refused.until) throw rateLimited(new Date(refused.until))
      purse.reserving ??= reserve(workspaceId, purse, score).finally(() => (purse.reserving = undefined))
      await purse.reserving
    } while (!take(purse, score))
  }

  /** Afterwards there is enough for the score, or it is refused. */
  async function reserve(workspaceId: string, purse: Purse, score: number): Promise<void> {
    const startedAt = millis()
    const slot = Math.floor(startedAt / SLOT_MS)
    // What is left and still good goes to the query that asks; the rest is given back.
    const unspent = startedAt < purse.validUntil ? 0 : purse.left
    purse.left -= unspent
    purse.pace = Math.max(purse.spent, Math.floor(purse.pace / 2))
    const wanted = score - purse.left
    const ahead = Math.min(2 * purse.pace, Math.floor(perWindow / GREATEST_SHARE))
    const [row] = await db.sql<{ granted: number; free_slot: string | null }[]>`
      select * from relata.reserve_query_score(${workspaceId}, ${slot}, ${SLOTS}, ${perWindow}, ${wanted}, ${ahead},
        ${unspent}, ${purse.slot})`
    if (!row || row.granted === 0) {
      purse.refused = { score, until: Number(row?.free_slot ?? slot + SLOTS) * SLOT_MS }
      return
    }
    purse.left += row.granted
    Object.assign(purse, { slot, validUntil: startedAt + SLOT_MS, spent: 0, refused: undefined })
  }

  return {
    spend(workspaceId, score, holders) {
      if (perQuery > 0 && score > perQuery && holders >= FEW_HOLDERS) throw queryTooCostly(score, perQuery)
      if (perWindow === 0) return undefined
      if (score > perWindow) throw queryTooCostly(score, perWindow)
      const purse = purses.get(workspaceId) ?? emptyPurse()
      purses.set(workspaceId, purse)
      return take(purse, score) ? undefined : takeReserved(workspaceId, purse, score)
    },
  }
}

const emptyPurse = (): Purse => ({
  left: 0,
  slot: 0,
  validUntil: 0,
  spent: 0,
  pace: 0,
  reserving: undefined,
  refused: undefined,
})
