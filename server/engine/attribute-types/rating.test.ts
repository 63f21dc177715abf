import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { refusal, write } from './testing/try-value'

const rating = attribute('rating')

describe('rating', () => {
  test.each([0, 1, 2.5, 5])('%p is a rating', async (value) => {
    expect(await write(value, rating)).toEqual({ value })
    expect(await write({ value }, rating)).toEqual({ value })
  })

  test.each([
    [-1, { code: 'too_small', minimum: 0, inclusive: true, kind: 'number' }],
    [5.01, { code: 'too_big', maximum: 5, inclusive: true, kind: 'number' }],
    ['3', { code: 'invalid_type', expected: 'number', received: 'string' }],
  ])('%j is refused', async (raw, issue) => {
    expect(await refusal(raw, rating)).toMatchObject([{ ...issue, path: ['value'] }])
  })
})
