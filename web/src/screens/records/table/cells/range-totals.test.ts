import { expect, test } from 'bun:test'
import { totalsOfRange } from './range-totals'

const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  price: [0.1, 0.2],
  weight: [3],
  none: [],
  size: [1, 1, 2],
}

test('sums and averages of columns with several numbers, exact to four decimals', () => {
  expect(totalsOfRange(Object.keys(NUMBERS), (column) => NUMBERS[column] ?? [])).toEqual([
    { column: 'price', sum: 0.3, average: 0.15 },
    { column: 'size', sum: 4, average: 1.3333 },
  ])
})

test('no more than three columns', () => {
  expect(totalsOfRange(['a', 'b', 'c', 'd'], () => [1, 2])).toHaveLength(3)
})
