import { expect, test } from 'bun:test'
import { detachString } from '#transfer/import/match/target-lookup'

test.each(['', 'example.com', 'Zoë', '日本語 😀', 'a\u001fb'])('a copy equals its original: %p', (text) => {
  expect(detachString(text)).toBe(text)
})

test('a copy does not keep the original in memory', () => {
  const kept: string[] = []
  const grown = () => {
    Bun.gc(true)
    return process.memoryUsage().rss
  }
  const before = grown()
  for (let index = 0; index < 200; index++) {
    const piece = Buffer.alloc(1024 * 1024, `${index},`).toString()
    kept.push(detachString(piece.slice(500_000, 500_020)))
  }
  expect(grown() - before).toBeLessThan(100_000_000)
  expect(kept).toHaveLength(200)
})
