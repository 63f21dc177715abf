/** Reads a number or an amount from the text of a field or a pasted cell: as the locale writes it, else as imports read it. */

import { CURRENCY_CODES, CURRENCY_DISPLAYS } from '#vocabulary/currencies'
import { readNumber as readWrittenNumber } from '#vocabulary/written-values'
import { LOCALE } from '../language'

/** Undefined for text that is not a finite number. `locale` is that of the browser. */
export function readNumber(text: string, locale = LOCALE): number | undefined {
  if (text.length > MAX_LENGTH) return undefined
  return readWrittenNumber(text.replace(DIGITS, (digits) => plainDigits(digits, locale) ?? digits))
}

/** The same for an amount of money. Undefined for one of another currency, so that "$300" does not become €300. */
export function readAmount(text: string, currency: string | null, locale = LOCALE): number | undefined {
  if (text.length > MAX_LENGTH) return undefined
  if (currency === null) return readNumber(text, locale)
  const bare = withoutMark(text, marksOf(currency, locale))
  return NAMES_CURRENCY.test(bare) ? undefined : readNumber(bare, locale)
}

/** A number as the text of a field, which `readNumber` reads again: without separators of thousands. */
export const fieldText = (number: number, locale = LOCALE): string =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 20, useGrouping: false }).format(number)

/** Counts the sign, the separators and the currency. */
const MAX_LENGTH = 400

/** Digits with what may separate them. */
const DIGITS = /\d[\d.,'’\s]*\d/g
// oxlint-disable-next-line relata/no-super-linear-regexp -- matches at most three characters
const NAMES_CURRENCY = new RegExp(String.raw`\p{Sc}|(?<![A-Z])(?:${CURRENCY_CODES.join('|')})(?![A-Z])`, 'u')

/** `1200.5` for `1.200,5` in German. Undefined for digits that the locale separates in another way. */
function plainDigits(digits: string, locale: string | undefined): string | undefined {
  const format = new Intl.NumberFormat(locale, { useGrouping: 'always' })
  const separator = (type: string) => format.formatToParts(12_345.6).find((part) => part.type === type)?.value ?? ''
  const [integer = '', fraction, ...others] = digits.split(separator('decimal'))
  const bare = integer.split(separator('group')).join('')
  const isWhole = /^\d+$/.test(bare) && (bare === integer || format.format(BigInt(bare)) === integer)
  if (!isWhole || others.length > 0 || !/^\d*$/.test(fraction ?? '')) return undefined
  return fraction === undefined ? bare : `${bare}.${fraction}`
}

/** How the locale writes a currency, the longest mark first: `US dollars`, `USD`, `US$`, `$`. */
function marksOf(currency: string, locale: string | undefined): readonly string[] {
  const marks = CURRENCY_DISPLAYS.flatMap((currencyDisplay) => {
    const format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay,
      maximumFractionDigits: 0,
    })
    return [1, 2].flatMap((number) => format.formatToParts(number).filter(({ type }) => type === 'currency'))
  })
  return [...new Set([currency, ...marks.map(({ value }) => value)])].toSorted((a, b) => b.length - a.length)
}

/** Drops one mark before or after the number. A sign stays before it. */
function withoutMark(text: string, marks: readonly string[]): string {
  const trimmed = text.trim()
  const sign = /^[-+]/.test(trimmed) ? trimmed.charAt(0) : ''
  const rest = trimmed.slice(sign.length).trim()
  const before = marks.find((mark) => rest.startsWith(mark))
  if (before !== undefined) return sign + rest.slice(before.length).trim()
  const after = marks.find((mark) => rest.endsWith(mark))
  return sign + (after === undefined ? rest : rest.slice(0, -after.length).trim())
}
