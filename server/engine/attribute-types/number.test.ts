import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { operand, read, refusal, store, write } from './testing/try-value'

const number = attribute('number')

describe('number', () => {
  test.each([0, 1, -17.25, 0.1, 1e21, 5e-324, 1.7976931348623157e308])('%p is not rounded', async (value) => {
    expect(await write(value, number)).toEqual({ value })
    expect(await write({ value }, number)).toEqual({ value })
  })

  test('minus zero is zero', async () => {
    expect(read((await store(-0, number))!, number)).toEqual({ value: 0 }) // a number always is a value
  })

  test.each([
    ['17', 'string'],
    [true, 'boolean'],
    [{ value: null }, 'null'],
  ])('%j is refused', async (raw, received) => {
    expect(await refusal(raw, number)).toEqual([
      {
        code: 'invalid_type',
        path: ['value'],
        message: `Expected number, received ${received}`,
        expected: 'number',
        received,
      },
    ])
  })

  test('a number beyond a 64-bit float is refused', async () => {
    expect(await refusal(JSON.parse('1e400'), number)).toMatchObject([{ path: ['value'] }])
  })

  test('operands are numbers', () => {
    expect(operand(5, number, 'value', '$lt')).toBe(5)
    expect(() => operand('5', number, 'value')).toThrow('Expected number, received string')
  })
})
