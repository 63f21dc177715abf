/** Times of events: dates, times in UTC, in an IANA time zone, in a time zone of the file, and without a time zone. */

import ICAL from 'ical.js'
import { findTimezone } from '#base/timing/time-zones'

/** As meetings take it: a date, or a time with an offset or in a time zone. */
export interface EventTime {
  readonly date?: string
  readonly datetime?: string
  readonly timezone?: string
}

/** `zoneName` is the TZID of the property. A time without a time zone is in the time zone of the calendar, else in UTC. */
export function eventTime(time: ICAL.Time, zoneName: string | undefined, calendarZone: string | undefined): EventTime {
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
export function identityOf({ date, datetime, timezone }: EventTime): string {
  if (datetime === undefined) return date ?? ''
  if (timezone === undefined) return new Date(datetime).toISOString()
  return new Date(Temporal.PlainDateTime.from(datetime).toZonedDateTime(timezone).epochMilliseconds).toISOString()
}

const pad = (number: number, length = 2): string => String(number).padStart(length, '0')
