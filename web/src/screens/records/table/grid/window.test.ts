import { describe, expect, test } from 'bun:test'
import { inOrderOf, maxRendered, scrollTopOf, visibleWindow } from './window'

describe('the rows that are drawn', () => {
  test('begin at the top', () => {
    const { height, first, end } = visibleWindow(1000, 36, { scrollTop: 0, height: 720 })
    expect([height, first, end]).toEqual([36_000, 0, 29])
  })

  test('are the visible ones and some before and after them, in the places that they keep', () => {
    const { first, end, base, top } = visibleWindow(1000, 36, { scrollTop: 3600, height: 720 })
    expect([first, end, base, top]).toEqual([92, 129, 0, 0])
  })

  test('are as many wherever the first one is cut', () => {
    const sizes = [3600, 3601, 3635, 3636].map((scrollTop) => {
      const { first, end } = visibleWindow(1000, 36, { scrollTop, height: 715 })
      return end - first
    })
    expect(sizes).toEqual(Array.from({ length: 4 }, () => maxRendered(36, 715)))
  })

  test('end where the table ends', () => {
    const few = visibleWindow(10, 36, { scrollTop: 0, height: 720 })
    expect([few.height, few.first, few.end]).toEqual([360, 0, 10])
    const none = visibleWindow(0, 36, { scrollTop: 0, height: 720 })
    expect([none.height, none.first, none.end]).toEqual([0, 0, 0])
  })

  test('of a million reach the last row, in an element whose height browsers allow', () => {
    const height = visibleWindow(1_000_000, 36, { scrollTop: 0, height: 720 }).height
    expect(height).toBeLessThan(16_000_000)
    const { end, base, top } = visibleWindow(1_000_000, 36, { scrollTop: height - 720, height: 720 })
    expect(end).toBe(1_000_000)
    expect(top + (end - base) * 36).toBeCloseTo(height, 3)
  })

  test('of a million keep their places relative to each other', () => {
    const one = visibleWindow(1_000_000, 36, { scrollTop: 3600, height: 720 })
    const other = visibleWindow(1_000_000, 36, { scrollTop: 3720, height: 720 })
    expect(other.first).toBeGreaterThan(one.first)
    expect(other.base).toBe(one.base)
  })
})

describe('the elements of rows', () => {
  test('keep their order while the rows in them change', () => {
    const slots = [5, 6, 7].map((index) => index % 3)
    expect(inOrderOf([5, 6, 7], 3, slots)).toEqual([5, 6, 7])
    expect(inOrderOf([6, 7, 8], 3, slots)).toEqual([8, 6, 7])
    expect(inOrderOf([3, 4, 5], 3, slots)).toEqual([5, 3, 4])
  })

  test('that are added are the last ones', () => {
    expect(inOrderOf([1, 2, 3, 4], 5, [2, 3])).toEqual([2, 3, 1, 4])
  })
})

describe('scrolling to a row', () => {
  const table = { count: 1000, rowHeight: 36, head: 36 }
  test.each([
    ['seen', 5, 0, undefined],
    ['below', 30, 0, 31 * 36 - 684],
    ['above', 3, 3600, 108],
  ] as const)('that is %s', (_, index, scrollTop, expected) => {
    expect(scrollTopOf(index, table, { scrollTop, height: 720 })).toBe(expected)
  })
})
