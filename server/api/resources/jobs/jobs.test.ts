import { describe, expect, test } from 'bun:test'
import { jobsOf } from '#testing/jobs'
import { listClient } from '#testing/lists'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { until } from '#testing/until'

const service = useTestService()
const people = '/v2/objects/people/records'
const remove = { op: 'delete' }
const none = { name: 'nobody has this name' }

const RECORDS = ['record_permission:read-write', 'object_configuration:read'] as const
const ENTRIES = ['list_entry:read-write', 'list_configuration:read'] as const
const idsOf = (data: readonly { id: { job_id: string } }[]): string[] => data.map(({ id }) => id.job_id)

describe('GET /v2/jobs', () => {
  test('200 with the jobs of the caller, newest first, in pages', async () => {
    const key = await service.keyWith(RECORDS)
    const jobs = jobsOf(service, key)
    const created: string[] = []
    for (let count = 0; count < 5; count++) created.push(await jobs.create(people, none, remove))
    await jobsOf(service).create(people, none, remove)
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/v2/jobs?limit=2${cursor && `&cursor=${cursor}`}`
      const { status, body } = await service.request('GET', path, undefined, { key })
      expect([status, body.message]).toEqual([200, undefined])
      found.push(...idsOf(body.data))
      cursor = body.pagination.next_cursor
    }
    expect(found).toEqual(created.toReversed())
  })

  test('400 for a cursor of something else, and for a limit above 200', async () => {
    expect((await service.request('GET', '/v2/jobs?cursor=x')).status).toBe(400)
    expect((await service.request('GET', '/v2/jobs?limit=201')).status).toBe(400)
  })

  test('200 without the jobs of lists for a caller without their scopes, and 404 for each of them', async () => {
    const list = await listClient(service).list()
    const id = await jobsOf(service).create(`/v2/lists/${list}/entries`, {}, remove)
    const own = await service.request('GET', `/v2/jobs/${id}`)
    expect(own.body.data).toMatchObject({ list_id: expect.any(String), object_id: null })
    const key = await service.keyWith(RECORDS)
    await service.db.sql`
      update relata.jobs set actor = (select actor from relata.tokens order by created_at desc limit 1) where id = ${id}`
    expect(idsOf((await service.request('GET', '/v2/jobs', undefined, { key })).body.data)).toEqual([])
    expect((await service.request('GET', `/v2/jobs/${id}`, undefined, { key })).status).toBe(404)
    expect((await service.request('POST', `/v2/jobs/${id}/cancel`, undefined, { key })).status).toBe(404)
  })

  test('200 with the jobs of entries for a key with their scopes only', async () => {
    const key = await service.keyWith([...ENTRIES, 'public_collection:read-write'])
    const list = await listClient(service).list()
    const id = await jobsOf(service, key).create(`/v2/lists/${list}/entries`, {}, remove)
    expect(idsOf((await service.request('GET', '/v2/jobs', undefined, { key })).body.data)).toEqual([id])
    const { status, body } = await service.request('POST', `/v2/jobs/${id}/cancel`, undefined, { key })
    expect([status, body.data.status]).toEqual([200, 'cancelled'])
  })
})

describe('the scopes of what a job does', () => {
  const requests = (id: string) =>
    [
      ['GET', '/v2/jobs'],
      ['GET', `/v2/jobs/${id}`],
      ['POST', `/v2/jobs/${id}/cancel`],
    ] as const
  const READING = [
    'record_permission:read',
    'list_entry:read',
    'object_configuration:read',
    'list_configuration:read',
  ] as const

  test('403 for a key that may only read: it neither reads nor cancels', async () => {
    const id = await jobsOf(service).create(people, none, remove)
    const key = await service.keyWith(READING)
    for (const [method, path] of requests(id)) {
      const { status, body } = await service.request(method, path, undefined, { key })
      expect([method, path, status, body.code]).toEqual([method, path, 403, 'unauthorized'])
    }
  })

  test('a key that may write only entries any more sees no job of records, and one of records no job of entries', async () => {
    const admin = await signedIn(service)
    const key = await service.keyWith([...RECORDS, ...ENTRIES, 'public_collection:read-write'])
    const [{ id: keyId } = { id: '' }] = await service.db.sql<{ id: string }[]>`
      select id from relata.tokens order by created_at desc limit 1`
    const list = await listClient(service).list()
    const ofRecords = await jobsOf(service, key).create(people, none, remove)
    const ofEntries = await jobsOf(service, key).create(`/v2/lists/${list}/entries`, {}, remove)
    for (const [scopes, seen, absent] of [
      [[...READING, 'list_entry:read-write', 'public_collection:read-write'], ofEntries, ofRecords],
      [[...READING, 'record_permission:read-write', 'public_collection:read-write'], ofRecords, ofEntries],
    ] as const) {
      const path = `/console/api/workspaces/${service.workspaceId}/keys/${keyId}`
      expect((await admin.ask('PATCH', path, { scopes })).status).toBe(200)
      const ask = (method: string, to: string) => service.request(method, to, undefined, { key })
      await until(async () => (await ask('GET', `/v2/jobs/${absent}`)).status === 404)
      expect(idsOf((await ask('GET', '/v2/jobs')).body.data)).toEqual([seen])
      expect((await ask('GET', `/v2/jobs/${seen}`)).status).toBe(200)
      expect((await ask('POST', `/v2/jobs/${absent}/cancel`)).status).toBe(404)
    }
    const [{ status } = { status: '' }] = await service.db.sql<{ status: string }[]>`
      select status from relata.jobs where id = ${ofEntries}`
    expect(status).toBe('running')
  })

  test('404 for the job of a private list, and of a hidden object, after its caller lost the access', async () => {
    const admin = await signedIn(service)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const root = `/console/api/workspaces/${service.workspaceId}`
    const list = await listClient(service).list()
    const operation = remove
    const created: string[] = []
    for (const path of [`/lists/${list}/entries/bulk`, '/objects/companies/records/bulk']) {
      const { status, body } = await member.ask('POST', `/console/v2${path}`, { data: { filter: {}, operation } })
      expect(status).toBe(202)
      created.push(body.data.id.job_id)
    }
    const access = {
      workspace_access: null,
      workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
    }
    expect((await service.request('PATCH', `/v2/lists/${list}`, { data: access })).status).toBe(200)
    await admin.ask('PUT', `${root}/objects/companies/access`, { members: 'hidden', teams: [] })
    for (const id of created) {
      for (const [method, path] of requests(id).slice(1))
        expect([path, (await member.ask(method, `/console${path}`)).status]).toEqual([path, 404])
      expect((await admin.ask('GET', `/console/v2/jobs/${id}`)).body.data.status).toBe('running')
    }
    expect((await member.ask('GET', '/console/v2/jobs')).body.data).toEqual([])
    await admin.ask('PUT', `${root}/objects/companies/access`, { members: 'read-write', teams: [] })
  })
})

describe('GET /v2/jobs/{job_id}', () => {
  test('404 for the job of another caller, and 200 for an admin at the console', async () => {
    const id = await jobsOf(service).create(people, none, remove)
    const key = await service.keyWith(RECORDS)
    expect((await service.request('GET', `/v2/jobs/${id}`, undefined, { key })).status).toBe(404)
    expect((await service.request('POST', `/v2/jobs/${id}/cancel`, undefined, { key })).status).toBe(404)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    expect((await member.ask('GET', `/console/v2/jobs/${id}`)).status).toBe(404)
    const admin = await signedIn(service)
    expect((await admin.ask('GET', `/console/v2/jobs/${id}`)).status).toBe(200)
  })

  test('404 for the job of another workspace, an unknown id and a text', async () => {
    const other = await service.anotherWorkspace()
    const id = await jobsOf(service, other.key).create(people, none, remove)
    for (const each of [id, crypto.randomUUID(), 'x']) {
      const { status, body } = await service.request('GET', `/v2/jobs/${each}`)
      expect([status, body.code, body.message]).toEqual([404, 'not_found', `Job with ID "${each}" was not found.`])
    }
  })
})
