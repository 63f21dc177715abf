import { describe, expect, test } from 'bun:test'
import { readCheckbox, readDate, readDecimalText, readName, readNumber } from './written-values'

describe('readNumber', () => {
  test.each([
    ['5', 5],
    ['12', 12],
    ['-1,234.5', -1234.5],
    ['+3', 3],
    ['1.234.567', 1234567],
    ['1.234,5', 1234.5],
    ['1.5', 1.5],
    ['1,5', 1.5],
    ['12,5', 12.5],
    ['1 234', 1234],
    ['.5', 0.5],
    ['12 %', 12],
    ['3k', 3000],
    ['3 thousand', 3000],
    ['1.2M', 1_200_000],
    ['1.25 million', 1_250_000],
    ['5 mio', 5_000_000],
    ['5 MIO', 5_000_000],
    ['2 bn', 2_000_000_000],
    ['1e3', 1000],
    ['€1,234.50', 1234.5],
    ['1.234,50 €', 1234.5],
    ['-$12', -12],
    ['$1.2M', 1_200_000],
    ['1.2 million USD', 1_200_000],
    ['USD 12', 12],
    ['12 EUR', 12],
    ['-EUR 1.000,50', -1000.5],
    ['0.1M', 100_000],
    ['1.005k', 1005],
  ])('reads %s', (text, number) => expect(readNumber(text)).toBe(number))

  test.each([
    '',
    'twelve',
    '12 kg',
    '12 apples',
    '12 PCS',
    'ABC 123',
    '1,23,4',
    '--1',
    '-$-12',
    '1-2',
    '$',
    '1e999',
    '9'.repeat(401),
  ])('refuses %s', (text) => expect(readNumber(text)).toBeUndefined())

  test('keeps every digit as text', () => {
    expect(readDecimalText('12,345,678,901,234,567.8901')).toBe('12345678901234567.8901')
  })
})

describe('readDate', () => {
  test.each([
    ['2010', '2010-01-01'],
    ['2010-03', '2010-03-01'],
    ['2010-03-04', '2010-03-04'],
    ['2010-03-04T10:00:00Z', '2010-03-04T10:00:00Z'],
    ['2010/3/4', '2010-03-04'],
    ['25/12/2010', '2010-12-25'],
    ['12/25/2010', '2010-12-25'],
    ['4.3.2010', '2010-03-04'],
    ['5/5/2010', '2010-05-05'],
    ['March 4, 2010', '2010-03-04'],
    ['4 Mar 2010', '2010-03-04'],
    ['6-Sept-2024', '2024-09-06'],
    ['Mar 2010', '2010-03-01'],
    ['29 Feb 2024', '2024-02-29'],
  ])('reads %s', (text, date) => expect(readDate(text)).toBe(date))

  test.each([
    '',
    'soon',
    '1/2/2014',
    '13/13/2010',
    '4th of March',
    '31 Foo 2024',
    '2024-02-30',
    '2024-02-30T10:00:00Z',
    '2024-13',
    '30.2.2024',
  ])('refuses %s', (text) => expect(readDate(text)).toBeUndefined())
})

describe('readName', () => {
  test.each([
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['Lovelace, Ada', 'Ada', 'Lovelace'],
    ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
    ['Mary Jane  Watson', 'Mary Jane', 'Watson'],
    ['Van Morrison', 'Van', 'Morrison'],
    ['Cher', 'Cher', ''],
  ])('%s', (text, first_name, last_name) => expect(readName(text)).toMatchObject({ first_name, last_name }))
})

test.each([
  ['TRUE', true],
  ['yes', true],
  ['x', true],
  ['1', true],
  ['☑', true],
  ['No', false],
  ['N', false],
  ['0', false],
  ['off', false],
  ['✗', false],
  ['☐', false],
  ['maybe', undefined],
])('readCheckbox reads %s', (text, isChecked) => expect(readCheckbox(text)).toBe(isChecked))
