/** Reads dates as people and spreadsheets write them. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ].{0,40})?$/i
const YEAR_FIRST = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/
const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/
const MONTH_FIRST = /^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})$/i
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})$/i

/**
 * The date in ISO 8601. Undefined for text that is not a date, and for one that may be either of two days, such as `1/2/2014`.
 * With points, the day comes first.
 */
export function readDay(text: string): string | undefined {
  const trimmed = text.trim()
  const yearFirst = ISO.exec(trimmed) ?? YEAR_FIRST.exec(trimmed)
  if (yearFirst) return isoDay(yearFirst[1], Number(yearFirst[2]), Number(yearFirst[3]))
  const numbers = NUMBERS.exec(trimmed)
  if (numbers) return readNumbers(Number(numbers[1]), Number(numbers[3]), numbers[4], numbers[2] === '.')
  const monthFirst = MONTH_FIRST.exec(trimmed)
  if (monthFirst) return isoDay(monthFirst[3], monthOf(monthFirst[1]), Number(monthFirst[2]))
  const dayFirst = DAY_FIRST.exec(trimmed)
  return dayFirst ? isoDay(dayFirst[3], monthOf(dayFirst[2]), Number(dayFirst[1])) : undefined
}

function readNumbers(a: number, b: number, year: string | undefined, isDayFirst: boolean): string | undefined {
  if (isDayFirst || a > 12 || a === b) return isoDay(year, b, a)
  return b > 12 ? isoDay(year, a, b) : undefined
}

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1

/** Undefined for a day that does not exist, such as February 30. */
function isoDay(year = '', month: number, day: number): string | undefined {
  const iso = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
  const date = new Date(`${iso}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : undefined
}

/** The instant in ISO 8601. A time without a zone is in the time zone of the browser. */
export function readInstant(text: string): string | undefined {
  const trimmed = text.trim()
  const hasTime = /\d:\d\d/.test(trimmed)
  const day = hasTime ? undefined : readDay(trimmed)
  if (!hasTime && day === undefined) return undefined
  const date = new Date(day === undefined ? trimmed : `${day}T00:00:00`)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
