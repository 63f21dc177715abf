/** The times of emails of dashboards in words. */

import type { Schedule } from '../../api/data-model/dashboards'
import { TIME_ZONE } from '../../values/local-time'
import { LOCALE } from '../../language'

export const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7]
export const MONTH_DAYS = Array.from({ length: 31 }, (_, index) => index + 1)

const hours = new Intl.DateTimeFormat(LOCALE, { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' })
const weekdays = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', timeZone: 'UTC' })

export const hourText = (hour: number): string => hours.format(Date.UTC(2024, 0, 1, hour))

/** 1 is Monday. */
export const weekdayText = (weekday: number): string => weekdays.format(Date.UTC(2024, 0, weekday))

/** The time zone is named where it is another one. */
export function scheduleText({ frequency, weekday, day, hour, time_zone }: Schedule): string {
  const time = `${hourText(hour)}${time_zone === TIME_ZONE ? '' : ` (${time_zone})`}`
  switch (frequency) {
    case 'daily':
      return `Every day at ${time}`
    case 'weekly':
      return `Every ${weekdayText(weekday ?? 1)} at ${time}`
    case 'monthly':
      return `On day ${day} of every month at ${time}`
  }
}
