import { describe, expect, test } from 'bun:test'
import { nextSorts, readSorts, sortsText } from './sorts'

test.each(['', 'name', '-amount,name', '-a'])('"%s" is the same after it was parsed and written', (text) => {
  expect(sortsText(readSorts(text) ?? [])).toBe(text)
})

test('without a text there are no sorts, and empty names are left out', () => {
  expect(readSorts(null)).toBeUndefined()
  expect(readSorts(',-,')).toEqual([])
})

describe('a click on a column heading', () => {
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
