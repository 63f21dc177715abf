/** Numbers, periods and durations of emails as text. */

import type { PeriodUnit } from '#vocabulary/relative-periods'
import { textOfCell } from '#vocabulary/sql-cells'

const LOCALE = 'en'

const numbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 10 })
const compact = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 2 })
const shares = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 })
const days = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' })
const months = new Intl.DateTimeFormat(LOCALE, { month: 'short', year: 'numeric', timeZone: 'UTC' })

export const numberText = (value: number): string => numbers.format(value)
export const compactText = (value: number): string => compact.format(value)
export const shareText = (share: number): string => shares.format(share)

/** Whole amounts have no decimals. */
export function moneyText(amount: number, code: string | null): string {
  if (code === null) return numberText(amount)
  const format = new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency: code,
    trailingZeroDisplay: 'stripIfInteger',
  })
  return format.format(amount)
}

/** The name of the period that begins on a day. */
export function periodText(unit: PeriodUnit, day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  switch (unit) {
    case 'day':
      return days.format(date)
    case 'week':
      return `Week of ${days.format(date)}`
    case 'month':
      return months.format(date)
    case 'quarter':
      return `Q${Math.floor(date.getUTCMonth() / 3) + 1} ${date.getUTCFullYear()}`
    case 'year':
      return String(date.getUTCFullYear())
  }
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** A duration in its largest unit. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '–'
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? (['second', 1] as const)
  const maximumFractionDigits = seconds / size < 10 ? 1 : 0
  return new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits }).format(
    seconds / size,
  )
}

/** A cell of a result of SQL, with times in a time zone. */
export function cellTextIn(timeZone: string): (value: unknown, type: string) => string {
  const instants = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const textWith = (format: Intl.DateTimeFormat) => (text: string) => {
    const date = new Date(text.length === 10 ? `${text}T00:00:00Z` : text)
    return Number.isNaN(date.getTime()) ? text : format.format(date)
  }
  const times = { dayText: textWith(days), instantText: textWith(instants) }
  return (value, type) => textOfCell(value, type, times)
}

/** The day and the time of an instant in a time zone. */
export const instantIn = (timeZone: string, epochMs: number): string =>
  new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(epochMs)
