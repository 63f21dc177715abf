/**
 * Imports the events of an iCalendar file as meetings. Importing an event again changes nothing. See docs/import.md (Meetings).
 */

import { type EventMeeting } from '../../calendar-files/parse-event'
import { readMeetings } from '../../calendar-files/read-meetings'
import type { RequestContext } from '../../context'
import { ApiError } from '../../errors/api-error'
import type { RowProblem } from '../../import/problems/row-problem'
import { timestampFromMicros } from '../../timing/clock'
import { createMeeting } from './create'

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
  /** Meetings, like the next one. */
  readonly created: number
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
  const startedAt = context().now()
  const nowMs = startedAt / 1000
  const window = { from: nowMs - PAST_MS, until: nowMs + FUTURE_MS }
  const counts = { read: 0, created: 0, unchanged: 0, skipped: 0 }
  for await (const { line, meetings, problem } of readMeetings({ lines, window, memberAddress })) {
    counts.read++
    if (problem !== undefined) {
      counts.skipped++
      await onProblem({ line, ...problem })
    }
    for (const meeting of meetings) {
      const outcome = await createOrFind(context(), meeting, timestampFromMicros(startedAt))
      if (outcome === 'created' || outcome === 'unchanged') counts[outcome]++
      else {
        counts.skipped++
        await onProblem({ line, outcome: 'skipped', column: '', value: meeting.title, reason: outcome.reason })
      }
    }
    onProgress({ ...counts })
  }
  return counts
}

async function createOrFind(
  context: RequestContext,
  meeting: EventMeeting,
  startedAt: string,
): Promise<'created' | 'unchanged' | { readonly reason: string }> {
  try {
    const { data } = await createMeeting(context, meeting)
    return data.created_at >= startedAt ? 'created' : 'unchanged'
  } catch (error) {
    if (error instanceof ApiError) return { reason: error.message }
    throw error
  }
}
