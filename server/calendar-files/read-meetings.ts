/**
 * Reads the meetings of an iCalendar file. The file is read twice: first for the events that replace one occurrence of a
 * recurring event, because they may stand after it. Memory grows only with the number of these and of time zones.
 */

import type { RowProblem } from '../import/problems/row-problem'
import {
  type Calendar,
  type EventMeeting,
  meetingsOf,
  type MeetingOptions,
  type ParsedEvent,
  parseEvent,
  withProperty,
} from './parse-event'
import { type CalendarComponent, readComponents } from './read-components'
import { RecurrenceError, type Window } from './occurrences'

export interface CalendarFile {
  /** Opens the file at its beginning. */
  readonly lines: () => AsyncIterable<readonly Uint8Array[]>
  readonly window: Window
  /** The address of the member whose calendar it is. */
  readonly memberAddress: string
}

/** The meetings of one event, or why it has none. */
export interface ReadEvent {
  readonly line: number
  readonly meetings: readonly EventMeeting[]
  readonly problem?: Omit<RowProblem, 'line'>
}

/** Files with more time zones or more text of them are not read further for time zones. */
const MAX_TIMEZONES = 200

export async function* readMeetings(file: CalendarFile): AsyncGenerator<ReadEvent> {
  const replaced = new Set<string>()
  for await (const { parsed } of readEvents(file))
    if (parsed?.replaces !== undefined) replaced.add(keyOf(parsed.uid, parsed.replaces))
  for await (const { component, calendar, parsed } of readEvents(file)) {
    const isReplaced = (uid: string, identity: string) => replaced.has(keyOf(uid, identity))
    const { window, memberAddress } = file
    yield readEvent(component, parsed, { calendar, window, isReplaced, memberAddress })
  }
}

const keyOf = (uid: string, identity: string): string => `${identity} ${uid}`

interface EventOfFile {
  readonly component: CalendarComponent
  /** What stood before the event. */
  readonly calendar: Calendar
  readonly parsed: ParsedEvent | undefined
}

async function* readEvents({ lines }: CalendarFile): AsyncGenerator<EventOfFile> {
  let calendar: Calendar = { timezones: [], zone: undefined, provider: 'google' }
  for await (const part of readComponents(lines())) {
    if (part.kind === 'property') calendar = withProperty(calendar, part.text)
    else if (part.kind === 'VEVENT') yield { component: part, calendar, parsed: parseOrSkip(part, calendar) }
    else if (part.text !== undefined && calendar.timezones.length < MAX_TIMEZONES)
      calendar = { ...calendar, timezones: [...calendar.timezones, part.text] }
  }
}

/** Undefined for an event that the parser refuses. */
function parseOrSkip({ text }: CalendarComponent, calendar: Calendar): ParsedEvent | undefined {
  if (text === undefined) return undefined
  try {
    return parseEvent(text, calendar)
  } catch {
    return undefined // ical.js throws errors of several classes
  }
}

function readEvent(
  { line, text }: CalendarComponent,
  parsed: ParsedEvent | undefined,
  options: MeetingOptions,
): ReadEvent {
  if (text === undefined) return skipped(line, 'It is larger than 256 KiB.')
  if (parsed === undefined) return skipped(line, 'It cannot be parsed.')
  if (parsed.uid === '') return skipped(line, 'It has no UID.')
  if (parsed.isCancelled) return skipped(line, 'It was cancelled.')
  try {
    return { line, meetings: meetingsOf(parsed, options) }
  } catch (error) {
    return skipped(line, error instanceof RecurrenceError ? error.message : 'Its times cannot be parsed.')
  }
}

const skipped = (line: number, reason: string): ReadEvent => ({
  line,
  meetings: [],
  problem: { outcome: 'skipped', column: '', value: '', reason },
})
