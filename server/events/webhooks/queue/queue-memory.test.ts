import { describe, expect, test } from 'bun:test'
import { createQueueMemory, type QueueMemory } from './queue-memory'
import type { PendingDelivery } from '#events/webhooks/delivery'

const pending = (position: number, attempts = 0, id = `d${position}`): PendingDelivery => ({
  id,
  position,
  attempts,
  createdAt: '2030-01-01T00:00:00.000000Z',
  idempotencyKey: id,
  body: '{}',
  rights: '',
  traceparent: null,
})
const pendingAt = (...positions: number[]) => positions.map((position) => pending(position))

/** The result of a read; by default a complete one. */
const found = (positions: readonly number[], isComplete = true) => ({
  firstAttempts: pendingAt(...positions),
  retries: [],
  isComplete,
})

function drain(memory: QueueMemory): number[] {
  const positions: number[] = []
  for (let next = memory.takeFirstAttempt(); next !== undefined; next = memory.takeFirstAttempt())
    positions.push(next.position)
  return positions
}

const maxSize = () => 5

describe('a queue memory', () => {
  test('that begins with all pending deliveries takes published ones', () => {
    const memory = createQueueMemory(maxSize, pendingAt(1, 2))
    memory.append(pendingAt(3))
    expect(memory.isComplete).toBe(true)
    expect(drain(memory)).toEqual([1, 2, 3])
  })

  test('without a read takes no published deliveries, because older ones may be pending', () => {
    const memory = createQueueMemory(maxSize)
    memory.append(pendingAt(3))
    expect(drain(memory)).toEqual([])
    expect(memory.beginRead()).toEqual({ knownIds: new Set(), lastPosition: 0, isComplete: false })
    memory.endRead(found([1, 2, 3]))
    memory.append(pendingAt(4))
    expect(drain(memory)).toEqual([1, 2, 3, 4])
  })

  test('that read only a part takes no published deliveries', () => {
    const memory = createQueueMemory(maxSize)
    memory.beginRead()
    memory.endRead(found([1, 2], false))
    memory.append(pendingAt(9))
    expect(memory.isComplete).toBe(false)
    expect(drain(memory)).toEqual([1, 2])
  })

  test('with a gap takes no published deliveries until a read', () => {
    const memory = createQueueMemory(maxSize, pendingAt(1))
    memory.markGap()
    memory.append(pendingAt(3))
    expect(drain(memory)).toEqual([1])
    memory.beginRead()
    memory.endRead(found([2, 3]))
    expect(drain(memory)).toEqual([2, 3])
    expect(memory.isComplete).toBe(true)
  })

  test('that is full keeps the oldest deliveries and becomes incomplete', () => {
    const memory = createQueueMemory(maxSize, pendingAt(1, 2, 3, 4))
    memory.append(pendingAt(5, 6, 7))
    expect(memory.isComplete).toBe(false)
    expect(drain(memory)).toEqual([1, 2, 3, 4, 5])
    memory.beginRead()
    memory.endRead(found([6, 7]))
    expect(drain(memory)).toEqual([6, 7])
  })
})

test('a queue memory takes published deliveries up to a total length of their bodies, and one of any length', () => {
  const memory = createQueueMemory(() => 1000, [])
  const long = [1, 2, 3].map((position) => ({ ...pending(position), body: 'x'.repeat(200_000) }))
  memory.append(long)
  expect(memory.isComplete).toBe(false)
  expect(drain(memory)).toEqual([1, 2])
  expect(memory.beginRead()).toMatchObject({ lastPosition: 2, isComplete: false })
  memory.endRead(found([3]))
  memory.append([{ ...pending(4), body: 'x'.repeat(300_000) }])
  expect(drain(memory)).toEqual([3, 4])
})

describe('during a read', () => {
  test('published deliveries follow those that the read finds, each once', () => {
    const memory = createQueueMemory(maxSize)
    memory.beginRead()
    memory.append(pendingAt(3))
    memory.append(pendingAt(4))
    memory.endRead(found([1, 2, 3]))
    expect(drain(memory)).toEqual([1, 2, 3, 4])
    expect(memory.isComplete).toBe(true)
  })

  test('a gap leaves the memory incomplete', () => {
    const memory = createQueueMemory(maxSize)
    memory.beginRead()
    memory.markGap()
    memory.append(pendingAt(5))
    memory.endRead(found([1, 2, 3]))
    expect(drain(memory)).toEqual([1, 2, 3])
    expect(memory.isComplete).toBe(false)
  })

  test('published deliveries are left to the next read when the read found only a part', () => {
    const memory = createQueueMemory(maxSize)
    memory.beginRead()
    memory.append(pendingAt(8))
    memory.endRead(found([1, 2], false))
    expect(drain(memory)).toEqual([1, 2])
    memory.beginRead()
    memory.endRead(found([3, 8]))
    expect(drain(memory)).toEqual([3, 8])
  })

  test('a delivery that is recorded is not taken again when the read found it pending', () => {
    const memory = createQueueMemory(maxSize, pendingAt(1, 2))
    expect(drain(memory)).toEqual([1, 2])
    const { knownIds } = memory.beginRead()
    memory.forget('d1')
    expect(knownIds).toEqual(new Set(['d1', 'd2']))
    memory.endRead(found([1, 2]))
    expect(drain(memory)).toEqual([])
    expect(memory.beginRead().knownIds).toEqual(new Set(['d2']))
  })

  test('a published delivery is not taken again after a read found it and it was recorded', () => {
    const memory = createQueueMemory(maxSize)
    memory.beginRead()
    memory.endRead(found([1]))
    expect(drain(memory)).toEqual([1])
    memory.forget('d1')
    memory.append(pendingAt(1))
    expect(drain(memory)).toEqual([])
  })
})

describe('a queue memory that is discarded', () => {
  test('has no deliveries until the next read, which finds them again', () => {
    const memory = createQueueMemory(maxSize, pendingAt(1, 2, 3))
    expect(memory.takeFirstAttempt()?.position).toBe(1)
    memory.discard()
    expect([memory.isComplete, memory.size]).toEqual([false, 0])
    expect(memory.beginRead()).toEqual({ knownIds: new Set(['d1']), lastPosition: 0, isComplete: false })
    memory.endRead(found([1, 2, 3]))
    expect(memory.isComplete).toBe(true)
    expect(drain(memory)).toEqual([2, 3])
  })

  test('ignores what a running read finds, and what was published during the read', () => {
    const memory = createQueueMemory(maxSize)
    memory.beginRead()
    memory.append(pendingAt(3))
    memory.discard()
    memory.endRead({ ...found([1, 2]), retries: [pending(0, 1)] })
    expect([memory.isComplete, drain(memory), memory.takeRetry()]).toEqual([false, [], undefined])
    memory.beginRead()
    memory.endRead(found([1, 2, 3]))
    expect(drain(memory)).toEqual([1, 2, 3])
  })
})

describe('a complete queue memory reads', () => {
  test('deliveries older than its own, such as test events and repeated deliveries', () => {
    const memory = createQueueMemory(maxSize, pendingAt(6, 7))
    expect(memory.beginRead()).toEqual({ knownIds: new Set(['d6', 'd7']), lastPosition: 7, isComplete: true })
    memory.endRead({ firstAttempts: [pending(0, 0, 'test')], retries: [pending(3, 1)], isComplete: true })
    expect(drain(memory)).toEqual([0, 6, 7])
    expect(memory.takeRetry()?.position).toBe(3)
    expect(memory.isComplete).toBe(true)
  })

  test('each retry only once until it is recorded', () => {
    const memory = createQueueMemory(maxSize, [])
    const read = { firstAttempts: [], retries: [pending(3, 1)], isComplete: true }
    memory.beginRead()
    memory.endRead(read)
    memory.beginRead()
    memory.endRead(read)
    expect([memory.takeRetry()?.id, memory.takeRetry()?.id]).toEqual(['d3', undefined])
    memory.forget('d3')
    memory.beginRead()
    memory.endRead({ ...read, retries: [pending(3, 2)] })
    expect(memory.takeRetry()?.attempts).toBe(2)
  })
})
