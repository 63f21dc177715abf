import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { attributeType } from './registry'
import { operand, refusal, write } from './testing/try-value'

const checkbox = attribute('checkbox')

describe('checkbox', () => {
  test.each([
    [true, true],
    [false, false],
    ['true', true],
    ['false', false],
  ])('%j is read as %p', async (raw, value) => {
    expect(await write(raw, checkbox)).toEqual({ value })
    expect(await write({ value: raw }, checkbox)).toEqual({ value })
  })

  test.each(['TRUE', 'yes', '', 1, 0])('%j is refused', async (raw) => {
    expect(await refusal(raw, checkbox)).toMatchObject([{ path: ['value'] }])
  })

  test('null is refused', () => {
    expect(attributeType('checkbox').allows.null).toBe(false)
  })

  test('an entity without a value counts as false', () => {
    expect(attributeType('checkbox').properties.value).toMatchObject({ absentAs: false })
    expect(operand('false', checkbox, 'value')).toBe(false)
    expect(() => operand(0, checkbox, 'value')).toThrow('Expected boolean, received number')
  })
})
