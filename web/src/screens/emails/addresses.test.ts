import { expect, test } from 'bun:test'
import { addressesIn } from './addresses'

test.each([
  ['ada@example.com', ['ada@example.com']],
  [' ada@example.com; Grace Hopper <grace@navy.mil>,\n ', ['ada@example.com', 'grace@navy.mil']],
  ['', []],
])('the addresses in %j', (text, expected) => {
  expect(addressesIn(text)).toEqual(expected)
})
