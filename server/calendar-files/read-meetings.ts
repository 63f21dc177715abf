/**
 * Reads the meetings of an iCalendar file. The file is read twice: first for the events that replace one occurrence of a
 * recurring event, because they may stand after it. Memory grows only with the number of these and of time zones.
 */

import type { RowProblem } from '../import/problems/row-problem'
import type { EventRevision } from './event-revision'
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

/** What identifies an event and its occurrences. */
export interface EventIdentity {
  readonly uid: string
  /** The identity of the occurrence that the event replaces; undefined for an event that stands for all of its occurrences. */
  readonly replaces: string | undefined
  /** The occurrences that other events of the file replace. */
  readonly replaced: ReadonlySet<string>
  readonly revision: EventRevision
  readonly isCancelled: boolean
}

/** The meetings of one event, or why it has none. */
export interface ReadEvent {
  readonly line: number
  /** Also those of a cancelled event. */
  readonly meetings: readonly EventMeeting[]
  /** Undefined for an event that could not be read. */
  readonly identity?: EventIdentity
  readonly problem?: Omit<RowProblem, 'line'>
}

/** Files with more time zones or more text of them are not read further for time zones. */
const MAX_TIMEZONES = 200

export async function* readMeetings(file: CalendarFile): AsyncGenerator<ReadEvent> {
  const replacedOf = new Map<string, Set<string>>()
  for await (const { parsed } of readEvents(file)) {
    if (parsed?.replaces === undefined) continue
    const identities = replacedOf.get(parsed.uid) ?? new Set()
    replacedOf.set(parsed.uid, identities.add(parsed.replaces))
  }
  for await (const { component, calendar, parsed } of readEvents(file)) {
    const { window, memberAddress } = file
    const replaced = replacedOf.get(parsed?.uid ?? '') ?? NONE
    yield readEvent(component, parsed, { calendar, window, replaced, memberAddress })
  }
}

const NONE: ReadonlySet<string> = new Set()

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
  const { uid, replaces, revision, isCancelled } = parsed
  const identity = { uid, replaces, replaced: options.replaced, revision, isCancelled }
  try {
    return { line, meetings: meetingsOf(parsed, options), identity }
  } catch (error) {
    if (isCancelled) return { line, meetings: [], identity }
    return skipped(line, error instanceof RecurrenceError ? error.message : 'Its times cannot be parsed.')
  }
}

const skipped = (line: number, reason: string): ReadEvent => ({
  line,
  meetings: [],
  problem: { outcome: 'skipped', column: '', value: '', reason },
})
