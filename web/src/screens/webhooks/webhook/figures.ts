/** The statistics of a webhook as a bar for each of the last 24 hours. */

import type { DeliveryStatistics } from '../../../api/webhooks/deliveries'

export interface HourBar {
  readonly hour: Date
  readonly attempts: number
  readonly succeeded: number
  readonly median: number | null
}

const HOUR_MS = 3_600_000
const HOURS = 24

/** 24 hours up to the one of `now`, those without attempts included. The service leaves them out. */
export function hourBars({ hours }: Pick<DeliveryStatistics, 'hours'>, now: Date): readonly HourBar[] {
  const byHour = new Map(hours.map((figures) => [new Date(figures.hour).getTime(), figures]))
  const last = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  return Array.from({ length: HOURS }, (_, at) => {
    const time = last - (HOURS - 1 - at) * HOUR_MS
    const { attempts = 0, succeeded = 0, median_duration_ms: median = null } = byHour.get(time) ?? {}
    return { hour: new Date(time), attempts, succeeded, median }
  })
}

/** The share of attempts that succeeded. Null without attempts. A share below 1 is never rounded up to it. */
export function successShare({
  attempts,
  succeeded,
}: Pick<DeliveryStatistics, 'attempts' | 'succeeded'>): number | null {
  return attempts === 0 ? null : Math.floor((succeeded / attempts) * 1000) / 1000
}
