/**
 * An exact amount of money with at most four decimals. The attribute decides the currency, not the write. See docs/reference/values.md (Currency).
 */

import { Type } from 'typebox'
import { invalidValue } from '#base/errors/api-error'
import { CURRENCY_CODES } from './data/currency-codes'
import { readDecimal, withoutTrailingZeros } from './formats/decimals'
import { defineAttributeType, defineConfig } from './define'
import { ordered, wrongOperand } from './definition/properties'
import { scalarAs } from './definition/shorthand'

export const CurrencyConfig = Type.Object({
  default_currency_code: Type.Enum([...CURRENCY_CODES]),
  display_type: Type.Enum(['code', 'name', 'narrowSymbol', 'symbol']),
})

export const currency = defineAttributeType({
  type: 'currency',
  allows: { multiselect: false, unique: false, create: true, match: false, null: false },
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
