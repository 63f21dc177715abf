import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { listExpired } from '#crm/blobs/store'
import { digestQueue } from '#crm/email/digests/send-digests'
import { takeDue } from '#engine/queue'
import { alertQueue } from '#crm/email/webhook-alerts/send-alerts'
import { appendToOutbox } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { leaseFetch } from '#api/resources/call-recordings/store'
import { callRecordingClient } from '#testing/call-recordings'
import { COPY, holdSending, ORIGINAL, startAt } from '#testing/installation'
import { meetingClient } from '#testing/meetings'
import { useTestService } from '#testing/use-service'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { Send } from '#events/webhooks/send/send-request'
import { runDeliveryWorker } from '#events/webhooks/queue/worker'
import { decide, type Installation, readInstallation, watchHold } from './hold'

const service = useTestService()
let webhook: string
let recording: string
beforeAll(async () => {
  const subscriptions = [{ event_type: 'list.created', filter: null }]
  const data = { target_url: 'https://example.com/hook', subscriptions }
  webhook = (await service.request('POST', '/v2/webhooks', { data })).body.data.id.webhook_id
  const meeting = await meetingClient(service).meeting()
  recording = await callRecordingClient(service).recording(meeting)
})

const by = { actor: null }
const now = () => service.appContext.now()
const held = async () => (await readInstallation(service.db.sql))?.hold !== undefined

describe('the check at the start', () => {
  beforeEach(async () => {
    await service.db.sql`delete from relata.installation`
  })

  test('processes that start together store one identity and hold nothing', async () => {
    await Promise.all([1, 2, 3, 4].map(() => startAt(service, ORIGINAL)))
    expect(await readInstallation(service.db.sql)).toEqual({ stored: ORIGINAL, hold: undefined })
  })

  test('the first public address is stored', async () => {
    await startAt(service, { ...ORIGINAL, base_url: null })
    await startAt(service, ORIGINAL)
    expect(await readInstallation(service.db.sql)).toEqual({ stored: ORIGINAL, hold: undefined })
  })

  test('another identity holds until a process finds the stored one', async () => {
    await startAt(service, ORIGINAL)
    await startAt(service, COPY)
    const first = await readInstallation(service.db.sql)
    expect(first).toEqual({ stored: ORIGINAL, hold: { heldAt: expect.stringContaining('T'), found: COPY } })
    await startAt(service, COPY)
    expect(await readInstallation(service.db.sql)).toEqual(first)
    await startAt(service, ORIGINAL)
    expect(await readInstallation(service.db.sql)).toEqual({ stored: ORIGINAL, hold: undefined })
  })

  test.each(['move', 'copy'] as const)('with RELATA_ON_COPY=%s, the found identity is stored', async (onCopy) => {
    await startAt(service, ORIGINAL)
    await startAt(service, COPY, onCopy)
    expect(await readInstallation(service.db.sql)).toEqual({ stored: COPY, hold: undefined })
  })

  test('an identifier that a process cannot read stays stored', async () => {
    await startAt(service, ORIGINAL)
    await startAt(service, { ...ORIGINAL, server: null })
    expect((await readInstallation(service.db.sql))?.stored).toEqual(ORIGINAL)
  })

  test('a process is notified when a hold begins and when it ends', async () => {
    const changes: Installation[] = []
    let changed = Promise.withResolvers<void>()
    await startAt(service, ORIGINAL)
    const watch = await watchHold(service.db, (change) => {
      changes.push(change)
      changed.resolve()
    })
    expect(changes).toEqual([])
    await startAt(service, COPY)
    await changed.promise
    changed = Promise.withResolvers()
    await decide(service.db, 'move', by, now())
    await changed.promise
    expect(changes).toMatchObject([{ hold: { found: COPY } }, { stored: COPY, hold: undefined }])
    await watch.stop()
  })
})

/** What waits in the database to be sent, in as many rows. */
async function waiting() {
  const [row] = await service.db.sql`
    select (select count(*)::int from relata.deliveries where due_at is not null) as deliveries,
      (select count(*)::int from relata.webhooks where due_at is not null) as webhooks,
      (select count(*)::int from relata.webhook_alerts) as alerts,
      (select count(*)::int from relata.inboxes where due_at is not null) as digests,
      (select count(*)::int from relata.notifications where not is_digested) as notifications,
      (select count(*)::int from relata.call_recording_fetches) as fetches`
  return { ...row }
}

let events = 0
async function publishEvent(): Promise<void> {
  const event = { event_type: 'list.created', id: { list_id: String(++events) } } as const
  await appendToOutbox(service.db.sql, { workspaceId: service.workspaceId, actor: 0, at: now() }, [event])
  await publishBatch(service.db, now, matchEvents)
}

/** A worker whose attempts go to `send`. */
const runWorker = (send: Send) =>
  runDeliveryWorker({
    db: service.db,
    now,
    name: crypto.randomUUID(),
    sending: { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 },
    pollMs: 3_600_000,
    lingerMs: 0,
  })

const ACCEPTED = { status: 200, headers: {}, body: '', problem: undefined, duration: 1, address: '127.0.0.1' }

/** One delivery, alert, digest, fetch and expired blob are due, and everything is held. */
async function fillQueues(): Promise<void> {
  const { sql } = service.db
  const { workspaceId, member } = service
  await sql`delete from relata.deliveries`
  await sql`delete from relata.webhook_alerts`
  await sql`delete from relata.call_recording_fetches`
  await sql`update relata.webhooks set status = 'active', due_at = null, leased_by = null, leased_until = null`
  await holdSending(service)
  await publishEvent()
  await sql`
    insert into relata.webhook_alerts (workspace_id, webhook_id, status, at, due_at)
    values (${workspaceId}, ${webhook}, 'degraded', now(), now() - interval '1 day')`
  await sql`
    insert into relata.inboxes (workspace_id, member_id, due_at) values (${workspaceId}, ${member.id}, now() - interval '1 day')
    on conflict (workspace_id, member_id) do update set due_at = excluded.due_at`
  await sql`update relata.call_recordings set status = 'processing' where id = ${recording}`
  await sql`
    insert into relata.call_recording_fetches (workspace_id, call_recording_id, url, size, due_at)
    values (${workspaceId}, ${recording}, 'https://example.com/video.mp4', 1, now() - interval '1 day')`
  await sql`
    insert into relata.blobs (workspace_id, digest, size, unreferenced_at)
    values (${workspaceId}, sha256('x'), 1, now() - interval '1 day') on conflict do nothing`
}

const claimAll = async () => {
  const { db } = service
  return {
    alerts: (await takeDue(db, alertQueue, { now: now(), limit: 10 })).length,
    digests: (await takeDue(db, digestQueue, { now: now(), limit: 10 })).length,
    fetch: (await leaseFetch(db, now())) !== undefined,
    blobs: (await listExpired(db.sql, 60, 10)).length,
  }
}

describe('while the sending is held', () => {
  beforeEach(fillQueues)

  test('no worker takes work, and after a move each does', async () => {
    const sent: string[] = []
    const worker = runWorker(async ({ body }) => {
      sent.push(body)
      return ACCEPTED
    })
    await worker.settled()
    await publishEvent()
    worker.wake()
    await worker.settled()
    expect(sent).toEqual([])
    expect(await claimAll()).toEqual({ alerts: 0, digests: 0, fetch: false, blobs: 0 })
    expect(await decide(service.db, 'move', by, now())).toBe(true)
    worker.wake()
    await worker.settled()
    await worker.stop()
    expect(sent).toHaveLength(2)
    expect(await claimAll()).toEqual({ alerts: 1, digests: 1, fetch: true, blobs: 1 })
  })

  test('a running queue finishes its attempt and makes no other', async () => {
    await decide(service.db, 'move', by, now())
    const sending = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    let attempts = 0
    await publishEvent()
    await publishEvent()
    const worker = runWorker(async () => {
      attempts++
      sending.resolve()
      await answered.promise
      return ACCEPTED
    })
    await sending.promise
    await startAt(service, ORIGINAL)
    worker.discard()
    answered.resolve()
    await worker.settled()
    await worker.stop()
    expect(attempts).toBe(1)
    expect(await waiting()).toMatchObject({ deliveries: 2, webhooks: 1 })
  })
})

describe('the decision', () => {
  beforeEach(fillQueues)

  test('a copy drops what waits and deactivates all webhooks; the notifications stay', async () => {
    expect(await waiting()).toMatchObject({ deliveries: 1, webhooks: 1, alerts: 1, digests: 1, fetches: 1 })
    expect(await decide(service.db, 'copy', by, now())).toBe(true)
    expect(await waiting()).toEqual({
      deliveries: 0,
      webhooks: 0,
      alerts: 0,
      digests: 0,
      notifications: 0,
      fetches: 0,
    })
    const { sql } = service.db
    expect({ ...(await sql`select distinct status from relata.webhooks`)[0] }).toEqual({ status: 'inactive' })
    expect({ ...(await sql`select distinct status from relata.deliveries`)[0] }).toEqual({ status: 'dropped' })
    expect({ ...(await sql`select distinct status from relata.call_recordings`)[0] }).toEqual({ status: 'failed' })
    await publishEvent()
    expect(await waiting()).toMatchObject({ deliveries: 0 })
  })

  test('is made once', async () => {
    const decisions = await Promise.all(
      (['move', 'copy', 'move'] as const).map((each) => decide(service.db, each, by, now())),
    )
    expect(decisions.filter(Boolean)).toHaveLength(1)
    expect(await held()).toBe(false)
  })

  test('is in the audit log of each workspace, which names the member in the workspace of the member alone', async () => {
    const other = await service.anotherWorkspace()
    const { workspaceId } = service
    const actor = { type: 'workspace-member', id: service.member.id }
    await decide(service.db, 'copy', { actor, address: '203.0.113.9', workspaceId }, now())
    const entries = await service.db.sql`
      select workspace_id, actor_type, actor_id, subject_type, subject_name, details, address from relata.audit_log
      where action = 'installation.copied' and created_at = (select max(created_at) from relata.audit_log)`
    const shared = { subject_type: 'installation', subject_name: COPY.base_url }
    const details = { before: ORIGINAL.base_url, after: COPY.base_url }
    const found = entries.map((entry) => ({ ...entry, details: JSON.parse(entry.details) }))
    expect(found).toHaveLength(2)
    expect(found).toContainValues([
      {
        workspace_id: workspaceId,
        actor_type: actor.type,
        actor_id: actor.id,
        address: '203.0.113.9',
        ...shared,
        details,
      },
      { workspace_id: other.workspaceId, actor_type: 'system', actor_id: null, address: null, ...shared, details },
    ])
  })
})
