/** Instants as text in the locale and time zone of the browser. */

import { LOCALE } from '../../language'

const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const satisfies readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]

const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'long' })
const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' })

/** "3 hours ago", "yesterday", "just now". */
export function formatRelative(instant: string, now = Date.now()): string {
  const seconds = (new Date(instant).getTime() - now) / 1000
  const unit = UNITS.find(([, size]) => Math.abs(seconds) >= size)
  return unit === undefined ? 'just now' : relative.format(Math.round(seconds / unit[1]), unit[0])
}

/** Date and time to the second. */
export const formatExact = (instant: string): string => exact.format(new Date(instant))

/** The date without the time. */
export const formatDay = (instant: string): string => day.format(new Date(instant))
