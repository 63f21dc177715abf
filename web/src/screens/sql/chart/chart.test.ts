import { describe, expect, test } from 'bun:test'
import { chartOf, scaleOf } from './chart'
import { linePath } from './line-path'

const text = (name: string) => ({ name, type: 'text' })
const count = { name: 'count', type: 'bigint' }
const resultOf = (columns: { name: string; type: string }[], ...rows: unknown[][]) => ({
  columns,
  rows: rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]))),
  truncated: false,
})

describe('the chart of a result', () => {
  test('has bars for categories, and a series for each numeric column', () => {
    const columns = [text('stage'), count, text('note'), { name: 'sum', type: 'numeric' }]
    expect(chartOf(resultOf(columns, ['Won', 3, 'x', 1.5], [null, 1, 'y', null]))).toEqual({
      kind: 'bar',
      categoryName: 'stage',
      categories: ['Won', ''],
      series: [
        { name: 'count', values: [3, 1] },
        { name: 'sum', values: [1.5, null] },
      ],
      isPartial: false,
    })
  })

  test.each(['date', 'timestamp with time zone', 'timestamptz'])('has lines for a first column of type %s', (type) => {
    const chart = chartOf(resultOf([{ name: 'month', type }, count], ['2026-01-01', 1], ['2026-02-01', 2]))
    expect(chart?.kind).toBe('line')
  })

  test.each([
    ['no columns', resultOf([])],
    ['one row', resultOf([text('stage'), count], ['Won', 3])],
    ['one column', resultOf([count], [1], [2])],
    ['no numeric column', resultOf([text('a'), text('b')], ['x', 'y'], ['x', 'y'])],
    ['a column of nulls', resultOf([text('a'), count], ['x', null], ['y', null])],
    ['texts among numbers', resultOf([text('a'), count], ['x', 1], ['y', 'Infinity'])],
  ])('is absent for %s', (_, result) => expect(chartOf(result)).toBeUndefined())

  test('shows the first rows and columns of a large result, and says so', () => {
    const numbers = Array.from({ length: 6 }, (_, index) => ({ name: `n${index}`, type: 'int' }))
    const rows = Array.from({ length: 100 }, (_, index) => [`c${index}`, 1, 2, 3, 4, 5, 6])
    const chart = chartOf(resultOf([text('c'), ...numbers], ...rows))
    expect([chart?.categories.length, chart?.series.length, chart?.isPartial]).toEqual([60, 4, true])
  })
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
      [0, 0.2, 0.4, 0.6, 0.8, 1],
    ],
    [
      [0.1, 0.3],
      [0, 0.1, 0.2, 0.3],
    ],
    [[1_234_567], [0, 500_000, 1_000_000, 1_500_000]],
    [[null], [0, 0.2, 0.4, 0.6, 0.8, 1]],
  ])('of %j has the lines %j', (values, ticks) => {
    const scale = scaleOf(values)
    expect(scale.ticks).toEqual(ticks)
    expect([scale.min, scale.max]).toEqual([ticks[0] ?? 0, ticks.at(-1) ?? 0])
  })
})

test('a missing value interrupts a line', () => {
  const frame = { x: (index: number) => index * 10, y: (value: number) => value }
  expect(linePath([1, 2, null, 3], frame)).toBe('M0.0 1.0L10.0 2.0M30.0 3.0')
  expect(linePath([null, 1], frame)).toBe('M10.0 1.0')
})
