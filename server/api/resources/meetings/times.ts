/** Parses and renders the start and the end of a meeting. See docs/reference/meetings.md (Start and end). */

import { parseDate, parseInstant } from '#engine/attribute-types/formats/instants'
import { InvalidValue, type ValidationIssue } from '#base/errors/api-error'
import { invalidBody } from '#base/errors/http'
import { microsFromPostgres } from '#base/timing/clock'
import type { MeetingTimes, Millis } from './meeting'
import type { MeetingTimeInput, MeetingTimeOutput } from './schemas'
import { instantOfLocalTime, inZone, timezoneOf } from './time-zones'

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
