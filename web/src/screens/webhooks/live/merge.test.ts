import { expect, test } from 'bun:test'
import { mergeNewest } from './merge'

interface Row {
  readonly id: string
  readonly status: string
}

const row = (id: string, status = 'sent'): Row => ({ id, status })
const rules = { idOf: ({ id }: Row) => id, fits: ({ status }: Row) => status !== 'hidden', most: 3 }

const CASES: [what: string, before: Row[], changed: Row[], after: Row[], added: number, isCut: boolean][] = [
  ['nothing', [row('b'), row('a')], [], [row('b'), row('a')], 0, false],
  ['the first ones, in whatever order', [], [row('a'), row('b')], [row('b'), row('a')], 0, false],
  ['a new one above', [row('a')], [row('b')], [row('b'), row('a')], 1, false],
  ['a change in place', [row('b'), row('a')], [row('a', 'again')], [row('b'), row('a', 'again')], 0, false],
  ['an older one where it belongs', [row('c'), row('a')], [row('b')], [row('c'), row('b'), row('a')], 0, false],
  ['one that does not fit', [row('a')], [row('b', 'hidden')], [row('a')], 0, false],
  ['one that fits no more', [row('b'), row('a')], [row('b', 'hidden')], [row('a')], 0, false],
  ['more than are kept', [row('b'), row('a')], [row('c'), row('d')], [row('d'), row('c'), row('b')], 2, true],
]

test.each(CASES)('%s', (_, before, changed, after, added, isCut) => {
  expect(mergeNewest(before, changed, rules)).toEqual({ rows: after, added, isCut })
})
