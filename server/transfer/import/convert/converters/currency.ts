import { type CellConverter, NO_VALUES, oneValue, skipBlank, unreadable } from '#transfer/import/convert/conversion'
import { readAmounts } from '#transfer/import/convert/readers/amounts'

export const currencyConverter: CellConverter = {
  convert: skipBlank((text, { attribute }) => {
    const amounts = readAmounts(text)
    if (!amounts) return unreadable(`"${text.trim()}" is not an amount of money`)
    const { sum, currency: code } = amounts
    const expected = attribute.config.currency?.default_currency_code
    if (code !== undefined && expected && !isWrittenAs(code, expected)) {
      return unreadable(`"${text.trim()}" is in ${code}, and "${attribute.api_slug}" in ${expected}`)
    }
    return sum === undefined ? NO_VALUES : oneValue(sum)
  }),
}

/** A dollar sign is read as USD, and many currencies are written with it. */
const isWrittenAs = (code: string, expected: string): boolean =>
  code === expected || (code === 'USD' && DOLLARS.has(expected))

const DOLLARS = new Set(['AUD', 'CAD', 'FJD', 'HKD', 'NZD', 'SGD', 'MXN', 'ARS', 'CLP', 'COP', 'NTD', 'UYU'])
