/** Places in the feed. Clients are to take cursors as they are; there is nothing secret in them. */

import { invalidQuery } from '../../errors/http'
import type { Micros } from '../../timing/clock'

export interface Place {
  /** Everything up to here has been seen. */
  readonly position: string
  /** A time by which all of that had been published, and nothing that comes after it long before. */
  readonly at: Micros
}

/** Before everything that is kept. */
export const BEGINNING: Place = { position: '0', at: 0 }

export const cursorOf = ({ position, at }: Place): string => `${position}.${at}`

const CURSOR = /^(\d{1,18})\.(\d{1,16})$/

export function parseCursor(text: string): Place {
  const [, position, at] = CURSOR.exec(text) ?? []
  if (position === undefined || at === undefined)
    throw invalidQuery([{ code: 'invalid', path: ['cursor'], message: 'Not a cursor of this feed' }])
  return { position, at: Number(at) }
}
