import { describe, expect, test } from 'bun:test'
import { readChecked } from './checkboxes'
import { readDay, readInstant } from './dates'
import { readAnyNumber } from './numbers'

describe('readAnyNumber', () => {
  test.each([
    ['5', 5],
    ['-1,234.5', -1234.5],
    ['1.234,5', 1234.5],
    ['1 234', 1234],
    ['1,5', 1.5],
    ['.5', 0.5],
    ['€1,234.50', 1234.5],
    ['1.234,50 €', 1234.5],
    ['-$12', -12],
    ['USD 12', 12],
    ['12 EUR', 12],
    ['12 %', 12],
    ['1.2M', 1_200_000],
    ['1e3', 1000],
  ])('reads %s', (text, number) => {
    expect(readAnyNumber(text)).toBe(number)
  })

  test.each(['', 'twelve', '12 kg', '1,23,4', '--1', '1-2', '9'.repeat(401)])('refuses %s', (text) => {
    expect(readAnyNumber(text)).toBeUndefined()
  })
})

describe('readDay', () => {
  test.each([
    ['2024-05-06', '2024-05-06'],
    ['2024-05-06T10:00:00Z', '2024-05-06'],
    ['2024/5/6', '2024-05-06'],
    ['6.5.2024', '2024-05-06'],
    ['13/5/2024', '2024-05-13'],
    ['5/13/2024', '2024-05-13'],
    ['May 6, 2024', '2024-05-06'],
    ['6 May 2024', '2024-05-06'],
    ['6-Sept-2024', '2024-09-06'],
  ])('reads %s', (text, day) => {
    expect(readDay(text)).toBe(day)
  })

  test.each(['', '1/2/2014', '2024-02-30', 'May 2024', '31 Foo 2024', '2024'])('refuses %s', (text) => {
    expect(readDay(text)).toBeUndefined()
  })
})

test('readInstant reads instants, local times and days', () => {
  expect(readInstant('2024-05-06T10:00:00.000Z')).toBe('2024-05-06T10:00:00.000Z')
  expect(readInstant('2024-05-06 10:00')).toBe(new Date('2024-05-06 10:00').toISOString())
  expect(readInstant('May 6, 2024')).toBe(new Date('2024-05-06T00:00:00').toISOString())
  expect(readInstant('soon')).toBeUndefined()
})

test.each([
  ['TRUE', true],
  ['yes', true],
  ['x', true],
  ['1', true],
  ['No', false],
  ['0', false],
  ['maybe', undefined],
])('readChecked reads %s', (text, checked) => {
  expect(readChecked(text)).toBe(checked)
})
