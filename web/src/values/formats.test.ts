import { expect, test } from 'bun:test'
import { sizeText } from './formats'

test.each([
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1_000, '1 kB'],
  [12_345, '12.3 kB'],
  [999_999, '999 kB'],
  [25_000_000, '25 MB'],
  [500_000_000, '500 MB'],
  [1_234_000_000, '1.23 GB'],
  [5_000_000_000_000, '5,000 GB'],
])('%d is %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text.replace(' ', '\u00a0'))
})
