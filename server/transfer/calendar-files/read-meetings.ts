/**
 * Reads the meetings of an iCalendar file. The file is read twice: first for the events that replace one occurrence of a
 * recurring event, because they may stand after it. Memory grows only with the number of these and of time zones.
 */

import type { RowProblem } from '#transfer/import/row-outcomes'
import { inSlices, isSliceOver, nextTurn } from '#base/timing/in-slices'
import {
  type Calendar,
  type EventMeeting,
  type EventRevision,
  type MeetingOptions,
  meetingsOf,
  type ParsedEvent,
  parseEvent,
  withProperty,
} from './parse-event'
import { type CalendarComponent, readComponents } from './read-components'
import { RecurrenceError, type Window } from './occurrences'
import { CalendarTimezones } from './timezones'

export interface CalendarFile {
  /** Opens the file at its beginning. */
  readonly lines: () => AsyncIterable<readonly Uint8Array[]>
  readonly window: Window
  /** The address of the member whose calendar it is. */
  readonly memberAddress: string
  /** Whether a private event becomes a meeting of the member alone, without title and description. */
  readonly hidesPrivate?: boolean
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
  readonly isPrivate: boolean
}

/** The meetings of one event, or why it has none. */
export interface ReadEvent {
  readonly line: number
  /** Also those of a cancelled event. */
  readonly meetings: readonly EventMeeting[]
  /** The UID, also of an event that could not be read; undefined for one without. */
  readonly uid: string | undefined
  /** Undefined for an event that could not be read. */
  readonly identity?: EventIdentity
  readonly problem?: Omit<RowProblem, 'line'>
}

/** Of an event with more separate occurrences, the others are not left out of its own occurrences. */
const MAX_REPLACED = 5_000

export async function* readCalendarMeetings(file: CalendarFile): AsyncGenerator<ReadEvent> {
  const replacedOf = await readReplaced(file)
  for await (const { component, calendar } of readEvents(file)) {
    const { window, memberAddress, hidesPrivate = false } = file
    yield await readEvent(component, calendar, (uid) => {
      const replaced = replacedOf.get(uid) ?? NONE
      return { calendar, window, replaced, memberAddress, hidesPrivate }
    })
  }
}

const NONE: ReadonlySet<string> = new Set()

/** The occurrences that have an event of their own, by UID. */
async function readReplaced(file: CalendarFile): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const replacedOf = new Map<string, Set<string>>()
  for await (const { component, calendar } of readEvents(file)) {
    if (!component.properties.some((text) => REPLACES.test(text))) continue
    const properties = component.properties.filter((text) => IDENTIFIES.test(text))
    const parsed = await parseOrSkip({ ...component, properties }, calendar)
    if (parsed?.replaces === undefined) continue
    const identities = replacedOf.get(parsed.uid) ?? new Set()
    if (identities.size < MAX_REPLACED) replacedOf.set(parsed.uid, identities.add(parsed.replaces))
  }
  return replacedOf
}

const REPLACES = /^RECURRENCE-ID[;:]/i
const IDENTIFIES = /^(?:RECURRENCE-ID|UID)[;:]/i

interface EventOfFile {
  readonly component: CalendarComponent
  /** What stood before the event. */
  readonly calendar: Calendar
}

async function* readEvents({ lines }: CalendarFile): AsyncGenerator<EventOfFile> {
  let calendar: Calendar = { timezones: new CalendarTimezones(), zone: undefined, provider: 'google' }
  for await (const part of readComponents(lines())) {
    if (part.kind === 'property') calendar = withProperty(calendar, part.text)
    else if (part.kind === 'VEVENT') yield { component: part, calendar }
    else calendar.timezones.add(part)
    if (isSliceOver()) await nextTurn()
  }
}

/** Undefined for an event that the parser refuses. */
async function parseOrSkip(
  { properties, problem }: CalendarComponent,
  calendar: Calendar,
): Promise<ParsedEvent | undefined> {
  if (problem !== undefined) return undefined
  try {
    return await inSlices(parseEvent(properties, calendar))
  } catch {
    return undefined // ical.js throws errors of several classes
  }
}

async function readEvent(
  component: CalendarComponent,
  calendar: Calendar,
  optionsFor: (uid: string) => MeetingOptions,
): Promise<ReadEvent> {
  const { line, problem } = component
  if (problem !== undefined) return skipped(component, problem)
  const parsed = await parseOrSkip(component, calendar)
  if (parsed === undefined) return skipped(component, 'It cannot be parsed.')
  if (parsed.uid === '') return skipped(component, 'It has no UID.')
  const { uid, replaces, revision, isCancelled, isPrivate } = parsed
  const options = optionsFor(uid)
  const identity = { uid, replaces, replaced: options.replaced, revision, isCancelled, isPrivate }
  try {
    return { line, uid, meetings: await inSlices(meetingsOf(parsed, options)), identity }
  } catch (error) {
    if (isCancelled) return { line, uid, meetings: [], identity }
    const reason = error instanceof RecurrenceError ? error.message : 'Its times cannot be parsed.'
    return { ...skipped(component, reason), uid }
  }
}

const skipped = ({ line, properties }: CalendarComponent, reason: string): ReadEvent => ({
  line,
  uid: properties.flatMap((text) => UID.exec(text)?.[1] ?? [])[0],
  meetings: [],
  problem: { outcome: 'skipped', column: '', value: '', reason },
})

const UID = /^UID(?:;[^:]*)?:(.+)$/i
