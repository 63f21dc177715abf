import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { runPeriodically } from './run-periodically'

let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeEach(() => {
  complaints = spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => complaints.mockRestore())

/** Work that counts its runs. A run ends when the test resolves it. */
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

/** Waits until other periodic work has run several times. */
async function severalRounds(): Promise<void> {
  let left = 5
  const enough = Promise.withResolvers<void>()
  const other = runPeriodically(1, async () => void (--left === 0 && enough.resolve()), '')
  await enough.promise
  await other.stop()
}

describe('runPeriodically', () => {
  test('continues after a failed run, and logs the failure', async () => {
    const { work, another, gate } = rounds()
    const running = runPeriodically(1, work, 'It could not be done.')
    await another()
    gate.reject(new Error('away'))
    await another()
    await running.stop()
    const [line = ''] = complaints.mock.calls[0] ?? []
    expect(JSON.parse(line)).toMatchObject({ level: 'error', message: 'It could not be done.', error: 'away' })
  })

  test('runs once at a time, and stop waits for the current run', async () => {
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
