/** Numbers, dates, amounts and instants as text in the locale of the browser. */

import { CURRENCY_DISPLAYS, type CurrencyDisplay } from '#vocabulary/currencies'
import type { ThousandsSeparators } from '#vocabulary/data-model'
import { LOCALE } from '../language'

const numbers = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 20 })
/** By the setting of a number attribute. `min2` separates thousands from 10,000. */
const SEPARATORS = {
  from_10000: 'min2',
  always: 'always',
  never: false,
} as const satisfies Record<ThousandsSeparators, unknown>

const values = new Map<ThousandsSeparators, Intl.NumberFormat>()
const shares = new Intl.NumberFormat(LOCALE, { style: 'percent' })
const days = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' })
const instants = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' })
const currencies = new Map<string, Intl.NumberFormat>()
const countries = new Intl.DisplayNames(LOCALE, { type: 'region', fallback: 'code' })

export const numberText = (number: number): string => numbers.format(number)

/** The value of a number attribute. */
export function numberValueText(number: number, separators: ThousandsSeparators = 'from_10000'): string {
  const options = { maximumFractionDigits: 20, useGrouping: SEPARATORS[separators] }
  const format = values.get(separators) ?? new Intl.NumberFormat(LOCALE, options)
  values.set(separators, format)
  return format.format(number)
}

/** An average has no last decimal. */
export const roundedText = (number: number): string => numbers.format(Number(number.toPrecision(10)))

/** "12%" for 0.12. */
export const shareText = (share: number): string => shares.format(share)

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

const NO_BREAK_SPACE = '\u00a0'

/** "12 kB", "3.4 MB", in one line. One kB has 1000 bytes, as in the settings of the service. */
export function sizeText(bytes: number): string {
  const power = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const format = new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: SIZES[power],
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
    roundingMode: 'trunc',
  })
  return format.format(bytes / 1000 ** power).replaceAll(' ', NO_BREAK_SPACE)
}

/** A date such as `2026-11-21`, independent of the time zone. */
export function dayText(day: string): string {
  const date = new Date(`${day.slice(0, 10)}T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? day : days.format(date)
}

export function instantText(instant: string): string {
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? instant : instants.format(date)
}

/** An amount of money. Whole amounts have no decimals. */
export function moneyText(amount: number, code: string | null, display: string | null = null): string {
  if (code === null) return numberText(amount)
  const currencyDisplay = CURRENCY_DISPLAYS.find((one) => one === display) ?? 'symbol'
  const key = `${code} ${currencyDisplay}`
  const format = currencies.get(key) ?? moneyFormat(code, currencyDisplay)
  currencies.set(key, format)
  return format.format(amount)
}

function moneyFormat(currency: string, currencyDisplay: CurrencyDisplay): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(LOCALE, {
      style: 'currency',
      currency,
      currencyDisplay,
      trailingZeroDisplay: 'stripIfInteger',
    })
  } catch {
    return numbers // a code that this browser does not support
  }
}

export function countryName(code: string): string {
  try {
    return countries.of(code) ?? code
  } catch {
    return code
  }
}
