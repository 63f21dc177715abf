import { LOCALE } from '../../../../language'

const dayOfThisYear = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long' })
const dayOfOtherYear = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', year: 'numeric' })

/** "Today", "Yesterday", "Tomorrow", or the date; with the year unless it is the present one. */
export function relativeDay(date: Date, now: Date): string {
  if (isSameDay(date, now)) return 'Today'
  const daysFromNow = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  if (isSameDay(date, daysFromNow(-1))) return 'Yesterday'
  if (isSameDay(date, daysFromNow(1))) return 'Tomorrow'
  return (date.getFullYear() === now.getFullYear() ? dayOfThisYear : dayOfOtherYear).format(date)
}

const isSameDay = (a: Date, b: Date): boolean => a.toDateString() === b.toDateString()
