import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { repeat } from './repeat'

let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeEach(() => {
  complaints = spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => complaints.mockRestore())

/** Work whose rounds are counted, and resolve when they are let go. */
function rounds() {
  let begun = 0
  let signal: AbortSignal | undefined
  let next = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  return {
    gate,
    begun: () => begun,
    signal: () => signal,
    async work(stopping: AbortSignal) {
      begun += 1
      signal = stopping
      next.resolve()
      await gate.promise
    },
    async another() {
      next = Promise.withResolvers()
      await next.promise
    },
  }
}

describe('what is repeated', () => {
  test('goes on after a round that failed, of which it is told', async () => {
    const { work, another, gate } = rounds()
    const running = repeat(1, work, 'It could not be done.')
    await another()
    gate.reject(new Error('away'))
    await another()
    await running.stop()
    const [line = ''] = complaints.mock.calls[0] ?? []
    expect(JSON.parse(line)).toMatchObject({ level: 'error', message: 'It could not be done.', error: 'away' })
  })

  test('has one round at a time, and a stop waits for its end', async () => {
    const { work, another, gate, begun, signal } = rounds()
    const running = repeat(1, work, '')
    await another()
    const later = Promise.withResolvers<void>()
    setTimeout(later.resolve, 20) // some rounds would have begun meanwhile
    await later.promise
    let isStopped = false
    const stopped = running.stop().then(() => (isStopped = true))
    await Promise.resolve()
    expect([begun(), signal()?.aborted, isStopped]).toEqual([1, true, false])
    gate.resolve()
    await stopped
  })
})
