/**
 * What a workspace's record queries may cost in a window of time, whichever processes they reach. Each process reserves
 * from the window in the database, and more at once the more it spends, so that most queries ask nobody. Never more than
 * the limit is spent; what was reserved and not spent is given back.
 * See docs/reference/errors-and-limits.md (Query score) and decision 0030.
 */

import type { Database } from '../../../db/connect'
import { rateLimited } from '../../errors/http'
import { queryTooCostly } from '../../errors/queries'
import { createLru } from '../../caching/lru'
import type { Clock } from '../../timing/clock'

export interface CostLimit {
  /**
   * Counts a query before it runs; `entities` is how many there are where it looks. Throws 429 when it may not run, now
   * or at all.
   */
  spend(workspaceId: string, score: number, entities: number): void | Promise<void>
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
interface Reservation {
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

export function createCostLimit(
  db: Database,
  now: Clock,
  { perQuery, perWindow }: QueryLimits,
  mostPurses = MOST_PURSES,
): CostLimit {
  const reservations = createLru<string, Reservation>(mostPurses)
  const millis = () => now() / 1000

  function take(reservation: Reservation, score: number): boolean {
    if (reservation.left < score || millis() >= reservation.validUntil) return false
    reservation.left -= score
    reservation.spent += score
    return true
  }

  async function takeReserved(workspaceId: string, reservation: Reservation, score: number): Promise<void> {
    do {
      const { refused } = reservation
      if (refused && score >= refused.score && millis() < refused.until) throw rateLimited(new Date(refused.until))
      reservation.reserving ??= reserve(workspaceId, reservation, score).finally(
        () => (reservation.reserving = undefined),
      )
      await reservation.reserving
    } while (!take(reservation, score))
  }

  /** Afterwards there is enough for the score, or it is refused. */
  async function reserve(workspaceId: string, reservation: Reservation, score: number): Promise<void> {
    const startedAt = millis()
    const slot = Math.floor(startedAt / SLOT_MS)
    // What is left and still good goes to the query that asks; the rest is given back.
    const unspent = startedAt < reservation.validUntil ? 0 : reservation.left
    reservation.left -= unspent
    reservation.pace = Math.max(reservation.spent, Math.floor(reservation.pace / 2))
    const wanted = score - reservation.left
    const ahead = Math.min(2 * reservation.pace, Math.floor(perWindow / GREATEST_SHARE))
    const [row] = await db.sql<{ granted: number; free_slot: string | null }[]>`
      select * from relata.reserve_query_score(${workspaceId}, ${slot}, ${SLOTS}, ${perWindow}, ${wanted}, ${ahead},
        ${unspent}, ${reservation.slot})`
    if (!row || row.granted === 0) {
      reservation.refused = { score, until: Number(row?.free_slot ?? slot + SLOTS) * SLOT_MS }
      return
    }
    reservation.left += row.granted
    Object.assign(reservation, { slot, validUntil: startedAt + SLOT_MS, spent: 0, refused: undefined })
  }

  return {
    spend(workspaceId, score, entities) {
      if (perQuery > 0 && score > perQuery && entities >= FEW_HOLDERS) throw queryTooCostly(score, perQuery)
      if (perWindow === 0) return undefined
      if (score > perWindow) throw queryTooCostly(score, perWindow)
      const reservation = reservations.get(workspaceId) ?? emptyPurse()
      reservations.set(workspaceId, reservation)
      return take(reservation, score) ? undefined : takeReserved(workspaceId, reservation, score)
    },
  }
}

const emptyPurse = (): Reservation => ({
  left: 0,
  slot: 0,
  validUntil: 0,
  spent: 0,
  pace: 0,
  reserving: undefined,
  refused: undefined,
})
