import { expect, test } from 'bun:test'
import { nextState, type QueueFacts } from './webhook-queue'

const NOTHING: QueueFacts = {
  drainReason: undefined,
  nextAttempt: undefined,
  isReading: false,
  isRetrying: false,
  areSlotsShort: false,
}
const delivery = {
  id: 'd',
  position: 1,
  createdAt: '',
  idempotencyKey: 'd',
  body: '{}',
  rights: '',
  attempts: 0,
  traceparent: null,
}

test.each([
  [
    'a lost lease ends the queue even with an attempt left',
    { drainReason: 'lease lost', nextAttempt: delivery },
    'draining',
  ],
  ['an attempt goes before a read', { nextAttempt: delivery, isReading: true }, 'sending'],
  [
    'without an attempt the queue waits for its read',
    { isReading: true, isRetrying: true, areSlotsShort: true },
    'reading',
  ],
  ['without a read the queue waits for its retries', { isRetrying: true, areSlotsShort: true }, 'retrying'],
  ['a queue does not linger while others wait for a slot', { areSlotsShort: true }, 'draining'],
  ['a queue with nothing due lingers', {}, 'lingering'],
] as const)('%s', (_, facts, expected) => {
  expect(nextState({ ...NOTHING, ...facts }).name).toBe(expected)
})
