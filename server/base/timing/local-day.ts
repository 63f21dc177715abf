/** The calendar day of a time zone. */

import type { Micros } from './clock'

export interface DayRange {
  /** The first instant of the day. */
  readonly from: Micros
  /** The first instant of the next day. */
  readonly until: Micros
}

const DAY_MS = 24 * 3_600_000

/** IANA names are shorter. */
const MAX_NAME = 64

/** The day that contains an instant. Undefined when the time zone is unknown. */
export function localDayOf(timeZone: string, now: Micros): DayRange | undefined {
  const zone = zoneOf(timeZone)
  if (zone === undefined) return undefined
  const day = Math.floor(zone.localMs(now / 1000) / DAY_MS) * DAY_MS
  return { from: zone.utcMs(day) * 1000, until: zone.utcMs(day + DAY_MS) * 1000 }
}

interface Zone {
  /** The local time at an instant, as milliseconds since 1970 if it were in UTC. */
  readonly localMs: (utcMs: number) => number
  /** The instant at which the zone has a local time; where it is skipped, one near it. */
  readonly utcMs: (localMs: number) => number
}

function zoneOf(timeZone: string): Zone | undefined {
  const format = timeZone.length > MAX_NAME ? undefined : formatFor(timeZone)
  if (format === undefined) return undefined
  const localMs = (utcMs: number): number => {
    const parts = new Map(format.formatToParts(utcMs).map(({ type, value }) => [type, Number(value)]))
    const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    return Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'))
  }
  const offsetAt = (utcMs: number) => localMs(utcMs) - Math.floor(utcMs / 1000) * 1000
  return {
    localMs,
    // The offset at the first guess may be that of the other side of a change of the clocks.
    utcMs: (local) => local - offsetAt(local - offsetAt(local)),
  }
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch {
    return undefined // RangeError for an unknown name
  }
}
