/** Time zones of meetings and of their lists. See docs/reference/meetings.md (Start and end, Lists of meetings). */

import { findTimezone } from '#base/timing/time-zones'
import type { Millis } from './meeting'

const UTC = 'UTC'
/** The canonical name of a time zone; UTC for a text that names none. */
export const timezoneOf = (name: string): string => findTimezone(name) ?? UTC

export const inZone = (instant: Millis, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timezone)

/** The instant at which a clock of the zone shows a time, which is given as if it were UTC. A skipped time is as late after the change of the clocks. */
export const instantOfLocalTime = (local: Millis, timezone: string): Millis =>
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
