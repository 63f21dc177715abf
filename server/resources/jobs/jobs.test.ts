import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { jobsOf } from '../../testing/jobs'
import { listClient } from '../../testing/lists'
import { signedIn } from '../../testing/people'
import { testService, type TestService } from '../../testing/service'

let service: TestService
const people = '/v2/objects/people/records'
const remove = { op: 'delete' }
const none = { name: 'nobody has this name' }
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

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
