import { describe, expect, test } from 'bun:test'
import { microsOf } from './formats/instants'
import { attributeType } from './registry'
import { attribute } from './testing/sample-model'
import { operand, read, refusal, store, write } from './testing/try-value'

const timestamp = attribute('timestamp')
const { key } = attributeType('timestamp')

describe('timestamp', () => {
  test.each([
    ['2023', '2023-01-01T00:00:00.000000000Z'],
    ['2023-05', '2023-05-01T00:00:00.000000000Z'],
    ['2023-01-02', '2023-01-02T00:00:00.000000000Z'],
    ['2023-01-02T13', '2023-01-02T13:00:00.000000000Z'],
    ['2023-01-02T13:00', '2023-01-02T13:00:00.000000000Z'],
    ['2023-01-02T13:00:00', '2023-01-02T13:00:00.000000000Z'],
    ['2023-01-02 13:00:00Z', '2023-01-02T13:00:00.000000000Z'],
    ['2023-01-02t13:00:00z', '2023-01-02T13:00:00.000000000Z'],
    ['2023-01-02T13:00:00+00:00', '2023-01-02T13:00:00.000000000Z'],
    ['2023-01-02T15:00:00.000000000+02:00', '2023-01-02T13:00:00.000000000Z'],
    ['2023-01-02T23:00:00-10:00', '2023-01-03T09:00:00.000000000Z'],
    ['2023-01-02T13:00:00+0530', '2023-01-02T07:30:00.000000000Z'],
    ['2023-01-02T13:00:00-08', '2023-01-02T21:00:00.000000000Z'],
    ['2025-07-22T15:07:00.895Z', '2025-07-22T15:07:00.895000000Z'],
    ['2025-07-22T15:07:00.123456789Z', '2025-07-22T15:07:00.123456789Z'],
    ['2025-07-22T15:07:00.1234567899999Z', '2025-07-22T15:07:00.123456789Z'],
    ['2025-07-22T15:07:00.000000001Z', '2025-07-22T15:07:00.000000001Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000000000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
  ])('%s is %s', async (raw, value) => {
    expect(await write(raw, timestamp)).toEqual({ value })
    expect(await write({ value: raw }, timestamp)).toEqual({ value })
  })

  test.each([
    '2023-02-30T10:00:00Z',
    '9999-12-31T23:59:59-00:01',
    '2023-01-02T25:00',
    'now',
    '',
    '1700000000',
    '2023-01-02Z',
  ])('%j is refused', async (raw) => {
    expect(await refusal(raw, timestamp)).toEqual([
      {
        code: 'invalid_string',
        path: ['value'],
        message: 'Invalid timestamp; expected ISO 8601 such as 2026-01-31T14:30:00Z, or a date',
        string_validation: 'datetime',
      },
    ])
  })

  test('is stored as PostgreSQL prints it, with the nanoseconds separately', async () => {
    expect(await store('2025-07-22T15:07:00.895Z', timestamp)).toEqual({
      value: '2025-07-22 15:07:00.895+00',
      value_ns: null,
    })
    expect(await store('2025-07-22T15:07:00.12345678Z', timestamp)).toEqual({
      value: '2025-07-22 15:07:00.123456+00',
      value_ns: 780,
    })
    expect(operand('2025-07-22', timestamp, 'value', '$lt')).toEqual(['2025-07-22 00:00:00+00', null])
  })

  test.each([
    '2025-07-22 15:07:00.895+00',
    '2025-07-22T15:07:00.895+00:00',
    '2025-07-22T15:07:00.895000000Z',
    '2025-07-22T15:07:00.895000Z',
  ])('%s is rendered like any other form of the same time', (value) => {
    expect(read({ value, value_ns: null }, timestamp)).toEqual({ value: '2025-07-22T15:07:00.895000000Z' })
    expect(key({ value, value_ns: null })).toBe(key({ value: '2025-07-22 15:07:00.895+00', value_ns: null }))
  })

  test('microsOf converts a time to microseconds, and throws for an invalid one', () => {
    expect(microsOf('1970-01-01T00:00:01.000002Z')).toBe(1_000_002)
    expect(() => microsOf('9999-01-01')).toThrow(
      'Invalid timestamp; expected ISO 8601 such as 2026-01-31T14:30:00Z, or a date',
    )
  })
})
