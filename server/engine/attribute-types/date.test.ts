import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { operand, refusal, write } from './testing/try-value'

const date = attribute('date')

describe('date', () => {
  test.each([
    ['2023', '2023-01-01'],
    ['2023-01', '2023-01-01'],
    ['2023-01-02', '2023-01-02'],
    ['2023-01-02T13:00', '2023-01-02'],
    ['2023-01-02T15:00:00.000000000+02:00', '2023-01-02'],
    ['2023-01-02T23:00:00-10:00', '2023-01-03'],
    ['2023-01-01T00:30:00+01:00', '2022-12-31'],
    ['2023-01-02 13:00:00Z', '2023-01-02'],
    [' 2023-11-24 ', '2023-11-24'],
    ['2024-02-29', '2024-02-29'],
    ['0001-01-01', '0001-01-01'],
    ['0099-03-01T00:30:00+01:00', '0099-02-28'],
    ['9999-12-31', '9999-12-31'],
  ])('%s is %s', async (raw, value) => {
    expect(await write(raw, date)).toEqual({ value })
    expect(await write({ value: raw }, date)).toEqual({ value })
    expect(operand(raw, date, 'value')).toBe(value)
  })

  test.each([
    '2023-02-30',
    '2023-02-29',
    '1900-02-29',
    '2023-13',
    '2023-00-01',
    '2023-04-31',
    '2023-01-00',
    '0000-12-31',
    '9999-12-31T23:59:59-01:00',
    '0001-01-01T00:00:00+01:00',
    '10000-01-01',
    '23-01-01',
    '02/01/2023',
    'tomorrow',
    '',
    '2023-1-2',
    '2023-01-02T24:00',
    '2023-01-02T13:60',
    '2023-01-02T13:00+25:00',
  ])('%j is refused', async (raw) => {
    expect(await refusal(raw, date)).toEqual([
      {
        code: 'invalid_string',
        path: ['value'],
        message: 'Invalid date; expected a form such as 2026-01-31, 2026-01 or 2026',
        string_validation: 'datetime',
      },
    ])
  })

  test('a number is refused', async () => {
    expect(await refusal(2023, date)).toMatchObject([{ code: 'invalid_type', path: ['value'], received: 'number' }])
  })
})
