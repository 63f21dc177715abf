import { expect, test } from 'bun:test'
import { ReadQueue } from './read-queue'

test('a read starts when the one before it has ended', async () => {
  const queue = new ReadQueue()
  const steps: string[] = []
  const running = Promise.withResolvers<void>()
  const first = queue.run(async () => {
    steps.push('first starts')
    await running.promise
    steps.push('first ends')
  })
  const second = queue.run(async () => steps.push('second starts'))
  await Promise.resolve()
  running.resolve()
  await Promise.all([first, second])
  expect(steps).toEqual(['first starts', 'first ends', 'second starts'])
})

test('each read returns its own result', async () => {
  const queue = new ReadQueue()
  const results = [queue.run(async () => 1), queue.run(async () => 'two')]
  expect(await Promise.all(results)).toEqual([1, 'two'])
})

test('a read runs after one that failed, whose caller gets the error', async () => {
  const queue = new ReadQueue()
  const failed = queue.run(() => Promise.reject(new Error('no connection')))
  const next = queue.run(async () => 'read')
  expect(failed).rejects.toThrow('no connection')
  expect(await next).toBe('read')
})
