/** Deliveries in memory whose values are removed. See docs/reference/trash.md (Deletion for good). */

import { expect, test } from 'bun:test'
import { appendToOutbox } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { useTestService } from '#testing/use-service'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { AttemptResult, OutgoingRequest } from '#events/webhooks/send/send-request'
import { listenForChangedDeliveries, notifyOfChangedDeliveries } from './notify-of-changes'
import { runDeliveryWorker } from './worker'

const service = useTestService()

const succeeded: AttemptResult = {
  status: 200,
  headers: {},
  body: '',
  problem: undefined,
  duration: 1,
  address: '127.0.0.1',
}

test('a worker reads pending deliveries again after their bodies changed, and sends each once', async () => {
  const { db, request, workspaceId, appContext } = service
  const subscriptions = [{ event_type: 'list.created', filter: null }]
  const hook = { data: { target_url: 'https://example.com/hook', subscriptions } }
  expect((await request('POST', '/v2/webhooks', hook)).status).toBe(200)
  const numbers = ['1', '2', '3']
  for (const number of numbers) {
    const event = { event_type: 'list.created', id: { list_id: number } } as const
    await appendToOutbox(db.sql, { workspaceId, actor: 0, at: appContext.now() }, [event])
  }
  await publishBatch(db, appContext.now, matchEvents)

  const sent: OutgoingRequest[] = []
  const first = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const running = runDeliveryWorker({
    db,
    now: appContext.now,
    name: crypto.randomUUID(),
    sending: {
      send: async (outgoing) => {
        sent.push(outgoing)
        first.resolve()
        await release.promise
        return succeeded
      },
      brand: 'relata',
      docsUrl: 'http://localhost/docs',
      perSecond: 0,
    },
    pollMs: 3_600_000,
    lingerMs: 0,
  })
  await first.promise
  await db.sql`update relata.deliveries set body = replace(body, 'list_id', 'erased')`
  running.discard()
  release.resolve()
  await running.settled()
  await running.stop()
  const ids = sent.map(({ body }) => JSON.parse(body).events[0].id)
  const id = { workspace_id: workspaceId }
  expect(ids).toEqual([
    { ...id, list_id: '1' },
    { ...id, erased: '2' },
    { ...id, erased: '3' },
  ])
})

test('notifications name the webhooks, also many, when the transaction commits', async () => {
  const { db } = service
  const received: string[] = []
  let connections = 0
  const all = Promise.withResolvers<void>()
  const stop = await listenForChangedDeliveries(db, {
    ofWebhooks(webhookIds) {
      if (webhookIds === undefined) connections += 1
      received.push(...(webhookIds ?? []))
      if (received.length >= 500) all.resolve()
    },
    ofWorkspace: () => {},
  })
  expect(connections).toBe(1)
  const ids = Array.from({ length: 500 }, () => Bun.randomUUIDv7())
  await db.sql.begin((tx) => notifyOfChangedDeliveries(tx, ids))
  await all.promise
  expect(received).toEqual(ids)
  await stop()
})
