import { describe, expect, test } from 'bun:test'
import { groupDrawing as drawingOf, type Group, type Naming, periodsBetween } from './chart-groups'

const WORDS = { without: 'None', others: 'Others' }
const groupDrawing = (
  aggregates: { readonly groups?: readonly Group[] },
  definition: Omit<Parameters<typeof drawingOf>[1], 'words'>,
) => drawingOf(aggregates, { ...definition, words: WORDS })

const measure = (fn: string, name: string = fn) => ({ function: fn, name, text: String })
const byTitle: Naming = { name: 'Stage', step: undefined, textOf: ({ title }) => String(title) }
const byMonth: Naming = { ...byTitle, name: 'Month', step: 'month' }
const group = (title: string | null, ...aggregate_values: (number | null)[]) => ({
  value: title === null ? null : { title },
  total: aggregate_values[0] ?? 0,
  aggregate_values,
})
const month = (day: string | null, ...aggregate_values: (number | null)[]) => ({
  ...group(null, ...aggregate_values),
  value: day === null ? null : { value: day },
})

describe('the drawing of groups', () => {
  test('has a series for each aggregate', () => {
    const groups = [group('Won', 3, 1.5), group(null, 1, null)]
    const measures = [measure('count'), measure('average')]
    const drawing = groupDrawing({ groups }, { kind: 'bars', measures, group: byTitle, split: undefined })
    expect(drawing).toMatchObject({ categoryName: 'Stage', categories: ['Won', 'None'], isStacked: false })
    expect(drawing.series.map(({ name, values }) => [name, values])).toEqual([
      ['count', [3, 1]],
      ['average', [1.5, null]],
    ])
  })

  test('has options in their order, and what has none last', () => {
    const groups = [group('Won', 3), group(null, 2), group('Lead', 1)]
    const positionOf = ({ title }: Readonly<Record<string, unknown>>) => ['Lead', 'Won'].indexOf(String(title))
    const ordered = { ...byTitle, positionOf }
    const definition = { kind: 'bars', measures: [measure('count')], group: ordered, split: undefined } as const
    expect(groupDrawing({ groups }, definition).categories).toEqual(['Lead', 'Won', 'None'])
    const split = { ...definition, group: byTitle, split: ordered }
    const { series } = groupDrawing({ groups: [{ ...group('x', 6), splits: groups }] }, split)
    expect(series.map(({ name }) => name)).toEqual(['Lead', 'Won', 'None'])
  })

  test('has periods without records, and leaves out those without a time', () => {
    const groups = [month('2025-11-01', 2, 4), month('2026-01-01', 1, 7), month(null, 9, 9)]
    const measures = [measure('count'), measure('max')]
    const drawing = groupDrawing({ groups }, { kind: 'lines', measures, group: byMonth, split: undefined })
    expect(drawing.categories).toHaveLength(3)
    expect(drawing.series.map(({ values }) => values)).toEqual([
      [2, 0, 1],
      [4, null, 7],
    ])
    const none = groupDrawing({ groups: [] }, { kind: 'lines', measures, group: byMonth, split: undefined })
    expect(none.categories).toEqual([])
  })

  test('stacks splits that add up, the largest first and the smallest together', () => {
    const splits = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((title, index) => group(title, 8 - index))
    const groups = [
      { ...group('Won', 36), splits },
      { ...group('Lost', 2), splits: [group('a', 2)] },
    ]
    const definition = { measures: [measure('count')], group: byTitle, split: byTitle }
    const drawing = groupDrawing({ groups }, { kind: 'bars', ...definition })
    expect(drawing.isStacked).toBe(true)
    expect(drawing.series.map(({ name, values }) => [name, values])).toEqual([
      ['a', [8, 2]],
      ['b', [7, 0]],
      ['c', [6, 0]],
      ['d', [5, 0]],
      ['e', [4, 0]],
      ['Others', [6, 0]],
    ])
    expect(groupDrawing({ groups }, { kind: 'lines', ...definition }).isStacked).toBe(false)
  })

  test('leaves out the smallest splits whose values do not add up', () => {
    const splits = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((title, index) => group(title, 8 - index))
    const definition = { measures: [measure('average')], group: byTitle, split: byTitle }
    const drawing = groupDrawing({ groups: [{ ...group('Won', 1), splits }] }, { kind: 'bars', ...definition })
    expect([drawing.series.length, drawing.isStacked]).toEqual([6, false])
  })
})

test.each([
  ['day', '2026-02-27', '2026-03-01', ['2026-02-27', '2026-02-28', '2026-03-01']],
  ['week', '2026-03-23', '2026-04-06', ['2026-03-23', '2026-03-30', '2026-04-06']],
  ['month', '2025-11-01', '2026-01-01', ['2025-11-01', '2025-12-01', '2026-01-01']],
  ['quarter', '2025-10-01', '2026-04-01', ['2025-10-01', '2026-01-01', '2026-04-01']],
  ['year', '2024-01-01', '2026-01-01', ['2024-01-01', '2025-01-01', '2026-01-01']],
] as const)('the periods by %s from %s to %s', (step, first, last, periods) => {
  expect(periodsBetween(step, first, last)).toEqual(periods)
})

test('at most 1,000 periods', () => {
  expect(periodsBetween('day', '1000-01-01', '2026-01-01')).toHaveLength(1000)
})
