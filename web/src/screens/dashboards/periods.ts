/** The names of the periods of charts. */

import { periodText } from '#vocabulary/chart-groups'
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

/** The name of the period that begins on a day. */
export const periodName = (step: PeriodUnit, day: string): string =>
  periodText(step, day, {
    dayText: days.format,
    weekText: (first) => `Week of ${first}`,
    monthText: months.format,
  })
