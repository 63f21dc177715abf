/**
 * What a workspace's record queries may cost in a window of time, whichever processes they reach. Each process reserves
 * from the window in the database, and more at once the more it spends, so that most queries ask nobody. Never more than
 * the limit is spent; what was reserved and not spent is lost. Spec: errors-and-limits 3, decision 0030.
 */

import type { Database } from '../../db/connect'
import { queryTooCostly, rateLimited } from '../errors'
import type { Clock } from '../time'

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

/** What a process has reserved for a workspace. */
interface Purse {
  left: number
  validUntil: number
  /** Since the last reservation. */
  spent: number
  reserving: Promise<void> | undefined
  /** Until when as much as this was refused. */
  refused: { score: number; until: number } | undefined
}

export function createQueryBudget(db: Database, now: Clock, { perQuery, perWindow }: QueryLimits): QueryBudget {
  const purses = new Map<string, Purse>()
  const millis = () => now() / 1000

  function take(purse: Purse, score: number): boolean {
    if (purse.left < score || millis() >= purse.validUntil) return false
    purse.left -= score
    purse.spent += score
    return true
  }

  async function takeReserved(workspaceId: string, purse: Purse, score: number): Promise<void> {
    do {
      if (purse.reserving === undefined) {
        refuse(purse, score)
        purse.reserving = reserve(workspaceId, purse, score).finally(() => (purse.reserving = undefined))
      }
      await purse.reserving
    } while (!take(purse, score))
  }

  function refuse({ refused }: Purse, score: number): void {
    if (refused && score >= refused.score && millis() < refused.until) throw rateLimited(new Date(refused.until))
  }

  async function reserve(workspaceId: string, purse: Purse, score: number): Promise<void> {
    const startedAt = millis()
    const slot = Math.floor(startedAt / SLOT_MS)
    const ahead = Math.min(purse.spent, Math.floor(perWindow / GREATEST_SHARE))
    const [row] = await db.sql<{ granted: number; free_slot: string | null }[]>`
      select * from relata.reserve_query_score(${workspaceId}, ${slot}, ${SLOTS}, ${perWindow}, ${score}, ${ahead})`
    if (!row || row.granted === 0) {
      if (score > perWindow) throw queryTooCostly(score, perWindow)
      purse.refused = { score, until: Number(row?.free_slot ?? slot + SLOTS) * SLOT_MS }
      return refuse(purse, score)
    }
    Object.assign(purse, { left: row.granted, validUntil: startedAt + SLOT_MS, spent: 0, refused: undefined })
  }

  return {
    spend(workspaceId, score, holders) {
      if (perQuery > 0 && score > perQuery && holders >= FEW_HOLDERS) throw queryTooCostly(score, perQuery)
      if (perWindow === 0) return undefined
      const purse = purses.get(workspaceId) ?? { left: 0, validUntil: 0, spent: 0, reserving: undefined, refused: undefined }
      purses.set(workspaceId, purse)
      return take(purse, score) ? undefined : takeReserved(workspaceId, purse, score)
    },
  }
}
