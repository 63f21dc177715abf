/**
 * Classes of meetings by how long they last. A list of meetings that end from an instant on reads each class from that
 * instant minus its longest duration, so that it reads few meetings that have ended. Decision 0090.
 */

import type { Millis } from './meeting'

const DAY_MS = 86_400_000

/** Meetings last at most 9,999 years, which is less than 16 to the power of 6 days. */
export const DURATION_CLASSES = [0, 1, 2, 3, 4, 5, 6] as const

/** The longest duration of a class. */
export const longestDuration = (durationClass: number): Millis => 16 ** durationClass * DAY_MS

/** The first class whose longest duration is not exceeded. */
export const durationClassOf = (startsAt: Millis, endsAt: Millis): number =>
  DURATION_CLASSES.find((each) => endsAt - startsAt <= longestDuration(each)) ?? DURATION_CLASSES.length - 1
