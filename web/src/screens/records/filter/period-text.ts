/** Periods in words, after “is”: "in the last 30 days". */

import type { PeriodUnit, RelativePeriod } from '#vocabulary/relative-periods'

export function periodText(period: RelativePeriod): string {
  if (period.kind === 'overdue') return 'overdue'
  if (period.kind === 'whole') return WHOLE[period.unit][period.which]
  const span = `${period.count} ${unitText(period.unit, period.count)}`
  return COUNTED[period.which].replace('…', span)
}

const WHOLE = {
  day: { last: 'yesterday', this: 'today', next: 'tomorrow' },
  week: { last: 'last week', this: 'this week', next: 'next week' },
  month: { last: 'last month', this: 'this month', next: 'next month' },
  quarter: { last: 'last quarter', this: 'this quarter', next: 'next quarter' },
  year: { last: 'last year', this: 'this year', next: 'next year' },
} as const

/** What stands around the number of units. */
export const COUNTED = {
  last: 'in the last …',
  next: 'in the next …',
  before: 'more than … ago',
  after: 'in more than …',
} as const

const UNITS: Readonly<Record<PeriodUnit, readonly [one: string, many: string]>> = {
  day: ['day', 'days'],
  week: ['week', 'weeks'],
  month: ['month', 'months'],
  quarter: ['quarter', 'quarters'],
  year: ['year', 'years'],
}

export const unitText = (unit: PeriodUnit, count: number): string => UNITS[unit][count === 1 ? 0 : 1]
