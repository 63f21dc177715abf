/** Exact decimal numbers as text: no exponent, no needless zeros, `-12.5`. See docs/reference/values.md (Currency). */

import { trimEnd } from '#base/text/trim-end'

/** The range of numeric(30,4). */
const MAX_INTEGER_DIGITS = 26
const MAX_DECIMALS = 4

/** The limit of a number's text, with needless zeros. */
const MAX_LENGTH = 1000

const DECIMAL = /^([-+]?)(\d+)(?:\.(\d+))?(?:e([-+]?\d{1,3}))?$/i

export type Decimal = { readonly text: string } | { readonly problem: string }

/** Parses a number, or the text of one. */
export function readDecimal(raw: number | string): Decimal {
  const text = String(raw).trim()
  if (text.length > MAX_LENGTH) return { problem: `The text of a number has at most ${MAX_LENGTH} characters.` }
  const parts = DECIMAL.exec(text)
  if (!parts) return { problem: 'Expected a number or the text of one.' }
  const [, sign, integer = '', fraction = '', exponent = '0'] = parts
  const shifted = movePoint(integer, fraction, Number(exponent))
  if (shifted.fraction.length > MAX_DECIMALS) return { problem: 'Currency values have at most 4 decimal places.' }
  if (shifted.integer.length > MAX_INTEGER_DIGITS) return { problem: 'The currency value is too large.' }
  return { text: decimalText(sign === '-', shifted.integer, shifted.fraction) }
}

/** The text of a stored decimal without trailing zeros. */
export const withoutTrailingZeros = (text: string): string =>
  text.endsWith('0') && text.includes('.') ? trimEnd(trimEnd(text, '0'), '.') : text

/** Multiplies by a power of ten and drops zeros at both ends. */
function movePoint(integer: string, fraction: string, exponent: number): { integer: string; fraction: string } {
  const digits = integer + fraction
  const point = integer.length + exponent
  const padded = point < 0 ? '0'.repeat(-point) + digits : digits.padEnd(point, '0')
  const at = Math.max(point, 0)
  return { integer: padded.slice(0, at).replace(/^0+/, ''), fraction: trimEnd(padded.slice(at), '0') }
}

function decimalText(isNegative: boolean, integer: string, fraction: string): string {
  const text = `${integer === '' ? '0' : integer}${fraction === '' ? '' : `.${fraction}`}`
  return isNegative && text !== '0' ? `-${text}` : text
}
