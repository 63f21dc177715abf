/**
 * Reads numbers, dates, names of people, and yes or no as people and spreadsheets write them. Imports and cells that are
 * pasted into the console are read alike. See docs/decisions/vocabulary.md.
 */

import { CURRENCY_CODES } from './currencies'

const FORMS = [
  // English: commas between thousands.
  { form: /^([-+]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/, separators: /,/g },
  // Spaces or apostrophes between thousands.
  { form: /^([-+]?)(\d{1,3}(?:[\s'’]\d{3})+)(?:[.,](\d+))?$/, separators: /[\s'’]/g },
  // Continental: points between thousands, a comma before decimals.
  { form: /^([-+]?)(\d{1,3}(?:\.\d{3})+)(?:,(\d+))?$/, separators: /\./g },
  { form: /^([-+]?)(\d+),(\d+)$/, separators: /,/g },
  { form: /^([-+]?)()\.(\d+)$/, separators: /,/g },
]

const EXPONENTS: Readonly<Record<string, number>> = {
  k: 3,
  thousand: 3,
  m: 6,
  mm: 6,
  mn: 6,
  mio: 6,
  million: 6,
  b: 9,
  bn: 9,
  billion: 9,
}

/** Counts the sign, the separators and the unit. */
const MAX_LENGTH = 400

const SCALED = /^(.*?\d)\s*(k|thousand|mm|mn|mio|million|m|bn|billion|b)$/i

/**
 * Returns plain decimal text, `-1234.5`, or undefined. It is exact, since amounts of money are stored exactly. A single point
 * before three digits is a decimal point.
 */
export function readDecimalText(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const scaled = SCALED.exec(text.trim())
  const digits = (scaled?.[1] ?? text).trim()
  for (const { form, separators } of FORMS) {
    const parts = form.exec(digits)
    if (!parts) continue
    const [, sign = '', integer = '', fraction = ''] = parts
    return shift(sign, integer.replace(separators, ''), fraction, EXPONENTS[scaled?.[2]?.toLowerCase() ?? ''] ?? 0)
  }
  return undefined
}

/** Returns undefined for a text that is not a number. Ignores a percent sign and the sign or code of a currency. */
export function readNumber(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const bare = withoutUnit(text.trim())
  const decimal = EXPONENTIAL.test(bare) ? bare : readDecimalText(bare)
  const number = decimal === undefined ? Number.NaN : Number(decimal)
  return Number.isFinite(number) ? number : undefined
}

const EXPONENTIAL = /^[-+]?\d+(?:\.\d+)?e[-+]?\d+$/i
/** The form of most numbers, which have no unit. */
const WITHOUT_UNIT = /^-?[\d.,]*$/
const CODES = CURRENCY_CODES.join('|')
// oxlint-disable-next-line relata/no-super-linear-regexp -- anchored, and no two parts match the same characters
const UNIT_BEFORE = new RegExp(String.raw`^([-+]?)\s*(?:\p{Sc}|(?:${CODES})(?=\s))\s*`, 'u')
// oxlint-disable-next-line relata/no-super-linear-regexp -- matches at most three characters
const UNIT_AFTER = new RegExp(String.raw`(?:\p{Sc}|${CODES}|%)$`, 'u')

const withoutUnit = (text: string): string =>
  WITHOUT_UNIT.test(text) ? text : text.replace(UNIT_BEFORE, '$1').replace(UNIT_AFTER, '').trimEnd()

/** Moves the decimal point to the right. */
function shift(sign: string, integer: string, fraction: string, places: number): string {
  const digits = integer + fraction.padEnd(places, '0')
  const point = integer.length + places
  const rest = digits.slice(point)
  return `${sign === '-' ? '-' : ''}${digits.slice(0, point) || '0'}${rest === '' ? '' : `.${rest}`}`
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const ISO = /^(\d{4})(?:-(\d\d)(?:-(\d\d)([T ].*)?)?)?$/i
const YEAR_FIRST = /^(\d{4})[/.](\d{1,2})[/.](\d{1,2})$/
const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})$/
const MONTH_FIRST = /^([a-z]{3,9})\.?\s+(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})$/i
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+([a-z]{3,9})\.?,?[\s-]+(\d{4})$/i

/**
 * Returns the date in ISO 8601, with the time of a text in ISO 8601. A year or a month alone is its first day. Returns
 * undefined for a text that is not a date, and for one that may be either of two days, such as `1/2/2014`. With points, the day
 * comes first.
 */
export function readDate(text: string): string | undefined {
  const trimmed = text.trim()
  const iso = ISO.exec(trimmed)
  if (iso) return isoDate(iso[1], iso[2] ?? 1, iso[3] ?? 1, iso[4])
  const first = YEAR_FIRST.exec(trimmed)
  if (first) return isoDate(first[1], first[2], first[3])
  const numbers = NUMBERS.exec(trimmed)
  if (numbers) return readNumbers(Number(numbers[1]), Number(numbers[3]), numbers[4], numbers[2] === '.')
  const month = MONTH_FIRST.exec(trimmed)
  if (month) return isoDate(month[3], monthOf(month[1]), month[2] ?? 1)
  const day = DAY_FIRST.exec(trimmed)
  return day ? isoDate(day[3], monthOf(day[2]), day[1]) : undefined
}

function readNumbers(a: number, b: number, year: string | undefined, isDayFirst: boolean): string | undefined {
  if (isDayFirst || a > 12 || a === b) return isoDate(year, b, a)
  return b > 12 ? isoDate(year, a, b) : undefined
}

const monthOf = (name = ''): number => MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1

/** Undefined for a day that does not exist, such as February 30. */
function isoDate(year = '', month: number | string = 0, day: number | string = 0, time = ''): string | undefined {
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month)))
    return undefined
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}${time}`
}

/** The number of days of a month, from 1 to 12. */
export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

const CHECKED = new Map<string, boolean>([
  ...['true', 'yes', 'y', '1', 'x', 'on', '✓', '✔', '☑'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0', 'off', '✗', '✘', '☐'].map((word) => [word, false] as const),
])

/** Reads yes and no, in the words and marks that spreadsheets contain. */
export const readCheckbox = (text: string): boolean | undefined => CHECKED.get(text.trim().toLowerCase())

export interface NameParts {
  readonly first_name: string
  readonly last_name: string
  readonly full_name: string
}

/**
 * Reads `Ada Lovelace`, or `Lovelace, Ada` with a comma. The last word is the last name, with the particles before it:
 * `Ludwig van Beethoven`.
 */
export function readName(text: string): NameParts {
  const name = text.replace(/\s+/g, ' ').trim()
  const comma = name.indexOf(',')
  if (comma >= 0) return joinName(name.slice(comma + 1), name.slice(0, comma))
  const words = name.split(' ')
  let start = Math.max(words.length - 1, 1)
  while (start > 1 && PARTICLES.has(words[start - 1] ?? '')) start--
  return joinName(words.slice(0, start).join(' '), words.slice(start).join(' '))
}

export function joinName(first: string, last: string): NameParts {
  const [first_name, last_name] = [first.trim(), last.trim()]
  return { first_name, last_name, full_name: `${first_name} ${last_name}`.trim() }
}

/** Particles in lower case belong to the last name; capitalised ones are names like any other. */
const PARTICLES = new Set('af al bin da das de del den der des di do dos du el la le ten ter van von zu zur'.split(' '))
