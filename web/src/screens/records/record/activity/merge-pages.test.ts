import { describe, expect, test } from 'bun:test'
import { type Page, withNewest, withOlder } from './merge-pages'

const page = (ids: string, nextCursor: string | null): Page<{ id: string }> => ({
  items: [...ids].map((id) => ({ id })),
  nextCursor,
})

const idsOf = ({ items, nextCursor }: Page<{ id: string }>) => [items.map(({ id }) => id).join(''), nextCursor]

describe('the newest page', () => {
  test.each([
    ['the same', page('ab', 'b'), page('ab', 'b'), ['ab', 'b']],
    ['one item more', page('bcd', 'd'), page('ab', 'b'), ['abcd', 'd']],
    ['one item fewer', page('abcd', 'd'), page('ac', 'c'), ['acd', 'd']],
    ['a whole list that became shorter', page('abcd', 'd'), page('ab', null), ['ab', null]],
    ['nothing in common', page('cde', 'e'), page('ab', 'b'), ['ab', 'b']],
    ['the first items of an empty list', page('', null), page('ab', 'b'), ['ab', 'b']],
  ])('%s', (_, shown, newest, expected) => {
    expect(idsOf(withNewest(shown, newest))).toEqual(expected)
  })
})

describe('older items', () => {
  test.each([
    ['follow', page('ab', 'b'), page('cd', 'd'), ['abcd', 'd']],
    ['end the list', page('ab', 'b'), page('c', null), ['abc', null]],
    ['that are there already', page('abc', 'b'), page('cd', 'd'), ['abcd', 'd']],
  ])('%s', (_, shown, older, expected) => {
    expect(idsOf(withOlder(shown, older))).toEqual(expected)
  })
})
