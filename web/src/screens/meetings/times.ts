/** The times of meetings as text. The end of an all-day meeting is exclusive: the day after the last one. */

import type { Meeting, MeetingTime } from '../../api/meetings/meetings'
import { LOCALE } from '../../language'

const DAY_MS = 24 * 3_600_000

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The instant of a time; the date of an all-day meeting begins in the time zone of the browser. */
const instantOf = (time: MeetingTime): number =>
  'date' in time ? new Date(`${time.date}T00:00:00`).getTime() : new Date(time.datetime).getTime()

export const hasEnded = ({ end }: Meeting, now: number): boolean => instantOf(end) <= now

export const zoneOf = (time: MeetingTime): string | null => ('date' in time ? null : time.timezone)

/** "Nov 27, 2026, 2:00 – 3:00 PM" in a time zone, or the days of an all-day meeting. */
export function whenText({ start, end }: Pick<Meeting, 'start' | 'end'>, timeZone = browserZone()): string {
  if ('date' in start || 'date' in end) return daysText(start, end)
  const format = new Intl.DateTimeFormat(LOCALE, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  })
  return format.formatRange(new Date(start.datetime), new Date(end.datetime))
}

function daysText(start: MeetingTime, end: MeetingTime): string {
  const format = new Intl.DateTimeFormat(LOCALE, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return format.formatRange(dayOf(start), new Date(dayOf(end).getTime() - DAY_MS))
}

const dayOf = (time: MeetingTime): Date => new Date('date' in time ? `${time.date}T00:00:00Z` : time.datetime)

/** "America/New York". */
export const zoneLabel = (zone: string): string => zone.replaceAll('_', ' ')
