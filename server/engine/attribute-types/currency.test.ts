import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { attributeType } from './registry'
import { operand, read, refusal, store, write } from './testing/try-value'

const currency = attribute('currency')

describe('currency', () => {
  test.each([
    [499, '499'],
    [499.5, '499.5'],
    [0.0001, '0.0001'],
    [-0, '0'],
    [-12.34, '-12.34'],
    [1e3, '1000'],
    [1e21, '1000000000000000000000'],
    ['499.5000', '499.5'],
    ['1.00000', '1'],
    ['1e3', '1000'],
    ['12345e-4', '1.2345'],
    ['+007', '7'],
    [' 5 ', '5'],
    ['-0.0', '0'],
    ['99999999999999999999999999.9999', '99999999999999999999999999.9999'],
  ])('%j is stored as exactly %s', async (raw, currency_value) => {
    expect(await store(raw, currency)).toEqual({ currency_value })
    expect(await store({ currency_value: raw, currency_code: 'EUR' }, currency)).toEqual({ currency_value })
  })

  test.each([0.00001, '1.00001', 1e-7, '1e26', '100000000000000000000000000', 'abc', '', '1,5', '0x10', 'NaN', '.5'])(
    '%j is refused',
    async (raw) => {
      expect(await refusal(raw, currency)).toMatchObject([{ code: 'invalid', path: ['currency_value'] }])
    },
  )

  test('trailing zeros are accepted in a text of at most 1000 characters', async () => {
    expect(await write(`${'0'.repeat(500)}1.${'0'.repeat(498)}`, currency)).toMatchObject({ currency_value: 1 })
    const message = 'The text of a number has at most 1000 characters.'
    expect(await refusal(`0.${'0'.repeat(60_000)}1`, currency)).toMatchObject([{ path: ['currency_value'], message }])
    expect(() => operand(`0.${'0'.repeat(60_000)}1`, currency, 'currency_value')).toThrow(message)
  })

  test('true is refused', async () => {
    expect(await refusal(true, currency)).toMatchObject([{ code: 'invalid_type', path: ['currency_value'] }])
  })

  test('the currency is that of the attribute', async () => {
    expect(await write({ currency_value: 1, currency_code: 'EUR' }, currency)).toEqual({
      currency_value: 1,
      currency_code: 'USD',
    })
    expect(await write(1, attribute('currency', { config: {} }))).toEqual({ currency_value: 1, currency_code: null })
  })

  test('zeros that PostgreSQL appends are not rendered', () => {
    expect(read({ currency_value: '499.5000' }, currency).currency_value).toBe(499.5)
    expect(attributeType('currency').render(currency, {} as never)({ currency_value: '500.0000' })).toContain(':500,') // its data model is not looked at
  })

  test('operands are read like values', () => {
    expect(operand('10.50', currency, 'currency_value', '$gte')).toBe('10.5')
    expect(() => operand(null, currency, 'currency_value')).toThrow('Expected number, received null')
    expect(() => operand('1.23456', currency, 'currency_value')).toThrow('at most 4 decimal places')
  })
})
