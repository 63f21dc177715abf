import { expect, test } from 'bun:test'
import { sizeInWords } from './csv-line'

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [64_000, '64 kB'],
  [512_000, '512 kB'],
  [999_999, '999.99 kB'],
  [1_000_000, '1 MB'],
  [1_500_000, '1.5 MB'],
  [25_000_000, '25 MB'],
  [1_073_741_824, '1.07 GB'],
  [1_000_000_000_000, '1000 GB'],
])('%d is %s', (bytes, words) => {
  expect(sizeInWords(bytes)).toBe(words)
})
