/**
 * Imports the events of an iCalendar file as meetings. An event that was imported before changes its meetings if it is newer.
 * See docs/import.md (Meetings).
 */

import { readCalendarMeetings } from './read-meetings'
import type { RequestContext } from '#context'
import type { RowProblem } from '#transfer/import/row-outcomes'
import { importEvent } from './import-event'

export interface CalendarImport {
  /** Makes the context of a write, with the newest data model. */
  readonly context: () => RequestContext
  /** Opens the file at its beginning. */
  readonly lines: () => AsyncIterable<readonly Uint8Array[]>
  /** The address of the member whose calendar it is. */
  readonly memberAddress: string
}

export interface CalendarCounts {
  /** The number of events that were read. */
  readonly read: number
  /** Meetings, like the next ones. */
  readonly created: number
  readonly updated: number
  readonly deleted: number
  readonly unchanged: number
  readonly skipped: number
}

export interface CalendarListener {
  /** Called after each event. */
  onProgress(counts: CalendarCounts): void
  onProblem(problem: RowProblem): void | Promise<void>
}

const DAY_MS = 86_400_000
/** Occurrences of recurring events are imported from this long ago until this far ahead. */
const PAST_MS = 2 * 365 * DAY_MS
const FUTURE_MS = 365 * DAY_MS

/** Throws `ImportError` for a file in another format. */
export async function importCalendar(
  { context, lines, memberAddress }: CalendarImport,
  { onProgress, onProblem }: CalendarListener,
): Promise<CalendarCounts> {
  const nowMs = context().now() / 1000
  const window = { from: nowMs - PAST_MS, until: nowMs + FUTURE_MS }
  const counts = { read: 0, created: 0, updated: 0, deleted: 0, unchanged: 0, skipped: 0 }
  for await (const { line, meetings, identity, problem } of readCalendarMeetings({ lines, window, memberAddress })) {
    counts.read++
    const skip = async (value: string, reason: string) => {
      counts.skipped++
      await onProblem({ line, outcome: 'skipped', column: '', value, reason })
    }
    if (problem !== undefined) await skip(problem.value, problem.reason)
    if (identity !== undefined)
      await importEvent(
        { context, identity, meetings, windowStart: window.from },
        { onOutcome: (outcome) => counts[outcome]++, onProblem: ({ title, reason }) => skip(title, reason) },
      )
    onProgress({ ...counts })
  }
  return counts
}
