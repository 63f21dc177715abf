import { expect, test } from 'bun:test'
import { pollProcessing } from './poll-processing'

const PROCESSING = { status: 'processing' } as const
const COMPLETED = { status: 'completed' } as const
const FAILED = { status: 'failed' } as const

/** Timers that a test runs. */
function testTimers() {
  const running = new Set<() => void>()
  return {
    setInterval(run: () => void) {
      running.add(run)
      return run
    },
    clearInterval: (timer: unknown) => void running.delete(timer as () => void), // of `setInterval`
    pass: () => running.forEach((run) => run()),
  }
}

test('recordings are read again and again while one is processed, until the polling stops', () => {
  const timers = testTimers()
  let reads = 0
  const stop = pollProcessing([COMPLETED, PROCESSING], () => ++reads, timers)
  timers.pass()
  timers.pass()
  expect(reads).toBe(2)
  stop?.()
  timers.pass()
  expect(reads).toBe(2)
})

test.each([[undefined], [[]], [[COMPLETED, FAILED]]])('%j are not read again', (recordings) => {
  const timers = testTimers()
  let reads = 0
  pollProcessing(recordings, () => ++reads, timers)
  timers.pass()
  expect(reads).toBe(0)
})
