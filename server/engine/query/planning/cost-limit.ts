/**
 * Limits the sum of the scores of a workspace's queries in a sliding window, over all processes. A process reserves an amount
 * of the window in the database and spends it without further statements; the faster it spends, the more it reserves. The
 * processes together never spend more than the limit. A process returns what it reserved and did not spend.
 * See docs/reference/errors-and-limits.md (Query score) and docs/decisions/queries.md.
 */

import type { Database } from '#db/connect'
import { rateLimited } from '#base/errors/http'
import { queryTooCostly } from '#base/errors/queries'
import { createLru } from '#base/caching/caching'
import type { Clock } from '#base/timing/clock'

export interface CostLimit {
  /**
   * Charges the score of a query before it runs. `entities` is the number of entities of the queried object or list. Throws
   * 429 when the score exceeds the limit of one query, or what is left of the window.
   */
  spend(workspaceId: string, score: number, entities: number): void | Promise<void>
}

export interface QueryLimits {
  /** 0 means no limit. */
  readonly perQuery: number
  readonly perWindow: number
}

const SLOT_MS = 500
/** Ten seconds, the current slot, and the slot into which a reservation of the previous one may still be spent. */
const SLOTS = 22
/** The limit of one query applies from this number of entities: any filter that is allowed runs fast on fewer. */
const PER_QUERY_FROM_ENTITIES = 10_000
/** One reservation ahead of need is at most a twentieth of the window. */
const MAX_AHEAD_DIVISOR = 20
/** The reservations in memory. One that is evicted counts as spent. */
const MAX_RESERVATIONS = 10_000

/** The amount of the window that this process has reserved for a workspace. */
interface Reservation {
  left: number
  /** The slot in which the amount was reserved. */
  slot: number
  validUntil: number
  /** The amount spent since the last reservation. */
  spent: number
  /** The recent amount spent between two reservations. */
  spendingRate: number
  reserving: Promise<void> | undefined
  /** The lowest score that the database refused, and the time until which it refuses it. */
  refused: { score: number; until: number } | undefined
}

export function createCostLimit(
  db: Database,
  now: Clock,
  { perQuery, perWindow }: QueryLimits,
  maxReservations = MAX_RESERVATIONS,
): CostLimit {
  const reservations = createLru<string, Reservation>(maxReservations)
  return {
    spend(workspaceId, score, entities) {
      if (perQuery > 0 && score > perQuery && entities >= PER_QUERY_FROM_ENTITIES) throw queryTooCostly(score, perQuery)
      if (perWindow === 0) return undefined
      if (score > perWindow) throw queryTooCostly(score, perWindow)
      const reservation = reservations.get(workspaceId) ?? emptyReservation()
      reservations.set(workspaceId, reservation)
      const window = { db, now, workspaceId, limit: perWindow }
      return take(window, reservation, score) ? undefined : reserveAndTake(window, reservation, score)
    },
  }
}

/** The window of one workspace. */
interface Window {
  readonly db: Database
  readonly now: Clock
  readonly workspaceId: string
  readonly limit: number
}

const millis = (now: Clock): number => now() / 1000

function take({ now }: Window, reservation: Reservation, score: number): boolean {
  if (reservation.left < score || millis(now) >= reservation.validUntil) return false
  reservation.left -= score
  reservation.spent += score
  return true
}

async function reserveAndTake(window: Window, reservation: Reservation, score: number): Promise<void> {
  do {
    const { refused } = reservation
    if (refused && score >= refused.score && millis(window.now) < refused.until)
      throw rateLimited(new Date(refused.until))
    reservation.reserving ??= reserve(window, reservation, score).finally(() => (reservation.reserving = undefined))
    await reservation.reserving
  } while (!take(window, reservation, score))
}

/** Afterwards the reservation covers the score, or `refused` is set. */
async function reserve(
  { db, now, workspaceId, limit }: Window,
  reservation: Reservation,
  score: number,
): Promise<void> {
  const startedAt = millis(now)
  const slot = Math.floor(startedAt / SLOT_MS)
  // A valid remainder is kept for this query. An expired one is returned to the window.
  const unspent = startedAt < reservation.validUntil ? 0 : reservation.left
  reservation.left -= unspent
  reservation.spendingRate = Math.max(reservation.spent, Math.floor(reservation.spendingRate / 2))
  const wanted = score - reservation.left
  const ahead = Math.min(2 * reservation.spendingRate, Math.floor(limit / MAX_AHEAD_DIVISOR))
  const [row] = await db.sql<{ granted: number; free_slot: string | null }[]>`
    select * from relata.reserve_query_score(${workspaceId}, ${slot}, ${SLOTS}, ${limit}, ${wanted}, ${ahead},
      ${unspent}, ${reservation.slot})`
  if (!row || row.granted === 0) {
    reservation.refused = { score, until: Number(row?.free_slot ?? slot + SLOTS) * SLOT_MS }
    return
  }
  reservation.left += row.granted
  Object.assign(reservation, { slot, validUntil: startedAt + SLOT_MS, spent: 0, refused: undefined })
}

const emptyReservation = (): Reservation => ({
  left: 0,
  slot: 0,
  validUntil: 0,
  spent: 0,
  spendingRate: 0,
  reserving: undefined,
  refused: undefined,
})
