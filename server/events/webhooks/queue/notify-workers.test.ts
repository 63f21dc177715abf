import { expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import type { DueWebhook } from '#events/webhooks/delivery'
import { listenForDueWebhooks, notifyWorkers } from '#events/webhooks/event-pipeline'

const service = useTestService()

test('notifications name all webhooks that other processes lease, and no other webhook', async () => {
  const { db } = service
  const self = crypto.randomUUID()
  const others = Array.from({ length: 250 }, () => ({ webhookId: Bun.randomUUIDv7(), leasedBy: crypto.randomUUID() }))
  const received: DueWebhook[] = []
  const all = Promise.withResolvers<void>()
  const stop = await listenForDueWebhooks(db, (due) => {
    received.push(...due)
    if (received.length >= others.length) all.resolve()
  })
  const ours = [null, self].map((leasedBy) => ({ webhookId: Bun.randomUUIDv7(), leasedBy }))
  await db.sql.begin((tx) => notifyWorkers(tx, [...ours, ...others], self))
  await all.promise
  expect(received).toEqual(others)
  await stop()
})
