/** Parses and renders the start and the end of a meeting. See docs/reference/meetings.md (Start and end). */

import { parseDate, parseInstant } from '#engine/attribute-types/formats/instants'
import { InvalidValue, type ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { microsFromPostgres } from '#base/timing/clock'
import type { MeetingTimes, Millis } from './meeting'
import type { MeetingTimeInput, MeetingTimeOutput } from './meeting-input'
import { findTimezone } from '#base/timing/time-zones'

interface TimesInput {
  readonly is_all_day: boolean
  readonly start: MeetingTimeInput
  readonly end: MeetingTimeInput
}

/** Throws 400 for times that do not fit `is_all_day`, that do not exist, and for an end that is not after the start. */
export function parseTimes({ is_all_day, start, end }: TimesInput): MeetingTimes {
  const parse = is_all_day ? parseWholeDay : parseTime
  const from = parse(start, ['data', 'start'])
  const until = parse(end, ['data', 'end'])
  if (until.at <= from.at) throw invalid(['data', 'end'], 'The end must be after the start')
  return {
    isAllDay: is_all_day,
    startsAt: from.at,
    endsAt: until.at,
    startTimezone: from.timezone,
    endTimezone: until.timezone,
  }
}

interface ParsedTime {
  readonly at: Millis
  readonly timezone: string | null
}

const ONLY_DATE = /^\d{4}-\d\d-\d\d$/

function parseWholeDay({ date, datetime }: MeetingTimeInput, path: string[]): ParsedTime {
  if (date === undefined || datetime !== undefined) throw invalid(path, 'An all-day meeting has a date')
  if (!ONLY_DATE.test(date)) throw invalid([...path, 'date'], 'Invalid date; expected the form 2026-01-31')
  const text = asBody(() => parseDate(date, [...path, 'date']))
  return { at: Date.parse(`${text}T00:00:00Z`), timezone: null }
}

/** A time without an offset is read in the time zone; an offset takes precedence over the time zone. */
function parseTime({ date, datetime, timezone: name }: MeetingTimeInput, path: string[]): ParsedTime {
  if (datetime === undefined || date !== undefined) throw invalid(path, 'A meeting that is not all-day has a datetime')
  const at = [...path, 'datetime']
  const timezone = name === undefined || name === null ? null : timezoneOf(name)
  const written = Math.floor(microsFromPostgres(asBody(() => parseInstant(datetime, at)).value) / 1000)
  const instant = timezone === null || hasOffset(datetime) ? written : instantOfLocalTime(written, timezone)
  if (!isInFourDigitYear(instant, timezone ?? 'UTC') || !isInFourDigitYear(instant, 'UTC'))
    throw invalid(at, 'Invalid timestamp')
  return { at: instant, timezone }
}

/** Where the time of day begins. */
const TIME_AT = 10

/** Whether a timestamp ends with `Z` or an offset. */
const hasOffset = (timestamp: string): boolean => /[z+-]/i.test(timestamp.trim().slice(TIME_AT))

function isInFourDigitYear(instant: Millis, timezone: string): boolean {
  const { year } = inZone(instant, timezone)
  return year >= 1 && year <= 9999
}

/** Throws 400 for what `parse` refuses. */
function asBody<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidBody(error.issues)
    throw error
  }
}

const invalid = (path: ValidationIssue['path'], message: string) => invalidBody([{ code: 'invalid', path, message }])

export const renderStart = ({ isAllDay, startsAt, startTimezone }: MeetingTimes): MeetingTimeOutput =>
  renderTime(isAllDay, startsAt, startTimezone)

export const renderEnd = ({ isAllDay, endsAt, endTimezone }: MeetingTimes): MeetingTimeOutput =>
  renderTime(isAllDay, endsAt, endTimezone)

const MINUTE_NS = 60_000_000_000

function renderTime(isAllDay: boolean, at: Millis, timezone: string | null): MeetingTimeOutput {
  const utc = new Date(at).toISOString()
  if (isAllDay) return { date: utc.slice(0, TIME_AT) }
  if (timezone === null) return { datetime: utc, timezone }
  const zoned = inZone(at, timezone)
  // Offsets before standard time have seconds, which a timestamp cannot show.
  if (zoned.offsetNanoseconds % MINUTE_NS !== 0) return { datetime: utc, timezone }
  return { datetime: zoned.toString({ fractionalSecondDigits: 3, timeZoneName: 'never' }), timezone }
}

/** Time zones of meetings and of their lists. See docs/reference/meetings.md (Start and end, Lists of meetings). */
const UTC = 'UTC'
/** The canonical name of a time zone; UTC for a text that names none. */
export const timezoneOf = (name: string): string => findTimezone(name) ?? UTC

const inZone = (instant: Millis, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone)

/** The instant at which a clock of the zone shows a time, which is given as if it were UTC. A skipped time is as late after the change of the clocks. */
const instantOfLocalTime = (local: Millis, timezone: string): Millis =>
  inZone(local, UTC).toPlainDateTime().toZonedDateTime(timezone).epochMilliseconds

/** The first instant in the zone of a date, which is given as its beginning in UTC. */
export const beginningOfDate = (date: Millis, timezone: string): Millis =>
  inZone(date, UTC).toPlainDate().toZonedDateTime(timezone).epochMilliseconds

/** The beginning of the year 10000 in UTC is no date of a meeting. */
const LAST_DATE = Date.parse('9999-12-31T00:00:00Z')

/** The first date that begins in the zone at the instant or after it, as its beginning in UTC. */
export function firstDateFrom(instant: Millis, timezone: string): Millis {
  const beginning = inZone(instant, timezone).startOfDay()
  const date = beginning.toPlainDate().add({ days: beginning.epochMilliseconds === instant ? 0 : 1 })
  return Math.min(date.toZonedDateTime(UTC).epochMilliseconds, LAST_DATE)
}

/**
 * Classes of meetings by how long they last. A list of meetings that end from an instant on reads each class from that
 * instant minus its longest duration, so that it reads few meetings that have ended. See docs/decisions/meetings-and-emails.md.
 */
const DAY_MS = 86_400_000

/** Meetings last at most 9,999 years, which is less than 16 to the power of 6 days. */
export const DURATION_CLASSES = [0, 1, 2, 3, 4, 5, 6] as const

/** The longest duration of a class. */
export const longestDuration = (durationClass: number): Millis => 16 ** durationClass * DAY_MS

/** The first class whose longest duration is not exceeded. */
export const durationClassOf = (startsAt: Millis, endsAt: Millis): number =>
  DURATION_CLASSES.find((each) => endsAt - startsAt <= longestDuration(each)) ?? DURATION_CLASSES.length - 1
