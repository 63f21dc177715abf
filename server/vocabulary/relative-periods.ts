/** The names of periods that are relative to a day: `today`, `last_30_days`. See docs/reference/query.md (Relative conditions). */

export const PERIOD_UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type PeriodUnit = (typeof PERIOD_UNITS)[number]

export type RelativePeriod =
  /** Before today, or before now. */
  | { readonly kind: 'overdue' }
  /** A day, a week from Monday, a month, a quarter or a year of the calendar. */
  | { readonly kind: 'whole'; readonly which: 'last' | 'this' | 'next'; readonly unit: PeriodUnit }
  /** `last` ends with today, and `next` begins with it. `before` and `after` are the time beyond. */
  | {
      readonly kind: 'counted'
      readonly which: 'last' | 'next' | 'before' | 'after'
      /** 1 to 999. */
      readonly count: number
      readonly unit: PeriodUnit
    }

const DAYS = { last: 'yesterday', this: 'today', next: 'tomorrow' } as const
const WHOLE = /^(last|this|next)_(week|month|quarter|year)$/
const COUNTED = /^(last|next|more_than|in_more_than)_([1-9]\d{0,2})_(day|week|month|quarter|year)s?(_ago)?$/
/** Longer texts name no period. */
const MAX_LENGTH = 40

/** Undefined for other texts. */
export function parsePeriod(name: string): RelativePeriod | undefined {
  if (name.length > MAX_LENGTH) return undefined
  if (name === 'overdue') return { kind: 'overdue' }
  for (const which of ['last', 'this', 'next'] as const)
    if (name === DAYS[which]) return { kind: 'whole', which, unit: 'day' }
  const whole = WHOLE.exec(name)
  // The types of the groups follow from the expressions.
  if (whole !== null) return { kind: 'whole', which: whole[1] as 'last', unit: whole[2] as PeriodUnit }
  const [, begin, count, unit, ago] = COUNTED.exec(name) ?? []
  const which = begin === 'more_than' ? 'before' : begin === 'in_more_than' ? 'after' : (begin as 'last' | undefined)
  if (which === undefined || (which === 'before') !== (ago !== undefined)) return undefined
  return { kind: 'counted', which, count: Number(count), unit: unit as PeriodUnit }
}

export function periodName(period: RelativePeriod): string {
  switch (period.kind) {
    case 'overdue':
      return 'overdue'
    case 'whole':
      return period.unit === 'day' ? DAYS[period.which] : `${period.which}_${period.unit}`
    case 'counted': {
      const { which, count, unit } = period
      const span = `${count}_${unit}${count === 1 ? '' : 's'}`
      return {
        last: `last_${span}`,
        next: `next_${span}`,
        before: `more_than_${span}_ago`,
        after: `in_more_than_${span}`,
      }[which]
    }
  }
}
