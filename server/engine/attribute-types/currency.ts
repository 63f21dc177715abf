/**
 * An exact amount of money with at most four decimals. The attribute decides the currency, not the write. See docs/reference/values.md (Currency).
 */

import { ALLOWED_SETTINGS } from '#vocabulary/data-model'
import { Type } from 'typebox'
import { invalidValue } from '#base/errors/api-error'
import { CURRENCY_CODES, CURRENCY_DISPLAYS } from '#vocabulary/currencies'
import { defineAttributeType, defineConfig, scalarAs } from './define'
import { NUMERIC_RESULTS } from './definition/sql-form'
import { ordered, wrongOperand } from './definition/properties'
import { trimEnd } from '#base/text/csv-line'

export const CurrencyConfig = Type.Object({
  default_currency_code: Type.Enum([...CURRENCY_CODES]),
  display_type: Type.Enum([...CURRENCY_DISPLAYS]),
})

export const currency = defineAttributeType({
  type: 'currency',
  allows: { ...ALLOWED_SETTINGS.currency, match: false, null: false },
  config: defineConfig({
    member: 'currency',
    input: CurrencyConfig,
    initial: { currency: { default_currency_code: 'USD', display_type: 'symbol' } },
    parse: (input) => ({ currency: input }),
  }),

  input: Type.Object({ currency_value: Type.Union([Type.Number(), Type.String()]) }),
  shortForm: Type.Union([Type.Number(), Type.String()]),
  shorthand: scalarAs('currency_value'),
  parse: ({ currency_value }) => ({ currency_value: exactly(currency_value, ['currency_value']) }),

  columns: { currency_value: 'numeric' },
  key: ({ currency_value }) => withoutTrailingZeros(String(currency_value)),

  sql: { form: 'scalar', type: 'numeric', column: 'currency_value' },
  formula: {
    results: NUMERIC_RESULTS,
    column: 'currency_value',
    // `NaN` is greater than every number.
    value: (result) =>
      `case when abs(round(${result}, ${MAX_DECIMALS})) < 1e${MAX_INTEGER_DIGITS} then trim_scale(round(${result}, ${MAX_DECIMALS})) end`,
  },
  output: Type.Object({
    currency_value: Type.Number(),
    currency_code: Type.Union([Type.Enum([...CURRENCY_CODES]), Type.Null()]),
  }),
  render({ config }) {
    const code = JSON.stringify(config.currency?.default_currency_code ?? null)
    return ({ currency_value }) =>
      `"currency_value":${withoutTrailingZeros(String(currency_value))},"currency_code":${code}`
  },

  properties: {
    currency_value: ordered('currency_value', (raw) => {
      if (typeof raw !== 'number' && typeof raw !== 'string') throw wrongOperand('number', raw)
      return exactly(raw, [])
    }),
  },
  defaultProperty: 'currency_value',
  defaultSort: 'currency_value',
})

function exactly(raw: number | string, path: string[]): string {
  const decimal = readDecimal(raw)
  if ('text' in decimal) return decimal.text
  throw invalidValue(decimal.problem, path)
}

// Exact decimal numbers as text: no exponent, no needless zeros, `-12.5`. See docs/reference/values.md (Currency).

/** The range of numeric(30,4). */
const MAX_INTEGER_DIGITS = 26
const MAX_DECIMALS = 4

/** The limit of a number's text, with needless zeros. */
const MAX_LENGTH = 1000

const DECIMAL = /^([-+]?)(\d+)(?:\.(\d+))?(?:e([-+]?\d{1,3}))?$/i

type Decimal = { readonly text: string } | { readonly problem: string }

/** Parses a number, or the text of one. */
function readDecimal(raw: number | string): Decimal {
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
const withoutTrailingZeros = (text: string): string =>
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
