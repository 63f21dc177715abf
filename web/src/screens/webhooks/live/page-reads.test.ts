import { expect, test } from 'bun:test'
import { PageReads } from './page-reads'

interface Row {
  readonly id: string
  readonly status: string
}

test('a read returns the rows that were received since it began, each in its last state', async () => {
  const reads = new PageReads<Row>()
  const receive = (id: string, status: string) => reads.receive(id, { id, status })
  const page = Promise.withResolvers<string>()
  receive('a', 'waiting')
  const first = reads.run(() => page.promise)
  receive('a', 'failed')
  const second = reads.run(() => page.promise)
  receive('b', 'waiting')
  receive('b', 'succeeded')
  expect(reads.areRunning).toBe(true)
  page.resolve('rows')
  const b = { id: 'b', status: 'succeeded' }
  expect(await first).toEqual({ page: 'rows', newer: [{ id: 'a', status: 'failed' }, b] })
  expect(await second).toEqual({ page: 'rows', newer: [b] })
  expect(reads.areRunning).toBe(false)
})

test('all running reads are aborted, also those that answer or fail afterwards; later reads are not', async () => {
  const reads = new PageReads<Row>()
  const answered = Promise.withResolvers<string>()
  const failed = Promise.withResolvers<string>()
  const signals: AbortSignal[] = []
  const running = [answered, failed].map(({ promise }) => reads.run((signal) => (signals.push(signal), promise)))
  reads.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  expect(reads.areRunning).toBe(false)
  answered.resolve('rows of the earlier filter')
  failed.reject(new Error('aborted'))
  expect(await Promise.all(running)).toEqual([undefined, undefined])
  expect(await reads.run(async () => 'rows')).toEqual({ page: 'rows', newer: [] })
})

test('the error of a read is thrown', async () => {
  const reads = new PageReads<Row>()
  await expect(reads.run(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
})
