import { describe, expect, test } from 'bun:test'
import { scrollTopOf, visibleWindow } from './window'

describe('the rows that are drawn', () => {
  test('begin at the top', () => {
    expect(visibleWindow(1000, 36, { scrollTop: 0, height: 720 })).toEqual({
      height: 36_000,
      first: 0,
      end: 28,
      top: 0,
    })
  })

  test('are the visible ones and some before and after them', () => {
    const { first, end, top } = visibleWindow(1000, 36, { scrollTop: 3600, height: 720 })
    expect([first, end, top]).toEqual([92, 128, 92 * 36])
  })

  test('end where the table ends', () => {
    expect(visibleWindow(10, 36, { scrollTop: 0, height: 720 })).toEqual({ height: 360, first: 0, end: 10, top: 0 })
    expect(visibleWindow(0, 36, { scrollTop: 0, height: 720 })).toEqual({ height: 0, first: 0, end: 0, top: 0 })
  })

  test('of a million reach the last row, in an element whose height browsers allow', () => {
    const height = visibleWindow(1_000_000, 36, { scrollTop: 0, height: 720 }).height
    expect(height).toBeLessThan(16_000_000)
    const { end, first, top } = visibleWindow(1_000_000, 36, { scrollTop: height - 720, height: 720 })
    expect(end).toBe(1_000_000)
    expect(top + (end - first) * 36).toBeCloseTo(height, 3)
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
