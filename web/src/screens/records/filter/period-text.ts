/** Periods in words, after “is”: "in the last 30 days". */

import type { PeriodUnit, RelativePeriod } from '#vocabulary/relative-periods'

export function periodText(period: RelativePeriod): string {
  if (period.kind === 'overdue') return 'overdue'
  if (period.kind === 'whole') return period.unit === 'day' ? DAYS[period.which] : `${period.which} ${period.unit}`
  const span = `${period.count} ${unitText(period.unit, period.count)}`
  return COUNTED[period.which].replace('…', span)
}

const DAYS = { last: 'yesterday', this: 'today', next: 'tomorrow' } as const

/** What stands around the number of units. */
export const COUNTED = {
  last: 'in the last …',
  next: 'in the next …',
  before: 'more than … ago',
  after: 'in more than …',
} as const

export const unitText = (unit: PeriodUnit, count: number): string => (count === 1 ? unit : `${unit}s`)
