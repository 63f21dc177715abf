/** Interrupted, cancelled and refused jobs, and the turns of several. Decision 0128. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { revokeToken } from '../../access/tokens/tokens'
import { getObject } from '../../data-model/find'
import { attributeInput } from '../../testing/attributes'
import { createTrigger } from '../../testing/create-trigger'
import { jobsOf } from '../../testing/jobs'
import { type Person, signedIn } from '../../testing/people'
import { testService, type TestService } from '../../testing/service'
import { deleteEndedJobs } from '../store'
import { leaseJob, saveProgress } from './leases'
import { BATCH_SIZE } from './run-job'

let service: TestService
let jobs: ReturnType<typeof jobsOf>
let admin: Person
const records = '/v2/objects/things/records'
beforeAll(async () => {
  service = await testService()
  jobs = jobsOf(service)
  admin = await signedIn(service)
  await makeObject('things')
})
afterAll(() => service.close())

async function makeObject(slug: string) {
  const data = { api_slug: slug, singular_noun: slug, plural_noun: `${slug}s` }
  expect((await service.request('POST', '/v2/objects', { data })).status).toBe(200)
  for (const api_slug of ['set', 'note']) {
    const attribute = attributeInput({ api_slug })
    expect((await service.request('POST', `/v2/objects/${slug}/attributes`, { data: attribute })).status).toBe(200)
  }
}

async function seed(set: string, count: number, path = records): Promise<string[]> {
  const operations = Array.from({ length: count }, () => ({ op: 'create', values: { set } }))
  const { body } = await service.request('POST', `${path}/batch?return=ids`, { data: { operations } })
  expect(body.data.failed).toBe(0)
  return body.data.results.map((result: any) => result.data.id.record_id)
}

const find = async (filter: object, path = records) =>
  (await service.request('POST', `${path}/query`, { filter })).body.data
const update = { op: 'update', values: { note: 'new' } }

/** Runs jobs until the pause after the given number of batches, in which it calls `act`. Then runs them to their end. */
async function actAfter(batches: number, act: () => Promise<unknown>): Promise<void> {
  let count = 0
  const worker = jobs.run(async () => {
    if (++count === batches) await act()
  })
  await worker.settled()
  await worker.stop()
}

describe('a job', () => {
  test('writes batches of at most 50, and pauses after each for as long as it took', async () => {
    await seed('batches', 2 * BATCH_SIZE + 1)
    const id = await jobs.create(records, { set: 'batches' }, update)
    const counts: number[] = []
    const pauses: number[] = []
    const worker = jobs.run(async (ms) => {
      counts.push((await find({ note: 'new', set: 'batches' })).length)
      pauses.push(ms)
    })
    await worker.settled()
    await worker.stop()
    expect(counts).toEqual([50, 100, 101])
    expect(pauses.every((ms) => ms > 0)).toBe(true)
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 101 })
  })

  test('that is long lets another one run after its turn of 20 batches', async () => {
    await makeObject('many')
    const many = '/v2/objects/many/records'
    await seed('long', 1000, many)
    await seed('long', 30, many)
    await seed('short', 1)
    const long = await jobs.create(many, {}, update)
    const short = await jobs.create(records, { set: 'short' }, update)
    let doneOfLong = 0
    const worker = jobs.run(async () => {
      if ((await jobs.show(short)).status === 'running') doneOfLong = (await find({ note: 'new' }, many)).length
    })
    await worker.settled()
    await worker.stop()
    expect(doneOfLong).toBe(500)
    expect(await jobs.show(short)).toMatchObject({ status: 'completed', done: 1 })
    expect(await jobs.show(long)).toMatchObject({ status: 'completed', done: 1030 })
  }, 300_000)

  test('of a workspace lets those of other workspaces run before another one of its own', async () => {
    const other = await service.anotherWorkspace()
    const people = '/v2/objects/people/records'
    const none = { name: 'nobody has this name' }
    const create = () => jobs.create(people, none, { op: 'delete' })
    const [first, second, third] = [await create(), await create(), await create()]
    const ofOther = await jobsOf(service, other.key).create(people, none, { op: 'delete' })
    await jobs.runAll()
    const ended = await service.db.sql<{ id: string }[]>`
      select id from relata.jobs where id = any(${[first, second, third, ofOther]}::uuid[]) order by ended_at`
    expect(ended.map(({ id }) => id)).toEqual([first, ofOther, second, third])
  })

  test('stops at the end of its batch when the service stops, and continues from there', async () => {
    await seed('stopped', 120)
    const id = await jobs.create(records, { set: 'stopped' }, update)
    const isWritten = Promise.withResolvers<void>()
    const worker = jobs.run(async () => isWritten.resolve())
    await isWritten.promise
    await worker.stop()
    const { status, done } = await jobs.show(id)
    expect(status).toBe('running')
    expect(done).toBeGreaterThan(0)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 120, skipped: 0 })
  })

  test.each([
    ['update', update],
    ['update after which records match no longer', { op: 'update', values: { set: 'elsewhere' } }],
    ['deletion', { op: 'delete' }],
  ])('of a dead worker is continued with each %s once', async (_, operation) => {
    const set = crypto.randomUUID()
    const ids = await seed(set, 70)
    const id = await jobs.create(records, { set }, operation)
    await service.events()
    await dieInBatch(ids.slice(0, 30), operation)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'running', done: 0 })
    service.setNow(service.appContext.now() + 61_000_000)
    await jobs.runAll()
    service.setNow()
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', total: 70, done: 70, failed: 0, skipped: 0 })
    const events = (await service.events()).map(({ id }) => (id as { record_id?: string }).record_id)
    expect(events.toSorted()).toEqual(ids.toSorted())
  })

  test('continues after a failed statement, as long as each turn has progress', async () => {
    await seed('failing', 60)
    const id = await jobs.create(records, { set: 'failing' }, update)
    const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'things')
    await service.db.sql`create sequence writes_of_things`
    await createTrigger(service.db, {
      name: 'full_disk',
      when: `before update on ${table}`,
      body: "if nextval('writes_of_things') = 55 then raise 'no room' using errcode = 'disk_full'; end if; return new;",
    })
    const log = console.error
    console.error = () => {}
    await jobs.runAll()
    console.error = log
    expect(await jobs.show(id)).toMatchObject({ status: 'running', done: 50 })
    service.setNow(service.appContext.now() + 10_000_000)
    await jobs.runAll()
    service.setNow()
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 60, failed: 0 })
    await service.db.sql.unsafe(`drop trigger full_disk on ${table}`)
  })

  test('that is cancelled stops at the end of its batch and stays as it is', async () => {
    await seed('cancelled', 120)
    const id = await jobs.create(records, { set: 'cancelled' }, update)
    await actAfter(1, () => service.request('POST', `/v2/jobs/${id}/cancel`))
    expect(await jobs.show(id)).toMatchObject({
      status: 'cancelled',
      done: 50,
      failed: 0,
      ended_at: expect.any(String),
    })
    expect(await find({ set: 'cancelled', note: 'new' })).toHaveLength(50)
    const again = await service.request('POST', `/v2/jobs/${id}/cancel`)
    expect([again.status, again.body.data.status]).toEqual([200, 'cancelled'])
  })

  test('that is cancelled during a batch has its counts when it has ended', async () => {
    await seed('cancelled late', 60)
    const id = await jobs.create(records, { set: 'cancelled late' }, update)
    const { sql } = service.db
    const leaseId = crypto.randomUUID()
    expect((await leaseJob(sql, leaseId, service.appContext.now()))?.id).toBe(id)
    const { body } = await service.request('POST', `/v2/jobs/${id}/cancel`)
    expect(body.data).toMatchObject({ status: 'cancelled', ended_at: null })
    // The process that leased it dies.
    service.setNow(service.appContext.now() + 61_000_000)
    await jobs.runAll()
    service.setNow()
    expect(await jobs.show(id)).toMatchObject({ status: 'cancelled', done: 0, ended_at: expect.any(String) })
    expect(await find({ note: 'new', set: 'cancelled late' })).toEqual([])
  })

  test('that is cancelled before it runs writes nothing', async () => {
    await seed('unstarted', 2)
    const id = await jobs.create(records, { set: 'unstarted' }, update)
    await service.request('POST', `/v2/jobs/${id}/cancel`)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'cancelled', done: 0 })
    expect(await find({ note: 'new', set: 'unstarted' })).toEqual([])
  })
})

/** Does what a process did that died while it wrote its first batch. */
async function dieInBatch(written: readonly string[], operation: any): Promise<void> {
  const { sql } = service.db
  const leaseId = crypto.randomUUID()
  const job = await leaseJob(sql, leaseId, service.appContext.now())
  if (job === undefined) throw new Error('No job is due.')
  const rows = await find({ set: String(Object.values(job.filter)[0]) })
  const last = rows[BATCH_SIZE - 1]
  const batch = { count: BATCH_SIZE, last: [postgresTime(last.created_at), last.id.record_id] } as const
  await saveProgress(sql, job, leaseId, { ...job.progress, batch }, service.appContext.now())
  for (const id of written) {
    const path = `${records}/${id}`
    if (operation.op === 'delete') await service.request('DELETE', path)
    else await service.request('PATCH', path, { data: { values: operation.values } })
  }
}

const postgresTime = (timestamp: string): string => `${timestamp.replace('T', ' ').slice(0, 26)}+00`

describe('a job fails with a reason', () => {
  test('when its object is deleted', async () => {
    await makeObject('short_lived')
    const path = '/v2/objects/short_lived/records'
    await seed('any', 60, path)
    const id = await jobs.create(path, {}, update)
    await actAfter(1, () => service.request('DELETE', '/v2/objects/short_lived?force=true'))
    expect(await jobs.show(id)).toMatchObject({ status: 'failed', done: 50, failure: 'The object was deleted.' })
  })

  test('when an attribute of its values or of its filter is archived', async () => {
    for (const archived of ['set', 'note']) {
      const set = `archived ${archived}`
      await seed(set, 60)
      const id = await jobs.create(records, { set }, update)
      const path = `/v2/objects/things/attributes/${archived}`
      await actAfter(1, () => service.request('PATCH', path, { data: { is_archived: true } }))
      await service.request('PATCH', path, { data: { is_archived: false } })
      expect(await jobs.show(id)).toMatchObject({ status: 'failed', done: 50, failed: 0, failure: expect.any(String) })
    }
  })

  test('when the API key that created it is revoked', async () => {
    const key = await service.keyWith(['record_permission:read-write', 'object_configuration:read'])
    await seed('revoked', 60)
    const id = await jobsOf(service, key).create(records, { set: 'revoked' }, update)
    const [{ id: token } = { id: '' }] = await service.db.sql<{ id: string }[]>`
      select id from relata.tokens order by created_at desc limit 1`
    await actAfter(1, () => revokeToken(service.db, service.workspaceId, token, service.appContext.now()))
    const { body } = await admin.ask('GET', `/console/v2/jobs/${id}`)
    expect(body.data).toMatchObject({ status: 'failed', done: 50, failure: expect.stringContaining('revoked') })
  })

  test.each([
    ['hidden', 'not found'],
    ['read-only', 'read-only'],
  ])('when its object becomes %s for its creator', async (access, reason) => {
    const slug = `object_${access.replace('-', '_')}`
    await makeObject(slug)
    const path = `/v2/objects/${slug}/records`
    await seed('any', 60, path)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const data = { filter: {}, operation: update }
    const { status, body } = await member.ask('POST', `/console${path}/bulk`, { data })
    expect(status).toBe(202)
    const id = body.data.id.job_id
    const root = `/console/api/workspaces/${service.workspaceId}`
    await actAfter(1, async () => {
      const input = { members: access, teams: [] }
      expect((await admin.ask('PUT', `${root}/objects/${slug}/access`, input)).status).toBe(200)
      await service.appContext.models.reload(service.workspaceId)
    })
    const shown = await admin.ask('GET', `/console/v2/jobs/${id}`)
    expect(shown.body.data).toMatchObject({ status: 'failed', done: 50, failure: expect.stringContaining(reason) })
    expect(await find({ note: 'new' }, path)).toHaveLength(50)
    expect((await member.ask('GET', `/console/v2/jobs/${id}`)).status).toBe(access === 'hidden' ? 404 : 200)
  })
})

test('two workers share the jobs, each one run by one of them', async () => {
  await seed('shared 1', 60)
  await seed('shared 2', 60)
  await service.events()
  const ids = [
    await jobs.create(records, { set: 'shared 1' }, update),
    await jobs.create(records, { set: 'shared 2' }, update),
  ]
  const workers = [jobs.run(), jobs.run()]
  await Promise.all(workers.map((worker) => worker.settled()))
  await Promise.all(workers.map((worker) => worker.stop()))
  await jobs.runAll()
  for (const id of ids) expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 60 })
  expect(await service.events()).toHaveLength(120)
})

test('a job is deleted thirty days after its end', async () => {
  await seed('old', 1)
  const { id } = { id: await jobs.create(records, { set: 'old' }, update) }
  const DAY = 86_400_000_000
  const isLeft = async () => (await service.request('GET', `/v2/jobs/${id}`)).status === 200
  const now = service.appContext.now()
  await deleteEndedJobs(service.db.sql, now + DAY, 1000)
  expect(await isLeft()).toBe(true)
  await jobs.runAll()
  await deleteEndedJobs(service.db.sql, now, 1000)
  expect(await isLeft()).toBe(true)
  await deleteEndedJobs(service.db.sql, now + DAY, 1000)
  expect(await isLeft()).toBe(false)
})
