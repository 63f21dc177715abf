import { describe, expect, test } from 'bun:test'
import { readAhead } from '#transfer/import/run-import'

/** Yields the numbers up to `last`, and reports how many were requested. */
function counter(last: number) {
  const state = { made: 0, isEnded: false }
  async function* count() {
    try {
      while (state.made < last) yield ++state.made
    } finally {
      state.isEnded = true
    }
  }
  return { state, source: count() }
}

/** Waits until all pending microtasks have run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('readAhead', () => {
  test.each([0, 1, 2, 7])('yields all %d items in their order', async (last) => {
    const { source } = counter(last)
    expect(await Array.fromAsync(readAhead(source, 3))).toEqual(Array.from({ length: last }, (_, index) => index + 1))
  })

  test.each([1, 3])('produces %d items while the consumer works on one', async (most) => {
    const { source, state } = counter(10)
    for await (const item of readAhead(source, most)) {
      await settle()
      expect(state.made).toBe(Math.min(item + most, 10))
    }
  })

  test('ends the source when the consumer stops', async () => {
    const { source, state } = counter(10)
    for await (const item of readAhead(source, 2)) if (item === 2) break
    expect(state.isEnded).toBe(true)
  })

  test('throws a failure of the source after the items before it', async () => {
    async function* failing() {
      yield 1
      yield 2
      throw new Error('torn')
    }
    const seen: number[] = []
    const reading = async () => {
      for await (const item of readAhead(failing(), 3)) {
        await settle()
        seen.push(item)
      }
    }
    await expect(reading()).rejects.toThrow('torn')
    expect(seen).toEqual([1, 2])
  })
})
