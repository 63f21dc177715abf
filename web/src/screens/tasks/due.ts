/** Days of deadlines in the time zone of the browser. A day is text such as `2026-11-22`. */

import { LOCALE } from '../../language'

export const DUE_GROUPS = ['overdue', 'today', 'upcoming', 'none'] as const
export type DueGroup = (typeof DUE_GROUPS)[number]

/** The day of a deadline; empty without one. */
export function dayOf(deadline: string | null): string {
  if (deadline === null) return ''
  const date = new Date(deadline)
  const month = String(date.getMonth() + 1).padStart(2, '0')
  return `${String(date.getFullYear()).padStart(4, '0')}-${month}-${String(date.getDate()).padStart(2, '0')}`
}

/**
 * The deadline of a day; null for an empty text and for none. Deadlines are instants. Noon is on the same day for readers up to
 * eleven time zones away.
 */
export function deadlineOf(day: string): string | null {
  const date = new Date(`${day}T12:00:00`)
  return day === '' || Number.isNaN(date.getTime()) ? null : date.toISOString()
}

export function dueGroupOf(deadline: string | null, now: Date): DueGroup {
  if (deadline === null) return 'none'
  const [day, today] = [dayOf(deadline), dayOf(now.toISOString())]
  if (day === today) return 'today'
  return day < today ? 'overdue' : 'upcoming'
}

const thisYear = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short' })
const otherYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' })

/** "Today", "Tomorrow", "Yesterday", or the date. */
export function dueLabel(deadline: string, now: Date): string {
  const date = new Date(deadline)
  const near = [
    [0, 'Today'],
    [1, 'Tomorrow'],
    [-1, 'Yesterday'],
  ] as const
  for (const [days, label] of near) {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
    if (day.toDateString() === date.toDateString()) return label
  }
  return (date.getFullYear() === now.getFullYear() ? thisYear : otherYear).format(date)
}
