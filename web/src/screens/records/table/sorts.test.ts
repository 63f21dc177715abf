import { describe, expect, test } from 'bun:test'
import { nextSorts, readSorts, sortsText } from './sorts'

test.each(['', 'name', '-amount,name', '-a'])('"%s" is read and written alike', (text) => {
  expect(sortsText(readSorts(text) ?? [])).toBe(text)
})

test('nothing is said of what is absent or empty', () => {
  expect(readSorts(null)).toBeUndefined()
  expect(readSorts(',-,')).toEqual([])
})

describe('a press on a heading', () => {
  const name = (direction: 'asc' | 'desc') => ({ attribute: 'name', direction })
  const amount = { attribute: 'amount', direction: 'desc' } as const
  test.each([
    ['sorts upwards', [], false, [name('asc')]],
    ['then downwards', [name('asc')], false, [name('desc')]],
    ['then not at all', [name('desc')], false, []],
    ['takes the place of others', [amount], false, [name('asc')]],
    ['or is added to them', [amount], true, [amount, name('asc')]],
  ] as const)('%s', (_, before, isAdded, after) => {
    expect(nextSorts(before, 'name', isAdded)).toEqual([...after])
  })
})
