/** The target time of a status: a duration in ISO 8601 (`target_time_in_status`). */

import { LOCALE } from '../language'

const DURATION = /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The time by which the duration ends at `now`, in milliseconds; NaN for what is no duration. Months and years are those of the calendar, in UTC. */
export function timeBefore(now: number, duration: string): number {
  const parts = DURATION.exec(duration)
  if (parts === null) return Number.NaN
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part: string | undefined) => Number((part ?? '0').replace(',', '.')))
  const date = new Date(now)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() - months - 12 * years)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime() - (weeks * 7 + days) * DAY_MS - hours * HOUR_MS - minutes * 60_000 - seconds * 1000
}

interface DatedStatus {
  readonly active_from: string
  readonly active_until?: string | null
  readonly status?: unknown
}

/** For how many milliseconds a status has lasted beyond its target time; 0 within it, without one, and for a status that ended. */
export function overTargetMs({ active_from, active_until = null, status }: DatedStatus, now: number): number {
  const target =
    typeof status === 'object' && status !== null && 'target_time_in_status' in status
      ? status.target_time_in_status
      : null
  if (typeof target !== 'string' || active_until !== null) return 0
  const over = timeBefore(now, target) - Date.parse(active_from)
  return over > 0 ? over : 0
}

/** A duration in its largest unit: "12 min", "3.5 hours", "20 days". */
export function durationText(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['second', 1] as const)
  const format = new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: seconds / size < 10 ? 1 : 0,
  })
  return format.format(seconds / size)
}

const UNITS = [
  ['day', DAY_MS / 1000],
  ['hour', HOUR_MS / 1000],
  ['minute', 60],
] as const
