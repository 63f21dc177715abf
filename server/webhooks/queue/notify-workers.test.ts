import { afterAll, beforeAll, expect, test } from 'bun:test'
import { testService, type TestService } from '../../testing/service'
import type { Due } from '../match/insert-deliveries'
import { listenForDue, notifyWorkers } from './notify-workers'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

test('however many webhooks others hold, all of them are told of, and nobody’s and our own are not', async () => {
  const { db } = service
  const self = crypto.randomUUID()
  const others = Array.from({ length: 250 }, () => ({ webhookId: Bun.randomUUIDv7(), heldBy: crypto.randomUUID() }))
  const heard: Due[] = []
  const all = Promise.withResolvers<void>()
  const stop = await listenForDue(db, (due) => {
    heard.push(...due)
    if (heard.length >= others.length) all.resolve()
  })
  const ours = [null, self].map((heldBy) => ({ webhookId: Bun.randomUUIDv7(), heldBy }))
  await db.sql.begin((tx) => notifyWorkers(tx, [...ours, ...others], self))
  await all.promise
  expect(heard).toEqual(others)
  await stop()
})
