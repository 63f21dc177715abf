/** Parses an event of an iCalendar file to the meetings that it stands for. See docs/import.md (Meetings). */
import ICAL from 'ical.js'
import { cleanLine } from '#base/text/csv-line'
import { findTimezone } from '#base/timing/time-zones'
import { BUSY } from '#crm/meetings/visibility'
import { readAddress } from '#engine/attribute-types/email-address'
import { expandOccurrences, isRecurring, type Window } from './occurrences'
import { CalendarTimezones } from './timezones'

const MAX_TITLE = 1_000
const MAX_DESCRIPTION = 10_000
const MAX_UID = 1_000

/** What the lines outside of events say. */
export interface Calendar {
  readonly timezones: CalendarTimezones
  /** An IANA time zone. */
  readonly zone: string | undefined
  readonly provider: 'google' | 'microsoft'
}

/** A meeting in the form in which the API creates it. */
export interface EventMeeting {
  readonly title: string
  readonly description: string
  readonly is_all_day: boolean
  readonly start: EventTime
  readonly end: EventTime
  readonly participants: Attendee[]
  readonly external_ref: {
    readonly ical_uid: string
    readonly provider: Calendar['provider']
    readonly is_recurring: boolean
    readonly original_start_time?: string
  }
}

export interface ParsedEvent {
  readonly uid: string
  /** The identity of the occurrence that the event replaces. */
  readonly replaces: string | undefined
  readonly isCancelled: boolean
  /** Whether others than its owner are to see only that the time is taken (`CLASS`). */
  readonly isPrivate: boolean
  readonly revision: EventRevision
  readonly component: ICAL.Component
}

/** Yields where the computation may pause, like `meetingsOf`. Throws for properties that cannot be parsed. */
export function* parseEvent(properties: readonly string[], { timezones }: Calendar): Generator<void, ParsedEvent> {
  const parsed: unknown[] = []
  for (const text of properties) {
    parsed.push(ICAL.parse.property(text))
    yield
  }
  const component = new ICAL.Component(['vevent', parsed, []], timezones)
  const uid = textOf(component, 'uid').slice(0, MAX_UID)
  const isCancelled = textOf(component, 'status').toUpperCase() === 'CANCELLED'
  const replaces = identityOfProperty(component, 'recurrence-id')
  const isPrivate = PRIVATE.test(textOf(component, 'class'))
  return { uid, replaces, isCancelled, isPrivate, revision: revisionOf(component), component }
}

const PRIVATE = /^(?:PRIVATE|CONFIDENTIAL)$/i

/** How the meetings of an event are made. */
export interface MeetingOptions {
  readonly calendar: Calendar
  readonly window: Window
  /** The identities of the occurrences that the file replaces with separate events (`RECURRENCE-ID`). */
  readonly replaced: ReadonlySet<string>
  readonly memberAddress: string
  /** Whether a private event becomes a meeting of the member alone, without title and description. */
  readonly hidesPrivate: boolean
}

/** One meeting, or one for each occurrence. Throws `RecurrenceError`. */
export function* meetingsOf(
  { uid, replaces, isPrivate, component }: ParsedEvent,
  options: MeetingOptions,
): Generator<void, EventMeeting[]> {
  const { calendar, window, replaced, memberAddress, hidesPrivate } = options
  const event = new ICAL.Event(component)
  const [start, zoneName] = [event.startDate, zoneOf(component, 'dtstart')]
  const duration = durationOf(event)
  const isHidden = hidesPrivate && isPrivate
  const shared = {
    title: isHidden ? BUSY : textOf(component, 'summary').slice(0, MAX_TITLE).toWellFormed(),
    description: isHidden ? '' : textOf(component, 'description').slice(0, MAX_DESCRIPTION).toWellFormed(),
    is_all_day: start.isDate,
    participants: isHidden ? [alone(memberAddress)] : yield* attendeesOf(component, memberAddress),
  }
  const identity = { ical_uid: uid, provider: calendar.provider }
  const meetingAt = (time: ICAL.Time): Pick<EventMeeting, 'start' | 'end'> => {
    const end = time.clone()
    end.addDuration(duration)
    return { start: eventTime(time, zoneName, calendar.zone), end: eventTime(end, zoneName, calendar.zone) }
  }
  if (replaces !== undefined || !isRecurring(component)) {
    const reference =
      replaces === undefined ? { is_recurring: false } : { is_recurring: true, original_start_time: replaces }
    return [{ ...shared, ...meetingAt(start), external_ref: { ...identity, ...reference } }]
  }
  const meetings: EventMeeting[] = []
  for (const time of yield* expandOccurrences(component, start, window)) {
    const times = meetingAt(time)
    const original_start_time = identityOf(times.start)
    if (!replaced.has(original_start_time))
      meetings.push({ ...shared, ...times, external_ref: { ...identity, is_recurring: true, original_start_time } })
    yield
  }
  return meetings
}

/** An event without an end lasts a day, or a minute. Throws for one of more than a hundred years: ical.js adds it in steps of a month. */
function durationOf(event: ICAL.Event): ICAL.Duration {
  const duration = event.duration
  if (duration.toSeconds() > MAX_SECONDS) throw new Error('The event is too long.')
  if (duration.toSeconds() > 0) return duration
  return ICAL.Duration.fromSeconds(event.startDate.isDate ? DAY_SECONDS : MINUTE_SECONDS)
}

const DAY_SECONDS = 86_400
const MAX_SECONDS = 36_600 * DAY_SECONDS
const MINUTE_SECONDS = 60

function identityOfProperty(component: ICAL.Component, name: string): string | undefined {
  const value = component.getFirstPropertyValue(name)
  return value instanceof ICAL.Time ? identityOf(eventTime(value, zoneOf(component, name), undefined)) : undefined
}

const zoneOf = (component: ICAL.Component, name: string): string | undefined =>
  component.getFirstProperty(name)?.getFirstParameter('tzid') ?? undefined

function textOf(component: ICAL.Component, name: string): string {
  const value = component.getFirstPropertyValue(name)
  return typeof value === 'string' ? value.replaceAll('\u0000', '').trim() : ''
}

/** Adds what a line outside of events says. */
export function withProperty(calendar: Calendar, text: string): Calendar {
  const [, name = '', value = ''] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/i.exec(text.slice(0, MAX_UID)) ?? []
  if (name.toUpperCase() === 'X-WR-TIMEZONE') return { ...calendar, zone: findTimezone(value) }
  if (name.toUpperCase() === 'PRODID')
    return { ...calendar, provider: /microsoft|outlook/i.test(value) ? 'microsoft' : 'google' }
  return calendar
}

/** A participant of an event. */
export interface Attendee {
  readonly email_address?: string
  readonly name?: string
  readonly is_organizer: boolean
  readonly status: 'accepted' | 'tentative' | 'declined' | 'pending'
}

const MAX_NAME = 500
/** A meeting has at most this many participants. */
const MAX_ATTENDEES = 500

const STATUSES: ReadonlyMap<string, Attendee['status']> = new Map([
  ['ACCEPTED', 'accepted'],
  ['TENTATIVE', 'tentative'],
  ['DECLINED', 'declined'],
])

/** The organizer first, each address once. Rooms and other resources are left out. The member takes part in an event without attendees. */
function* attendeesOf(component: ICAL.Component, memberAddress: string): Generator<void, Attendee[]> {
  const byKey = new Map<string, Attendee>()
  const add = (attendee: Attendee) => {
    const key = attendee.email_address ?? `name ${attendee.name}`
    const before = byKey.get(key)
    // The status of the organizer is that of the attendee.
    byKey.set(key, before === undefined ? attendee : { ...before, ...attendee, is_organizer: before.is_organizer })
  }
  for (const property of component.getAllProperties('organizer')) {
    attendeeOf(property, true).forEach(add)
    yield
  }
  for (const property of component.getAllProperties('attendee')) {
    if (!isResource(property)) attendeeOf(property, false).forEach(add)
    yield
  }
  if (byKey.size === 0) return [alone(memberAddress)]
  return [...byKey.values()].slice(0, MAX_ATTENDEES)
}

const alone = (memberAddress: string): Attendee => ({
  email_address: memberAddress,
  is_organizer: true,
  status: 'accepted',
})

function isResource(property: ICAL.Property): boolean {
  const type = property.getFirstParameter('cutype')?.toUpperCase()
  return type === 'RESOURCE' || type === 'ROOM'
}

function attendeeOf(property: ICAL.Property, isOrganizer: boolean): Attendee[] {
  const address = readAddress(String(property.getFirstValue()).replace(/^mailto:/i, ''))?.email_address
  const name = cleanLine(property.getFirstParameter('cn'), MAX_NAME)
  if (address === undefined && name === null) return []
  const participation = property.getFirstParameter('partstat')?.toUpperCase() ?? ''
  return [
    {
      ...(address === undefined ? {} : { email_address: address }),
      ...(name === null ? {} : { name }),
      is_organizer: isOrganizer,
      status: STATUSES.get(participation) ?? (isOrganizer ? 'accepted' : 'pending'),
    },
  ]
}

// Times of events: dates, times in UTC, in an IANA time zone, in a time zone of the file, and without a time zone.

/** As meetings take it: a date, or a time with an offset or in a time zone. */
interface EventTime {
  readonly date?: string
  readonly datetime?: string
  readonly timezone?: string
}

/** `zoneName` is the TZID of the property. A time without a time zone is in the time zone of the calendar, else in UTC. */
function eventTime(time: ICAL.Time, zoneName: string | undefined, calendarZone: string | undefined): EventTime {
  const { year, month, day, hour, minute, second, isDate } = time
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`
  if (isDate) return { date }
  const local = `${date}T${pad(hour)}:${pad(minute)}:${pad(second)}`
  if (time.zone === ICAL.Timezone.utcTimezone) return { datetime: `${local}Z` }
  const zone = zoneName === undefined ? undefined : findTimezone(zoneName)
  if (zone !== undefined) return { datetime: local, timezone: zone }
  if (time.zone !== ICAL.Timezone.localTimezone && time.zone !== null)
    return { datetime: new Date(time.toUnixTime() * 1000).toISOString() }
  return calendarZone === undefined ? { datetime: `${local}Z` } : { datetime: local, timezone: calendarZone }
}

/** The instant in UTC, or the date of an all-day event: the text that identifies an occurrence. */
function identityOf({ date, datetime, timezone }: EventTime): string {
  if (datetime === undefined) return date ?? ''
  if (timezone === undefined) return new Date(datetime).toISOString()
  return new Date(Temporal.PlainDateTime.from(datetime).toZonedDateTime(timezone).epochMilliseconds).toISOString()
}

const pad = (number: number, length = 2): string => String(number).padStart(length, '0')

/** Says which of two forms of an event is the newer one: RFC 5545, 3.8.7. */
export interface EventRevision {
  /** Rises when the organizer changes the times of the event; 0 without one. */
  readonly sequence: number
  /** `LAST-MODIFIED`, or else `DTSTAMP`, in milliseconds since 1970; undefined without both. */
  readonly changedAt: number | undefined
}

const MAX_SEQUENCE = 2 ** 31 - 1

function revisionOf(component: ICAL.Component): EventRevision {
  const sequence = Number(component.getFirstPropertyValue('sequence') ?? 0)
  return {
    sequence: Number.isInteger(sequence) ? Math.min(Math.max(sequence, 0), MAX_SEQUENCE) : 0,
    changedAt: timeOf(component, 'last-modified') ?? timeOf(component, 'dtstamp'),
  }
}

function timeOf(component: ICAL.Component, name: string): number | undefined {
  const value = component.getFirstPropertyValue(name)
  if (!(value instanceof ICAL.Time)) return undefined
  const at = value.toUnixTime() * 1000
  return Number.isSafeInteger(at) ? at : undefined
}
