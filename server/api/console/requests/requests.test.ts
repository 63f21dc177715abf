import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Scope } from '#vocabulary/scopes'
import {
  createRecentRequests,
  deleteOldRequests,
  MAX_RECENT_REQUESTS,
  type RecentRequests,
} from '#api/http/recent-requests/recent-requests'
import { connect, makeApp } from '#testing/oauth'
import { usePerson, useTestService } from '#testing/use-service'
import type { RecentRequest } from './schemas'

let recent: RecentRequests
const service = useTestService({}, (db, now) => ({ recentRequests: (recent = createRecentRequests(db, now)) }))
const admin = usePerson(service)
const member = usePerson(service, 'member')

let path: string
beforeAll(() => {
  path = `/console/api/workspaces/${service.workspaceId}/requests`
})
beforeEach(async () => {
  await recent.flush()
  await service.db.sql`delete from relata.recent_requests`
})

async function shown(): Promise<RecentRequest[]> {
  await recent.flush()
  const { status, body } = await admin.ask('GET', path)
  expect(status).toBe(200)
  return body.data
}

const answered = (number: number) => ({
  workspaceId: service.workspaceId,
  clientId: '0190aaaa-0000-4000-8000-000000000001',
  method: 'GET',
  path: `/v2/${number}`,
  status: 200,
  code: null,
  ignored: null,
  durationMs: 1,
  answeredAt: service.appContext.now(),
})

describe('GET …/requests', () => {
  test('200 with the requests of API keys, the newest first, without bodies and values', async () => {
    const values = { name: 'Secretive, Ada' }
    const created = await service.request('POST', '/v2/objects/people/records?dry_runs=secret', { data: { values } })
    const id = created.body.data.id.record_id
    await service.request('PATCH', `/v2/objects/people/records/${id}`, { data: { values: {}, colour: 'secret' } })
    await service.request('GET', `/v2/objects/secrets/records/${id}`)
    const requests = await shown()
    const common = { id: expect.any(String), client_name: 'Test key', created_at: expect.any(String) }
    const each = { ...common, duration_ms: expect.any(Number), code: null, ignored: null }
    const record = '/v2/objects/{object}/records/{record_id}'
    expect(requests).toEqual([
      { ...each, method: 'GET', path: record, status: 404, code: 'not_found' },
      { ...each, method: 'PATCH', path: record, status: 200, ignored: '/data/colour' },
      { ...each, method: 'POST', path: '/v2/objects/{object}/records', status: 200, ignored: '?dry_runs' },
    ])
    expect(JSON.stringify(requests)).not.toMatch(/secret/i)
    expect(JSON.stringify(requests)).not.toContain(id)
  })

  test('200 with refused requests: bodies, scopes', async () => {
    await service.request('POST', '/v2/tasks', { data: {} })
    const key = await service.keyWith(['task:read'])
    await service.request('GET', '/v2/notes', undefined, { key })
    expect((await shown()).map(({ method, status, code }) => [method, status, code])).toEqual([
      ['GET', 403, 'unauthorized'],
      ['POST', 400, 'validation_type'],
    ])
  })

  test('200 with the name of an app', async () => {
    const scopes: readonly Scope[] = ['task:read']
    const app = await makeApp(service, { name: 'Task board', scopes })
    const { accessToken } = await connect(service, admin, app)
    await service.request('GET', '/v2/tasks', undefined, { key: accessToken })
    expect(await shown()).toMatchObject([{ client_name: 'Task board', path: '/v2/tasks' }])
  })

  test('200 without requests of members at the console, of unknown keys, and of paths that are unknown', async () => {
    await admin.ask('GET', '/console/v2/objects')
    await service.request('GET', '/v2/objects', undefined, { key: 'x'.repeat(64) })
    await service.request('GET', '/v2/nothing')
    expect(await shown()).toEqual([])
  })

  test('200 without requests of other workspaces', async () => {
    const other = await service.anotherWorkspace()
    await service.request('GET', '/v2/objects', undefined, { key: other.key })
    expect(await shown()).toEqual([])
  })

  test('200 with those of another process', async () => {
    const other = createRecentRequests(service.db, service.appContext.now)
    other.add(answered(1))
    await other.close()
    expect(await shown()).toMatchObject([{ path: '/v2/1', client_name: null }])
  })

  test('200 with the newest 500 of a day', async () => {
    for (let number = 0; number < 3 * MAX_RECENT_REQUESTS; number++) recent.add(answered(number))
    const first = await shown()
    expect(first).toHaveLength(MAX_RECENT_REQUESTS)
    recent.add(answered(-1))
    const second = await shown()
    expect([second.length, second[0]?.path, second[1]?.path]).toEqual([500, '/v2/-1', '/v2/1499'])
    const dayAgo = service.appContext.now() - 24 * 3600 * 1_000_000
    await service.db.sql`delete from relata.recent_requests`
    recent.add({ ...answered(1), answeredAt: dayAgo - 1 })
    recent.add({ ...answered(2), answeredAt: dayAgo + 60_000_000 })
    expect((await shown()).map((one) => one.path)).toEqual(['/v2/2'])
  })

  test('403 for a member who is no admin', async () => {
    expect((await member.ask('GET', path)).status).toBe(403)
  })
})

describe('the deletion of old requests', () => {
  const stored = async () =>
    (await service.db.sql`select count from relata.recent_requests order by created_at, id`).map((row) => row.count)

  test('leaves what has the newest 500 of a day', async () => {
    recent.add(answered(1))
    await recent.flush()
    await service.db.sql`update relata.recent_requests set created_at = created_at - interval '25 hours'`
    recent.add(answered(2))
    await recent.flush()
    await deleteOldRequests(service.db, service.appContext.now())
    expect(await stored()).toEqual([1])
    for (const count of [300, MAX_RECENT_REQUESTS - 1, 1]) {
      for (let number = 0; number < count; number++) recent.add(answered(number))
      await recent.flush()
    }
    await deleteOldRequests(service.db, service.appContext.now())
    expect(await stored()).toEqual([MAX_RECENT_REQUESTS - 1, 1])
  })
})
