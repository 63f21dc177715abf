/** Compares the forms of an event in calendar files with the form that was last imported. */

import type { EventRevision as FileRevision } from '../../../calendar-files/event-revision'
import type { Micros } from '../../../timing/clock'
import type { Millis } from '../meeting'

export interface EventRevision {
  readonly sequence: number
  readonly changedAt: Millis
}

/** An event without a time of its change is as new as its import, and no event is newer. */
export function revisionAt({ sequence, changedAt }: FileRevision, now: Micros): EventRevision {
  const importedAt = Math.floor(now / 1000)
  return { sequence, changedAt: Math.min(changedAt ?? importedAt, importedAt) }
}

export const isNewer = (revision: EventRevision, than: EventRevision): boolean =>
  revision.sequence === than.sequence ? revision.changedAt > than.changedAt : revision.sequence > than.sequence
