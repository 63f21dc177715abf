import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { runPeriodically } from './run-periodically'

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

/** As many rounds of other work as would have begun of any. */
async function severalRounds(): Promise<void> {
  let left = 5
  const enough = Promise.withResolvers<void>()
  const other = runPeriodically(1, async () => void (--left === 0 && enough.resolve()), '')
  await enough.promise
  await other.stop()
}

describe('what is repeated', () => {
  test('goes on after a round that failed, of which it is told', async () => {
    const { work, another, gate } = rounds()
    const running = runPeriodically(1, work, 'It could not be done.')
    await another()
    gate.reject(new Error('away'))
    await another()
    await running.stop()
    const [line = ''] = complaints.mock.calls[0] ?? []
    expect(JSON.parse(line)).toMatchObject({ level: 'error', message: 'It could not be done.', error: 'away' })
  })

  test('has one round at a time, and a stop waits for its end', async () => {
    const { work, another, gate, begun, signal } = rounds()
    const running = runPeriodically(1, work, '')
    await another()
    await severalRounds()
    let isStopped = false
    const stopped = running.stop().then(() => (isStopped = true))
    await Promise.resolve()
    expect([begun(), signal()?.aborted, isStopped]).toEqual([1, true, false])
    gate.resolve()
    await stopped
  })
})
