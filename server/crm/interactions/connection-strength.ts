/**
 * How strong the connection of members to a person or company is: points for recent interactions.
 * See docs/reference/emails.md (Connection strength).
 */

import type { Micros } from '#base/timing/clock'
import type { InteractionType } from '#engine/attribute-types/interaction'
import type { Touch } from './read-touches'

const DAY = 86_400_000_000

/** The points of an email by its age, the newest first. */
const WINDOWS: readonly { readonly days: number; readonly points: number }[] = [
  { days: 30, points: 4 },
  { days: 90, points: 2 },
  { days: 365, points: 1 },
]
/** A meeting or call counts as many emails. */
const EMAILS_PER_MEETING = 3
/** What counts as one email. */
const WRITTEN: ReadonlySet<InteractionType> = new Set(['email', 'chat-thread'])

/** The titles of the options with the points from which on they apply, the strongest first. */
const LEVELS: readonly { readonly title: string; readonly points: number }[] = [
  { title: 'Very strong', points: 160 },
  { title: 'Strong', points: 80 },
  { title: 'Good', points: 30 },
  { title: 'Weak', points: 10 },
  { title: 'Very weak', points: 1 },
]
const FULL_POINTS = 160

export interface ConnectionStrength {
  readonly title: string
  /** From 0 to 1. */
  readonly legacy: number
  /** The number of the actor of the member with the strongest connection. */
  readonly owner: number
}

/** Undefined without a member who wrote, received or met in the last year. */
export function computeStrength(touches: readonly Touch[], now: Micros): ConnectionStrength | undefined {
  const points = new Map<number, number>()
  for (const touch of touches) {
    const own = pointsOf(touch, now)
    if (own > 0 && touch.owner !== 0) points.set(touch.owner, (points.get(touch.owner) ?? 0) + own)
  }
  const [strongest] = [...points].toSorted(([a, one], [b, other]) => other - one || a - b)
  if (strongest === undefined) return undefined
  const [owner, most] = strongest
  const title = LEVELS.find((level) => most >= level.points)?.title ?? 'Very weak'
  return { title, legacy: Math.min(1, Math.round((100 * most) / FULL_POINTS) / 100), owner }
}

function pointsOf({ kind, at }: Touch, now: Micros): number {
  if (at > now) return 0
  const points = WINDOWS.find(({ days }) => now - at < days * DAY)?.points ?? 0
  return WRITTEN.has(kind) ? points : EMAILS_PER_MEETING * points
}

/** When the points of the touches change next, but not before a day has passed; undefined when they do not. */
export function nextChangeOfStrength(touches: readonly Touch[], now: Micros): Micros | undefined {
  const changes = touches.flatMap(({ at }) => WINDOWS.map(({ days }) => at + days * DAY)).filter((at) => at > now)
  return changes.length === 0
    ? undefined
    : Math.max(
        changes.reduce((first, at) => Math.min(first, at)),
        now + DAY,
      )
}
