/** Compares the forms of an event in calendar files with the form that was last imported. */

import type { EventIdentity } from '#transfer/calendar-files/read-meetings'
import type { Micros } from '#base/timing/clock'
import type { Millis } from '#api/resources/meetings/meeting'

export interface StoredRevision {
  /** Whether it is an event of its own (`RECURRENCE-ID`) for one occurrence. */
  readonly isSeparate: boolean
  readonly sequence: number
  readonly changedAt: Millis
}

/** An event without a time of its change is as new as its import, and no event is newer. */
export function revisionAt({ replaces, revision }: EventIdentity, now: Micros): StoredRevision {
  const { sequence, changedAt } = revision
  const importedAt = Math.floor(now / 1000)
  return { isSeparate: replaces !== undefined, sequence, changedAt: Math.min(changedAt ?? importedAt, importedAt) }
}

/** A separate event of an occurrence counts its own sequence, so between it and the recurring event only the times decide. */
export function isNewer(revision: StoredRevision, than: StoredRevision): boolean {
  const isComparable = revision.isSeparate === than.isSeparate
  if (isComparable && revision.sequence !== than.sequence) return revision.sequence > than.sequence
  return revision.changedAt > than.changedAt
}
