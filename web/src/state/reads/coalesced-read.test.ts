import { expect, test } from 'bun:test'
import { CoalescedRead } from './coalesced-read'

/** Reads that start and end when the test says so. */
function controlledReads() {
  const starts: PromiseWithResolvers<void>[] = []
  const started: (() => void)[] = []
  let count = 0
  const read = () => {
    const running = Promise.withResolvers<void>()
    starts.push(running)
    count += 1
    started.shift()?.()
    return running.promise
  }
  return {
    coalesced: new CoalescedRead(read, 0),
    count: () => count,
    /** Resolves when the next read starts. */
    next: () => new Promise<void>((resolve) => started.push(resolve)),
    end: () => starts.shift()?.resolve(),
  }
}

test('requests before a read cause one read', async () => {
  const { coalesced, count, next } = controlledReads()
  const started = next()
  for (let each = 0; each < 3; each++) coalesced.request()
  await started
  expect(count()).toBe(1)
})

test('requests during a read cause one more after it', async () => {
  const { coalesced, count, next, end } = controlledReads()
  const first = next()
  coalesced.request()
  await first
  const second = next()
  for (let each = 0; each < 3; each++) coalesced.request()
  expect(count()).toBe(1)
  end()
  await second
  expect(count()).toBe(2)
})

test('a read without a pause takes the place of the requested one', async () => {
  const { coalesced, count, next, end } = controlledReads()
  coalesced.request()
  coalesced.requestNow()
  expect(count()).toBe(1)
  const second = next()
  coalesced.requestNow()
  end()
  await second
  expect(count()).toBe(2)
})

test('no read follows after the end', async () => {
  const { coalesced, count, next, end } = controlledReads()
  const first = next()
  coalesced.request()
  await first
  coalesced.request()
  coalesced.stop()
  end()
  const last = next()
  await Promise.resolve()
  coalesced.request()
  await last
  expect(count()).toBe(2)
})
