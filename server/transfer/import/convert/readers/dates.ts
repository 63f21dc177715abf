/** Reads dates as people and spreadsheets write them, and gives them in ISO 8601. */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const ISO = /^\d{4}(?:-\d\d(?:-\d\d(?:[T ].*)?)?)?$/i
const YEAR_FIRST = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/
const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/
const MONTH_FIRST = /^([a-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})$/i
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})$/i

/**
 * Returns undefined for a text that is not a date, and for one that may be either of two days, such as `1/2/2014`. With
 * points, the day comes first.
 */
export function readDate(text: string): string | undefined {
  const trimmed = text.trim()
  if (ISO.test(trimmed)) return trimmed
  const first = YEAR_FIRST.exec(trimmed)
  if (first) return isoDate(first[1], first[2], first[3])
  const numbers = NUMBERS.exec(trimmed)
  if (numbers) return readNumbers(Number(numbers[1]), Number(numbers[3]), numbers[4], numbers[2] === '.')
  const month = MONTH_FIRST.exec(trimmed)
  if (month) return isoDate(month[3], monthOf(month[1]), month[2] ?? '1')
  const day = DAY_FIRST.exec(trimmed)
  return day ? isoDate(day[3], monthOf(day[2]), day[1]) : undefined
}

function readNumbers(a: number, b: number, year: string | undefined, isDayFirst: boolean): string | undefined {
  if (isDayFirst || a > 12 || a === b) return isoDate(year, b, a)
  return b > 12 ? isoDate(year, a, b) : undefined
}

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1

function isoDate(year: string | undefined, month: number | string = 0, day: number | string = 0): string | undefined {
  if (Number(month) < 1 || Number(month) > 12) return undefined
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}
