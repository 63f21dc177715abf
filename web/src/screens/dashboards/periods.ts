/** The names of the periods of charts. */

import type { PeriodUnit } from '#vocabulary/relative-periods'
import { LOCALE } from '../../language'

export const STEP_NAMES: Readonly<Record<PeriodUnit, string>> = {
  day: 'day',
  week: 'week',
  month: 'month',
  quarter: 'quarter',
  year: 'year',
}

const days = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
const months = new Intl.DateTimeFormat(LOCALE, { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** The name of the period that begins on a day: "12 Jan 2026", "Week of 12 Jan 2026", "Jan 2026", "Q1 2026", "2026". */
export function periodName(step: PeriodUnit, day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return day
  switch (step) {
    case 'day':
      return days.format(date)
    case 'week':
      return `Week of ${days.format(date)}`
    case 'month':
      return months.format(date)
    case 'quarter':
      return `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${date.getUTCFullYear()}`
    case 'year':
      return String(date.getUTCFullYear())
  }
}
