import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { operand, refusal, store, write } from './testing/try-value'

const text = attribute('text')

describe('text', () => {
  test.each(['hello', '  untrimmed\n', 'Zoë 🎉', 'null', '{"a":1}', 'a"b\\c\u2028'])(
    '%j is stored unchanged',
    async (value) => {
      expect(await write(value, text)).toEqual({ value })
      expect(await write({ value, attribute_type: 'text', active_from: 'x' }, text)).toEqual({ value })
    },
  )

  test('an empty string clears', async () => {
    expect(await store('', text)).toBeUndefined()
  })

  test.each([
    [5, 'number'],
    [true, 'boolean'],
    [{}, 'undefined'],
    [{ value: null }, 'null'],
    [{ value: ['a'] }, 'array'],
  ])('%j is refused', async (raw, received) => {
    const message = received === 'undefined' ? 'Required' : `Expected string, received ${received}`
    expect(await refusal(raw, text)).toEqual([
      { code: 'invalid_type', path: ['value'], message, expected: 'string', received },
    ])
  })

  test.each([
    [['a'], 'array'],
    [null, 'null'],
  ])('%j is refused as a value', async (raw, received) => {
    expect(await refusal(raw, text)).toMatchObject([{ code: 'invalid_type', path: [], expected: 'object', received }])
  })

  test('10 MB, counted in bytes, are accepted', async () => {
    const limit = 10 * 1024 * 1024
    expect(await store('a'.repeat(limit), text)).toBeDefined()
    expect(await refusal('é'.repeat(limit / 2 + 1), text)).toMatchObject([
      { code: 'too_big', path: ['value'], maximum: limit },
    ])
  })

  test('NUL is refused', async () => {
    expect(await refusal('a\0b', text)).toMatchObject([{ code: 'invalid', path: ['value'] }])
  })

  test('operands are strings', () => {
    expect(operand('Ada', text, 'value', '$contains')).toBe('Ada')
    expect(() => operand(5, text, 'value')).toThrow('Expected string, received number')
  })
})
