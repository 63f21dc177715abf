/** An email or a meeting, as the interaction attributes need it. */

import type { Micros } from '#base/timing/clock'

export interface Touch {
  readonly id: string
  readonly kind: 'email' | 'calendar-event'
  /** When the email was sent, or the meeting starts. */
  readonly at: Micros
  /** The number of the actor of the member who took part; 0 for a meeting without a member. */
  readonly owner: number
}

/** By address or domain. Of each, the first touch, the newest ones, and the next one. */
export type TouchesByKey = ReadonlyMap<string, readonly Touch[]>
