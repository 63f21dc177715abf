import { expect, test } from 'bun:test'
import { countFitting } from './count-fitting'

test.each([
  [[50], 10, 1],
  [[50, 50], 104, 2],
  [[50, 50], 103, 1],
  [[20, 20, 20, 20], 92, 4],
  [[20, 20, 20, 20], 90, 2],
  [[20, 20, 20, 20], 81, 1],
  [[200, 20], 90, 1],
  [[], 90, 0],
])('of %j, in %d pixels, %d fit', (widths, available, count) => {
  expect(countFitting(widths, available)).toBe(count)
})
