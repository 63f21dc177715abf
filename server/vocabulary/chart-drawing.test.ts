import { describe, expect, test } from 'bun:test'
import { type Drawing, layersOf, rightSeries, scaleOf, scalesOf } from './chart-drawing'
import { areaPath, linePath } from './chart-marks'

const drawing = (series: readonly (readonly (number | null)[])[], isStacked = false): Drawing => ({
  kind: 'bars',
  categoryName: 'month',
  categories: (series[0] ?? []).map((_, index) => `c${index}`),
  series: series.map((values, index) => ({ name: `s${index}`, values, text: String })),
  isStacked,
})

describe('the scale', () => {
  test.each([
    [
      [3, 10, null],
      [0, 2, 4, 6, 8, 10],
    ],
    [
      [-3, 4],
      [-4, -2, 0, 2, 4],
    ],
    [
      [0, 0],
      [0, 1],
    ],
    [
      [2, 1],
      [0, 1, 2],
    ],
    [
      [2, 0.5],
      [0, 0.5, 1, 1.5, 2],
    ],
    [
      [0.1, 0.3],
      [0, 0.1, 0.2, 0.3],
    ],
    [[1_234_567], [0, 500_000, 1_000_000, 1_500_000]],
    [[null], [0, 1]],
  ])('of %j has the lines %j', (values, ticks) => {
    const scale = scaleOf(values)
    expect(scale.ticks).toEqual(ticks)
    expect([scale.min, scale.max]).toEqual([ticks[0] ?? 0, ticks.at(-1) ?? 0])
  })
})

describe('layers', () => {
  test('begin at zero beside each other, and where those before end on top of each other', () => {
    expect(layersOf(drawing([[1, 2], [3, null]]))).toEqual([
      [[0, 1], [0, 2]],
      [[0, 3], null],
    ]) // prettier-ignore
    expect(layersOf(drawing([[1, -2], [3, -4], [5, 6]], true))).toEqual([
      [[0, 1], [0, -2]],
      [[1, 4], [-2, -6]],
      [[4, 9], [0, 6]],
    ]) // prettier-ignore
    expect(
      scalesOf(
        drawing(
          [
            [1, -2],
            [3, -4],
          ],
          true,
        ),
      ).left,
    ).toMatchObject({ min: -6, max: 4 })
  })
})

describe('the right axis', () => {
  test.each([
    [
      [
        [1, 5],
        [40, 49],
      ],
      [false, false],
    ],
    [
      [
        [1, 5],
        [40, 51],
      ],
      [false, true],
    ],
    [
      [
        [5000, 100],
        [-3, 4],
        [900, 1],
      ],
      [false, true, false],
    ],
    [
      [
        [0, 0],
        [40, 51],
      ],
      [false, false],
    ],
    [
      [
        [1, null],
        [null, null],
      ],
      [false, false],
    ],
  ])('of %j is that of %j', (series, isRight) => expect(rightSeries(drawing(series))).toEqual(isRight))

  test('has its own scale, and stacked series have none', () => {
    const series = [
      [1, 5],
      [40, 510],
    ]
    expect(scalesOf(drawing(series)).right?.max).toBe(600)
    expect(scalesOf(drawing(series)).left.max).toBe(5)
    expect(scalesOf(drawing(series, true)).right).toBeUndefined()
  })
})

test('a missing value interrupts lines and areas', () => {
  const frame = { x: (index: number) => index * 10, y: (value: number) => value }
  const scale = scaleOf([])
  const layer = (values: (number | null)[]) => values.map((value) => (value === null ? null : ([0, value] as const)))
  expect(linePath(layer([1, 2, null, 3]), frame, scale)).toBe('M0.0 1.0L10.0 2.0M30.0 3.0')
  expect(linePath(layer([null, 1]), frame, scale)).toBe('M10.0 1.0')
  expect(areaPath(layer([1, 2, null, 3]), frame, scale)).toBe('M0.0 1.0L10.0 2.0L10.0 0.0L0.0 0.0ZM30.0 3.0L30.0 0.0Z')
})
