/** The time that a request gives for something it creates. */

import { microsOf } from './instants'
import { InvalidValue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import type { Micros } from '#base/timing/clock'

/** Reads `data.created_at`; without it, the creation is now. Throws 400 for a time before 1970 or in the future. */
export function readCreationTime(text: string | undefined, now: Micros): Micros {
  const micros = text === undefined ? now : parseTime(text)
  if (micros !== undefined && micros >= 0 && micros <= now) return micros
  const message = 'Expected a timestamp from 1970 to now'
  throw invalidBody([{ code: 'invalid', path: ['data', 'created_at'], message }])
}

function parseTime(text: string): Micros | undefined {
  try {
    return microsOf(text)
  } catch (error) {
    if (error instanceof InvalidValue) return undefined
    throw error
  }
}
