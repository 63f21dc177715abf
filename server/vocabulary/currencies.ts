/**
 * The currencies of the contract. `NTD` is not a code of ISO 4217, but the contract has it. Other codes are refused, because
 * a response with them would not match the contract.
 * See docs/reference/values.md (Currency).
 */
export const CURRENCY_CODES = [
  'ARS',
  'AUD',
  'BRL',
  'BGN',
  'CAD',
  'CLP',
  'CNY',
  'COP',
  'CZK',
  'DKK',
  'EUR',
  'FJD',
  'HKD',
  'HUF',
  'ISK',
  'INR',
  'IDR',
  'ILS',
  'JPY',
  'KES',
  'KRW',
  'MYR',
  'MXN',
  'NTD',
  'NZD',
  'NGN',
  'NOK',
  'XPF',
  'PEN',
  'PHP',
  'PLN',
  'GBP',
  'RWF',
  'SAR',
  'SGD',
  'ZAR',
  'SEK',
  'CHF',
  'THB',
  'TRY',
  'AED',
  'UYU',
  'USD',
  'EGP',
  'GHS',
  'OMR',
  'QAR',
] as const

export type CurrencyCode = (typeof CURRENCY_CODES)[number]

/** How the console shows the currency of an amount. */
export const CURRENCY_DISPLAYS = ['symbol', 'narrowSymbol', 'code', 'name'] as const

export type CurrencyDisplay = (typeof CURRENCY_DISPLAYS)[number]
