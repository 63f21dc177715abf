import { expect, test } from 'bun:test'
import { moveCell, dropIndex } from './key-navigation'

const extent = { rows: 100, columns: 5, page: 20 }
const from = { row: 10, column: 2 }

test.each([
  ['ArrowDown', false, { row: 11, column: 2 }],
  ['ArrowUp', false, { row: 9, column: 2 }],
  ['ArrowLeft', false, { row: 10, column: 1 }],
  ['ArrowRight', false, { row: 10, column: 3 }],
  ['ArrowDown', true, { row: 99, column: 2 }],
  ['ArrowLeft', true, { row: 10, column: 0 }],
  ['PageDown', false, { row: 30, column: 2 }],
  ['PageUp', false, { row: 0, column: 2 }],
  ['Home', false, { row: 10, column: 0 }],
  ['End', false, { row: 10, column: 4 }],
  ['Home', true, { row: 0, column: 0 }],
  ['End', true, { row: 99, column: 4 }],
  ['x', false, undefined],
] as const)('%s, far: %p', (key, ctrlKey, to) => {
  expect(moveCell({ key, ctrlKey, metaKey: false }, from, extent)).toEqual(to)
})

test('a key at an edge stays in the table', () => {
  const corner = { row: 0, column: 0 }
  for (const key of ['ArrowUp', 'ArrowLeft', 'PageUp']) {
    expect(moveCell({ key, ctrlKey: false, metaKey: false }, corner, extent)).toEqual(corner)
  }
})

test.each([
  [0, 2, true, 2],
  [0, 2, false, 1],
  [3, 1, false, 1],
  [3, 1, true, 2],
  [1, 2, false, 1],
  [2, 1, true, 2],
])('column %d dropped on %d, behind it: %p, becomes %d', (from, onto, isBehind, to) => {
  expect(dropIndex(from, onto, isBehind)).toBe(to)
})
