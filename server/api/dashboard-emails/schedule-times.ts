/** When an email of a schedule is due. See docs/reference/dashboards.md (Emails). */

import type { Micros } from '#base/timing/clock'

export const FREQUENCIES = ['daily', 'weekly', 'monthly'] as const
export type Frequency = (typeof FREQUENCIES)[number]

export interface ScheduleTime {
  readonly frequency: Frequency
  /** 1 is Monday. */
  readonly weekday: number | null
  /** The last day of a shorter month. */
  readonly day: number | null
  readonly hour: number
  /** The name of an IANA time zone. */
  readonly time_zone: string
}

/** The first time after `after`. An hour that the clocks skip is the one after it. */
export function nextTime(schedule: ScheduleTime, after: Micros): Micros {
  const today = Temporal.Instant.fromEpochMilliseconds(Math.floor(after / 1000))
    .toZonedDateTimeISO(schedule.time_zone)
    .toPlainDate()
  for (let period = 0; ; period++) {
    const time = instantOn(dateIn(schedule, today, period), schedule)
    if (time > after) return time
  }
}

/** The date in the day, week or month that is `period` later than that of `today`. */
function dateIn({ frequency, weekday, day }: ScheduleTime, today: Temporal.PlainDate, period: number) {
  switch (frequency) {
    case 'daily':
      return today.add({ days: period })
    case 'weekly':
      return today.add({ days: (weekday ?? 1) - today.dayOfWeek + 7 * period })
    case 'monthly': {
      const month = today.with({ day: 1 }).add({ months: period })
      return month.with({ day: Math.min(day ?? 1, month.daysInMonth) })
    }
  }
}

function instantOn(date: Temporal.PlainDate, { hour, time_zone }: ScheduleTime): Micros {
  const time = date.toZonedDateTime({ timeZone: time_zone, plainTime: { hour } })
  return time.epochMilliseconds * 1000
}
