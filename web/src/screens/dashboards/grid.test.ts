import { describe, expect, test } from 'bun:test'
import { arranged } from '#vocabulary/charts'
import { freePlace, resized, stepped, withPlace } from './grid'

const chart = (id: string, column: number, row: number, width = 6, height = 4) => ({
  id,
  place: { column, row, width, height },
})
const placesOf = (charts: readonly ReturnType<typeof chart>[]) =>
  Object.fromEntries(charts.map(({ id, place }) => [id, [place.column, place.row, place.width, place.height]]))

describe('the grid', () => {
  test('moves charts up until one is above them', () => {
    expect(placesOf(arranged([chart('a', 0, 3), chart('b', 6, 9), chart('c', 0, 20)]))).toEqual({
      a: [0, 0, 6, 4],
      b: [6, 0, 6, 4],
      c: [0, 4, 6, 4],
    })
  })

  test('moves a chart to a place, and those that have it below', () => {
    const charts = [chart('a', 0, 0), chart('b', 6, 0), chart('c', 0, 4)]
    const moved = withPlace(charts, 'c', { column: 3, row: 0, width: 6, height: 4 })
    expect(placesOf(moved)).toEqual({ c: [3, 0, 6, 4], a: [0, 4, 6, 4], b: [6, 4, 6, 4] })
  })

  test('steps up and down past the next chart, and sideways by a column', () => {
    const charts = [chart('a', 0, 0), chart('b', 0, 4, 6, 2), chart('c', 0, 6)]
    expect(placesOf(stepped(charts, 'a', 0, 1))).toEqual({ b: [0, 0, 6, 2], a: [0, 2, 6, 4], c: [0, 6, 6, 4] })
    expect(placesOf(stepped(charts, 'c', 0, -1))).toEqual({ a: [0, 0, 6, 4], c: [0, 4, 6, 4], b: [0, 8, 6, 2] })
    expect(placesOf(stepped(charts, 'a', 0, -1))).toEqual(placesOf(charts))
    expect(placesOf(stepped(charts, 'c', 0, 1))).toEqual(placesOf(charts))
    expect(placesOf(stepped([chart('a', 0, 0)], 'a', 1, 0))).toEqual({ a: [1, 0, 6, 4] })
    expect(placesOf(resized([chart('a', 0, 0)], 'a', 1, -1))).toEqual({ a: [0, 0, 7, 3] })
  })

  test('limits places to the grid', () => {
    const [moved] = withPlace([chart('a', 0, 0)], 'a', { column: 11, row: -3, width: 30, height: 90 })
    expect(moved?.place).toEqual({ column: 0, row: 0, width: 12, height: 20 })
    const [small] = withPlace([chart('a', 0, 0)], 'a', { column: 11, row: 0, width: 0, height: 0 })
    expect(small?.place).toEqual({ column: 10, row: 0, width: 2, height: 2 })
  })

  test('gives a new chart the first free place', () => {
    expect(freePlace([], { width: 6, height: 4 })).toMatchObject({ column: 0, row: 0 })
    expect(freePlace([chart('a', 0, 0)], { width: 6, height: 4 })).toMatchObject({ column: 6, row: 0 })
    expect(freePlace([chart('a', 3, 0)], { width: 6, height: 4 })).toMatchObject({ column: 0, row: 4 })
  })
})
