import { expect, test } from 'bun:test'
import { groupByDay } from './days'

const now = new Date(2026, 2, 1, 9, 30)
const at = (...[year, month, day, hour]: [number, number, number, number]) => ({
  at: new Date(year, month, day, hour).toISOString(),
})

test.each([
  ['no items', [], []],
  [
    'the day after',
    [at(2026, 2, 2, 12), at(2026, 2, 1, 9)],
    [
      ['Tomorrow', 1],
      ['Today', 1],
    ],
  ],
  ['the present day', [at(2026, 2, 1, 9), at(2026, 2, 1, 0)], [['Today', 2]]],
  [
    'the day before, also at the end of a month',
    [at(2026, 2, 1, 0), at(2026, 1, 28, 23)],
    [
      ['Today', 1],
      ['Yesterday', 1],
    ],
  ],
  [
    'days of this year and of another one',
    [at(2026, 0, 5, 12), at(2025, 11, 31, 12), at(2025, 11, 31, 1)],
    [
      ['Monday, January 5', 1],
      ['December 31, 2025', 2],
    ],
  ],
] as const)('%s', (_, items, days) => {
  const grouped = groupByDay(items, now).map(({ label, items }) => [label, items.length])
  expect(grouped).toEqual(days.map((day) => [...day]))
})
