import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { appendToOutbox } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { useTestService } from '#testing/use-service'
import { createLeaseStore, type LeaseRequest } from './lease'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { OutgoingRequest, Send } from '#events/webhooks/send/send-request'
import { runDeliveryWorker } from './worker'

const service = useTestService()
beforeAll(async () => {
  const data = { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'list.created', filter: null }] }
  await service.request('POST', '/v2/webhooks', { data })
})
beforeEach(async () => {
  await service.db.sql`update relata.webhooks set leased_by = null, leased_until = null`
})

const now = () => service.appContext.now()
const ANY: LeaseRequest = { limit: 10, onlyHealthy: false, openIds: [] }
const take = (name: string, request: LeaseRequest, db = service.db) => createLeaseStore({ db, name, now }).take(request)

async function publishEvent(list_id: string) {
  const event = { event_type: 'list.created', id: { list_id } } as const
  await appendToOutbox(service.db.sql, { workspaceId: service.workspaceId, actor: 0, at: now() }, [event])
  let due: Awaited<ReturnType<typeof matchEvents>> = []
  await publishBatch(service.db, now, async (tx, events) => {
    due = await matchEvents(tx, events)
  })
  return due
}

describe('a lease', () => {
  test('is taken again by the process that could not release it', async () => {
    const self = crypto.randomUUID()
    await publishEvent('3')
    const [lease] = await take(self, ANY)
    const openIds = [lease?.webhookId ?? '']
    expect(await take(self, { ...ANY, openIds })).toEqual([])
    expect(await take(self, ANY)).toHaveLength(1)
  })
})

test('a queue with nothing due lingers, and a notification wakes it', async () => {
  const { db } = service
  const sent: OutgoingRequest[] = []
  const received = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const send: Send = async (request) => {
    received[sent.push(request) - 1]?.resolve()
    return { status: 200, headers: {}, body: '', problem: undefined, duration: 1, address: undefined }
  }
  await db.sql`delete from relata.deliveries`
  const name = crypto.randomUUID()
  const hour = 3_600_000
  const sending = { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 }
  const worker = runDeliveryWorker({ db, now, name, sending, pollMs: hour, lingerMs: hour })
  worker.notify(await publishEvent('4'))
  await received[0]?.promise
  const due = await publishEvent('5')
  expect(due.map(({ leasedBy }) => leasedBy)).toEqual([name])
  worker.notify(due)
  await received[1]?.promise
  await worker.stop()
  const rows = await db.sql`select leased_by, due_at from relata.webhooks`
  expect(rows.map(({ leased_by, due_at }) => [leased_by, due_at])).toEqual([[null, null]])
})
