/** Cursors of the feed. They contain no secrets, and clients must not rely on their form. */

import { invalidQuery } from '#base/errors/http'
import type { Micros } from '#base/timing/clock'

export interface FeedPlace {
  /** The reader has read all events up to this position. */
  readonly position: string
  /** All events up to `position` were published by this time, and no later event long before it. */
  readonly at: Micros
}

/** The beginning of the feed. */
export const FEED_START: FeedPlace = { position: '0', at: 0 }

export const cursorOf = ({ position, at }: FeedPlace): string => `${position}.${at}`

const CURSOR = /^(\d{1,18})\.(\d{1,16})$/

/** The inverse of `cursorOf`. Throws 400 for any other text. */
export function parseCursor(text: string): FeedPlace {
  const [, position, at] = CURSOR.exec(text) ?? []
  if (position === undefined || at === undefined)
    throw invalidQuery([{ code: 'invalid', path: ['cursor'], message: 'Not a cursor of this feed' }])
  return { position, at: Number(at) }
}
