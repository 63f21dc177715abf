import type { Micros } from './clock'

/** IANA names are shorter. */
const MAX_NAME = 64
/** `Temporal` also takes offsets and whole timestamps for names. */
const NAME = /^[a-z][a-z0-9_+/-]*$/i

/** Returns the canonical name of an IANA time zone; undefined for a text that names none. */
export function findTimezone(name: string): string | undefined {
  if (name.length > MAX_NAME || !NAME.test(name)) return undefined
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId
  } catch {
    return undefined // RangeError for an unknown name
  }
}

export interface DayRange {
  /** The first instant of the day. */
  readonly from: Micros
  /** The first instant of the next day. */
  readonly until: Micros
}

/** The calendar day of a time zone that contains an instant. Undefined when the time zone is unknown. */
export function localDayOf(timeZone: string, now: Micros): DayRange | undefined {
  const zone = findTimezone(timeZone)
  if (zone === undefined) return undefined
  const day = Temporal.Instant.fromEpochMilliseconds(Math.floor(now / 1000))
    .toZonedDateTimeISO(zone)
    .startOfDay()
  return { from: day.epochMilliseconds * 1000, until: day.add({ days: 1 }).startOfDay().epochMilliseconds * 1000 }
}
