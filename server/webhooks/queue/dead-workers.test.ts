import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect } from '../../../db/connect'
import { appendToOutbox } from '../../events/outbox'
import { publishBatch } from '../../events/publish'
import { testService, type TestService } from '../../testing/service'
import { connectionName, createDeadWorkerCheck } from './dead-workers'
import { takeLeases } from './lease'
import { matchEvents } from '../match/match-events'
import type { Outgoing, Send } from '../send/send-request'
import { runDeliveryWorker } from './worker'

let service: TestService
beforeAll(async () => {
  service = await testService()
  const data = { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'list.created', filter: null }] }
  await service.request('POST', '/v2/webhooks', { data })
})
afterAll(() => service.close())
beforeEach(async () => {
  await service.db.sql`update relata.webhooks set leased_by = null, leased_until = null`
})

const now = () => service.appContext.now()
const ANY = { most: 10, onlyWell: false, open: [], gone: [] }

async function happen(list_id: string) {
  const event = { event_type: 'list.created', id: { list_id } } as const
  await appendToOutbox(service.db.sql, { workspaceId: service.workspaceId, actor: 0, at: now() }, [event])
  let due: Awaited<ReturnType<typeof matchEvents>> = []
  await publishBatch(service.db, now, async (tx, events) => {
    due = await matchEvents(tx, events)
  })
  return due
}

describe('the lease of a process', () => {
  test('that has no connection at two looks in a row is free before it ends', async () => {
    const killed = crypto.randomUUID()
    await happen('1')
    expect(await takeLeases(service.db, killed, now(), ANY)).toHaveLength(1)
    const self = crypto.randomUUID()
    const holders = createDeadWorkerCheck(service.db, self)
    expect(await holders.findGone()).toEqual([])
    expect(await takeLeases(service.db, self, now(), ANY)).toEqual([])
    const gone = await holders.findGone()
    expect(gone).toEqual([killed])
    expect(await takeLeases(service.db, self, now(), { ...ANY, gone })).toHaveLength(1)
  })

  test('that is connected, or is this one, is its own', async () => {
    const other = crypto.randomUUID()
    const db = connect(service.url, { max: 1, applicationName: connectionName(other) })
    await happen('2')
    expect(await takeLeases(db, other, now(), ANY)).toHaveLength(1)
    for (const self of [crypto.randomUUID(), other]) {
      const holders = createDeadWorkerCheck(service.db, self)
      expect([await holders.findGone(), await holders.findGone()]).toEqual([[], []])
    }
    await db.close()
  })

  test('that it could not give back is taken up by itself', async () => {
    const self = crypto.randomUUID()
    await happen('3')
    const [lease] = await takeLeases(service.db, self, now(), ANY)
    const open = [lease?.webhookId ?? '']
    expect(await takeLeases(service.db, self, now(), { ...ANY, open })).toEqual([])
    expect(await takeLeases(service.db, self, now(), ANY)).toHaveLength(1)
  })
})

test('a lane that has nothing to do stays, and is told what comes next', async () => {
  const { db } = service
  const sent: Outgoing[] = []
  const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const send: Send = async (request) => {
    heard[sent.push(request) - 1]?.resolve()
    return { status: 200, headers: {}, body: '', problem: undefined, duration: 1, address: undefined }
  }
  await db.sql`delete from relata.deliveries`
  const name = crypto.randomUUID()
  const hour = 3_600_000
  const signing = { brand: 'relata', docsUrl: 'http://localhost/docs' }
  const worker = runDeliveryWorker({ db, now, send, ...signing, name, perSecond: 0, pollMs: hour, lingerMs: hour })
  worker.tell(await happen('4'))
  await heard[0]?.promise
  const due = await happen('5')
  expect(due.map(({ heldBy }) => heldBy)).toEqual([name])
  worker.tell(due)
  await heard[1]?.promise
  await worker.stop()
  const rows = await db.sql`select leased_by, due_at from relata.webhooks`
  expect(rows.map(({ leased_by, due_at }) => [leased_by, due_at])).toEqual([[null, null]])
})
