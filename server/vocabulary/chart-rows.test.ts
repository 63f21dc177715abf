import { describe, expect, test } from 'bun:test'
import { chartOfRows } from './chart-rows'

const texts = { numberText: String, cellText: (value: unknown) => String(value ?? '') }
const chartOf = (result: Parameters<typeof chartOfRows>[0]) => chartOfRows(result, texts)

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
      kind: 'bars',
      categoryName: 'stage',
      categories: ['Won', ''],
      series: [
        { name: 'count', values: [3, 1], text: expect.any(Function) },
        { name: 'sum', values: [1.5, null], text: expect.any(Function) },
      ],
      isStacked: false,
      isPartial: false,
    })
  })

  test.each(['date', 'timestamp with time zone', 'timestamptz'])('has lines for a first column of type %s', (type) => {
    const chart = chartOf(resultOf([{ name: 'month', type }, count], ['2026-01-01', 1], ['2026-02-01', 2]))
    expect(chart?.kind).toBe('lines')
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
    const numbers = Array.from({ length: 8 }, (_, index) => ({ name: `n${index}`, type: 'int' }))
    const rows = Array.from({ length: 100 }, (_, index) => [`c${index}`, 1, 2, 3, 4, 5, 6, 7, 8])
    const chart = chartOf(resultOf([text('c'), ...numbers], ...rows))
    expect([chart?.categories.length, chart?.series.length, chart?.isPartial]).toEqual([60, 6, true])
  })
})
