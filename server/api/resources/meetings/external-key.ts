/** The key by which a creation finds an earlier one. See docs/reference/meetings.md (Find or create). */

import { parseInstant } from '#engine/attribute-types/formats/instants'
import { InvalidValue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { sha256 } from '#base/text/sha256'
import type { MeetingTimes } from './meeting'
import type { ExternalRef } from './schemas'

/**
 * An occurrence of a recurring meeting is identified by its original start, which is its start if none is given. Throws 400
 * for an original start that is no timestamp.
 */
export function externalKeyOf(ref: ExternalRef, times: MeetingTimes): string {
  if (typeof ref === 'string') return sha256(JSON.stringify(['text', ref]))
  const { ical_uid, is_recurring, original_start_time } = ref
  if (!is_recurring) return sha256(JSON.stringify(['ical', ical_uid]))
  const start = original_start_time ?? new Date(times.startsAt).toISOString()
  return sha256(JSON.stringify(['ical', ical_uid, parseOriginalStart(start)]))
}

function parseOriginalStart(text: string): string {
  try {
    return parseInstant(text, ['data', 'external_ref', 'original_start_time']).value
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidBody(error.issues)
    throw error
  }
}
