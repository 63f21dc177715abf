/** Periods of days, weeks, months, quarters and years: all of a range, and their names. */

import type { PeriodUnit } from '#vocabulary/relative-periods'
import { LOCALE } from '../../language'

/** More periods are not drawn. */
const MAX_PERIODS = 1000

/** The first days of all periods from the one that begins on `first` to the one that begins on `last`, in `YYYY-MM-DD`. */
export function periodsBetween(step: PeriodUnit, first: string, last: string): readonly string[] {
  const days: string[] = []
  for (let day = first; day <= last && days.length < MAX_PERIODS; day = nextPeriod(step, day)) days.push(day)
  return days
}

function nextPeriod(step: PeriodUnit, day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (step === 'day' || step === 'week') date.setUTCDate(date.getUTCDate() + (step === 'day' ? 1 : 7))
  else date.setUTCMonth(date.getUTCMonth() + { month: 1, quarter: 3, year: 12 }[step])
  return date.toISOString().slice(0, 10)
}

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
