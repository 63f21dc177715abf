/** The leases of a process end when it is found dead, in every queue. See docs/decisions/workers.md. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, connectionName, type Database } from '#db/connect'
import { leaseFileImport } from '#api/console/file-imports/routes'
import { leaseImport } from '#api/console/imports/leases'
import { contactQueue } from '#crm/contacts/job-store'
import { digestQueue } from '#crm/email/digests/send-digests'
import { alertQueue } from '#crm/email/webhook-alerts/send-alerts'
import { takeDue } from '#engine/queue'
import { refreshQueue, requestRefreshes } from '#crm/interactions/refresh-queue'
import { leaseJob } from '#api/jobs/run/leases'
import { insertFetch, leaseFetch } from '#api/resources/call-recordings/store'
import { callRecordingClient } from '#testing/call-recordings'
import { meetingClient } from '#testing/meetings'
import { testService, type TestService } from '#testing/service'
import { pictureQueue } from '#crm/record-pictures/store'
import { createLeaseStore } from '#events/webhooks/queue/lease'
import { createDeadWorkerCheck } from './dead-workers'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(async () => {
  for (const release of releases) await release()
  await service.close()
})

/** Leases that this process renews until their release. */
const releases: (() => Promise<void>)[] = []
const now = () => service.appContext.now()
const minuteAgo = () => now() - 60_000_000
const idOf = () => crypto.randomUUID()

/** How a queue gets something to do, and how a process takes it. The result has what was taken, or is falsy. */
interface Queue {
  readonly name: string
  fill(): Promise<unknown>
  take(db: Database, process: string): Promise<unknown>
}

const queues: Queue[] = [
  {
    name: 'jobs',
    async fill() {
      const data = { filter: {}, operation: { op: 'delete' } }
      await service.request('POST', '/v2/objects/companies/records', { data: { values: {} } })
      expect((await service.request('POST', '/v2/objects/companies/records/bulk', { data })).status).toBe(202)
    },
    take: (db) => leaseJob(db, now()),
  },
  {
    name: 'imports',
    fill: () => service.db.sql`
      insert into relata.imports (workspace_id, id, object_id, created_by, file_name, delimiter, plan, state, created_at, due_at)
      values (${service.workspaceId}, ${idOf()}, ${idOf()}, ${service.member.id}, 'a.csv', ',', '{}', 'waiting', now(), now())`,
    take: (db) => leaseImport(db, now()),
  },
  {
    name: 'uploads of mail and calendar files',
    fill: async () => {},
    async take(db) {
      const member = { workspaceId: service.workspaceId, memberId: service.member.id }
      const release = await leaseFileImport(db, now, member)
      if (release !== undefined) releases.push(release)
      return release
    },
  },
  {
    name: 'videos',
    async fill() {
      const meeting = await meetingClient(service).meeting()
      const recordingId = await callRecordingClient(service).recording(meeting)
      const video = { workspaceId: service.workspaceId, recordingId, url: 'https://example.com/a.mp4', size: 1 }
      await service.db.sql.begin((tx) => insertFetch(tx, video, minuteAgo()))
    },
    take: (db) => leaseFetch(db, now()),
  },
  {
    name: 'pictures',
    fill: () => service.db.sql`
      insert into relata.record_pictures (workspace_id, object_id, record_id, sources_hash, expires_at, due_at)
      select workspace_id, id, ${idOf()}, sha256(''), now(), '2020-01-01' from relata.entity_types
      where workspace_id = ${service.workspaceId} limit 1`,
    take: (db) => firstOf(takeDue(db, pictureQueue, { now: now(), limit: 10 })),
  },
  {
    name: 'contacts',
    fill: () => service.db.sql`
      insert into relata.contact_jobs (workspace_id, id, record_ids, is_bulk, created_at, due_at)
      values (${service.workspaceId}, ${idOf()}, ${[idOf()]}::uuid[], false, now(), '2020-01-01')`,
    take: (db) => firstOf(takeDue(db, contactQueue, { now: now(), limit: 10 })),
  },
  {
    name: 'digests',
    fill: () => service.db.sql`
      insert into relata.inboxes (workspace_id, member_id, due_at)
      values (${service.workspaceId}, ${service.member.id}, '2020-01-01')`,
    take: (db) => firstOf(takeDue(db, digestQueue, { now: now(), limit: 10 })),
  },
  {
    name: 'alerts',
    fill: async () => service.db.sql`
      insert into relata.webhook_alerts (workspace_id, webhook_id, status, at, due_at)
      values (${service.workspaceId}, ${await createWebhook()}, 'degraded', now(), '2020-01-01')`,
    take: (db) => firstOf(takeDue(db, alertQueue, { now: now(), limit: 10 })),
  },
  {
    name: 'interactions',
    async fill() {
      const { body } = await service.request('GET', '/v2/objects/people')
      const record = { objectId: body.data.id.object_id, recordId: idOf() }
      await requestRefreshes(service.db.sql, service.workspaceId, [record], minuteAgo())
    },
    take: (db) => firstOf(takeDue(db, refreshQueue, { now: now(), limit: 10 })),
  },
  {
    name: 'webhooks',
    fill: async () =>
      service.db.sql`update relata.webhooks set due_at = '2020-01-01' where id = ${await createWebhook()}`,
    take: (db, name) =>
      firstOf(createLeaseStore({ db, name, now }).take({ limit: 1, onlyHealthy: false, openIds: [] })),
  },
]

const firstOf = async <T>(rows: Promise<readonly T[]>): Promise<T | undefined> => (await rows)[0]

async function createWebhook(): Promise<string> {
  const data = {
    target_url: `https://example.com/${idOf()}`,
    subscriptions: [{ event_type: 'list.created', filter: null }],
  }
  return (await service.request('POST', '/v2/webhooks', { data })).body.data.id.webhook_id
}

async function withProcess<T>(work: (db: Database, process: string) => Promise<T>): Promise<T> {
  const process = crypto.randomUUID()
  const db = connect(service.url, { max: 1, applicationName: connectionName(process) })
  try {
    await createDeadWorkerCheck(db, now)()
    return await work(db, process)
  } finally {
    await db.close()
  }
}

describe.each(queues)('$name', ({ fill, take }) => {
  test('are taken over from a process that has no connection at two checks, and not from one that has', async () => {
    await fill()
    const check = createDeadWorkerCheck(service.db, now)
    const takeHere = () => take(service.db, idOf())
    await withProcess(async (db, process) => {
      expect(await take(db, process)).toBeTruthy()
      await check()
      await check()
      expect(await takeHere()).toBeFalsy()
    })
    await check()
    expect(await takeHere()).toBeFalsy()
    await check()
    expect(await takeHere()).toBeTruthy()
    expect(await takeHere()).toBeFalsy()
  })
})

test('a process that was taken for dead registers again', async () => {
  await withProcess(async (db) => {
    const check = createDeadWorkerCheck(db, now)
    await service.db.sql`delete from relata.workers`
    await check()
    const names = await service.db.sql<{ name: string }[]>`select name from relata.workers`
    expect(names.map(({ name }) => name)).toEqual([db.pools.applicationName])
  })
})

test('an attempt that is not the first one keeps its delay', async () => {
  await service.db.sql`delete from relata.contact_jobs`
  await service.db.sql`
    insert into relata.contact_jobs (workspace_id, id, record_ids, is_bulk, created_at, due_at, attempts)
    values (${service.workspaceId}, ${idOf()}, ${[idOf()]}::uuid[], false, now(), '2020-01-01', 1)`
  await withProcess(async (db) => expect(await takeDue(db, contactQueue, { now: now(), limit: 10 })).toHaveLength(1))
  const check = createDeadWorkerCheck(service.db, now)
  await check()
  await check()
  expect(await takeDue(service.db, contactQueue, { now: now(), limit: 10 })).toEqual([])
})
