/** Items under the days on which they happened, in the reader's time zone. */

import { relativeDay } from './relative-day'

export interface Day<T> {
  /** As the heading names it. */
  readonly label: string
  readonly items: readonly T[]
}

/** The items keep their order; successive items of one day share a heading. */
export function groupByDay<T extends { readonly at: string }>(items: readonly T[], now: Date): Day<T>[] {
  const days: { label: string; items: T[] }[] = []
  for (const item of items) {
    const label = relativeDay(new Date(item.at), now)
    const last = days.at(-1)
    if (last?.label === label) last.items.push(item)
    else days.push({ label, items: [item] })
  }
  return days
}
