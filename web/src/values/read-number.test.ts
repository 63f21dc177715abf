import { describe, expect, test } from 'bun:test'
import { moneyText, numberText } from './formats'
import { fieldText, readAmount, readNumber } from './read-number'

describe('readNumber', () => {
  test.each([
    ['0', 0],
    ['-12.5', -12.5],
    ['+3', 3],
    ['.5', 0.5],
    ['1e3', 1000],
    ['2E-2', 0.02],
    ['1,200', 1200],
    ['1,234,567.89', 1_234_567.89],
    ['1,5', 1.5],
    ['12 %', 12],
    ['1.2M', 1_200_000],
  ])('reads %s in English', (text, number) => {
    expect(readNumber(text, 'en-US')).toBe(number)
  })

  test.each([
    ['de-DE', '1.200', 1200],
    ['de-DE', '1.200,5', 1200.5],
    ['de-DE', '1200,5', 1200.5],
    ['de-DE', '1200.5', 1200.5],
    ['fr-FR', '1 234,5', 1234.5],
    ['en-IN', '12,34,567', 1_234_567],
    ['es-ES', '1.200', 1200],
  ])('reads by the locale %s: %s', (locale, text, number) => {
    expect(readNumber(text, locale)).toBe(number)
  })

  test.each(['', ' ', '12 kg', '1,23,4', '--1', '.', 'e5', '0x10', 'Infinity', 'NaN', '1e999', '1'.repeat(401)])(
    'refuses %s',
    (text) => {
      expect(readNumber(text, 'en-US')).toBeUndefined()
    },
  )

  test.each(['en-US', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'es-ES'])('reads what a cell shows in %s', (locale) => {
    for (const number of [0, 5, 1200, 12_345, 1_234_567.125, -9876.5]) {
      const shown = new Intl.NumberFormat(locale, { maximumFractionDigits: 20, useGrouping: 'min2' }).format(number)
      expect([shown, readNumber(shown, locale)]).toEqual([shown, number])
      expect(readNumber(fieldText(number, locale), locale)).toBe(number)
    }
  })

  test('reads the texts of the browser', () => {
    expect(readNumber(numberText(1_234_567.5))).toBe(1_234_567.5)
  })
})

describe('readAmount', () => {
  test.each([
    ['300', 'EUR', 300],
    ['€1,200.50', 'EUR', 1200.5],
    ['1,200.50 EUR', 'EUR', 1200.5],
    ['EUR 300', 'EUR', 300],
    ['-€300', 'EUR', -300],
    ['€-300', 'EUR', -300],
    ['300 euros', 'EUR', 300],
    ['$300', 'USD', 300],
    ['US$300', 'USD', undefined],
    ['$300', 'CAD', 300],
    ['CA$300', 'CAD', 300],
    ['€1.2M', 'EUR', 1_200_000],
    ['$300', null, 300],
    ['$300', 'EUR', undefined],
    ['300 USD', 'EUR', undefined],
    ['USD 300', 'EUR', undefined],
    ['€300', 'USD', undefined],
    ['heavy', 'EUR', undefined],
    ['', 'EUR', undefined],
  ])('%s in %s', (text, currency, amount) => {
    expect(readAmount(text, currency, 'en-US')).toBe(amount)
  })

  test.each(['symbol', 'narrowSymbol', 'code', 'name'])('reads what a cell with the display %s shows', (display) => {
    for (const [amount, code] of [
      [1200, 'EUR'],
      [-1200.5, 'USD'],
      [1, 'USD'],
      [12_345_678, 'JPY'],
    ] as const) {
      const shown = moneyText(amount, code, display)
      expect([shown, readAmount(shown, code)]).toEqual([shown, amount])
    }
  })

  test('reads what a cell shows in German', () => {
    const format = new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' })
    expect(readAmount(format.format(-1200.5), 'EUR', 'de-DE')).toBe(-1200.5)
  })
})
