import { beforeEach, describe, expect, test } from 'bun:test'
import { maintainPartitions } from '#events/feed/partitions'
import { listClient } from '#testing/lists'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const service = useTestService()

/** The cursor at the end of the feed before each test. */
let start: string
beforeEach(async () => {
  await service.events()
  start = (await feed('cursor=now')).body.pagination.next_cursor
})

const feed = (query = '', key?: string) => service.request('GET', `/v2/events?${query}`, undefined, { key })
const record = async () =>
  (await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })).body.data.id.record_id

async function records(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made++) ids.push(await record())
  await service.events()
  return ids
}

const recordsIn = (body: { data: readonly { event: { id: { record_id: string } } }[] }): string[] =>
  body.data.map(({ event }) => event.id.record_id)

describe('GET /v2/events', () => {
  test('200 with events as delivered, oldest first, and the next cursor', async () => {
    const [id] = await records(2)
    const { status, body } = await feed(`cursor=${start}`)
    expect(status).toBe(200)
    expect(body.data.length).toBe(2)
    expect(body.data[0]).toEqual({
      cursor: expect.any(String),
      event_id: expect.any(String),
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
      event: {
        event_type: 'record.created',
        id: { workspace_id: service.workspaceId, object_id: expect.any(String), record_id: id },
        actor: { type: 'api-token', id: expect.any(String) },
      },
    })
    expect(body.pagination).toEqual({ next_cursor: expect.any(String), has_more: false })
    const rest = await feed(`cursor=${body.data[0].cursor}`)
    expect(rest.body.data).toEqual(body.data.slice(1))
    const nothing = await feed(`cursor=${body.pagination.next_cursor}`)
    expect(nothing.body.data).toEqual([])
    const [next] = await records(1)
    expect(recordsIn((await feed(`cursor=${nothing.body.pagination.next_cursor}`)).body)).toEqual([String(next)])
  })

  test('200 page by page, and from the beginning without a cursor', async () => {
    const ids = await records(5)
    const seen: string[] = []
    let cursor = start
    for (let page = 0; page < 3; page++) {
      const { body } = await feed(`cursor=${cursor}&limit=2`)
      seen.push(...recordsIn(body))
      expect(body.pagination.has_more).toBe(page < 2)
      cursor = body.pagination.next_cursor
    }
    expect(seen).toEqual(ids)
    const { body } = await feed('limit=1000')
    expect(recordsIn(body).slice(-5)).toEqual(ids)
  })

  test('200 with only the selected types; the cursor advances past the others', async () => {
    const [id] = await records(2)
    await service.request('PATCH', `/v2/objects/people/records/${id}`, { data: { values: { job_title: 'Head' } } })
    await service.events()
    const { body } = await feed(`cursor=${start}&event_type=record.updated,record.deleted`)
    expect(recordsIn(body)).toEqual([String(id)])
    const none = await feed(`cursor=${start}&event_type=list.created`)
    expect(none.body.data).toEqual([])
    expect((await feed(`cursor=${none.body.pagination.next_cursor}`)).body.data).toEqual([])
  })

  test('200 with the events since a time', async () => {
    await records(1)
    const now = service.appContext.now()
    const since = new Date((now + 1_000_000) / 1000).toISOString()
    expect((await feed(`since=${since}`)).body.data).toEqual([])
    service.setNow(now + 5_000_000)
    const ids = await records(2)
    service.setNow()
    expect(recordsIn((await feed(`since=${since}`)).body)).toEqual(ids)
  })

  test('200 without events of lists that the caller cannot see', async () => {
    const lists = listClient(service)
    const level = 'full-access'
    const workspace_member_access = [{ workspace_member_id: service.member.id, level }]
    const hidden = await lists.list({ workspace_access: null, workspace_member_access })
    const shown = await lists.list()
    const person = await lists.record()
    for (const list of [hidden, shown]) await lists.create(list, person)
    await service.events()
    const types = async (key: string) => {
      const { body } = await feed(`cursor=${start}`, key)
      return body.data.map(({ event }: { event: { event_type: string } }) => event.event_type)
    }
    const all = ['list.created', 'list.created', 'record.created', 'list-entry.created', 'list-entry.created']
    expect(await types(service.key)).toEqual(all)
    const limited = ['list.created', 'record.created', 'list-entry.created']
    const key = await service.keyWith([
      'webhook:read',
      'record_permission:read',
      'object_configuration:read',
      'list_entry:read',
      'list_configuration:read',
    ])
    expect(await types(key)).toEqual(limited)
    expect(await types(await service.keyWith(['webhook:read', 'list_configuration:read']))).toEqual(['list.created'])
    expect(await types(await service.keyWith(['webhook:read']))).toEqual([])
    await service.request('DELETE', `/v2/lists/${shown}`)
    await service.events()
    expect(await types(key)).toEqual(['record.created', 'list.deleted'])
  })

  test('200 for an admin at the console, without events of other workspaces', async () => {
    const person = await signedIn(service)
    await records(1)
    const other = await service.anotherWorkspace()
    expect((await person.ask('GET', `/console/v2/events?cursor=${start}`)).body.data.length).toBe(2)
    expect((await feed('', other.key)).body.data).toEqual([])
  })

  test.each([
    ['cursor=x', 'cursor'],
    ['cursor=1', 'cursor'],
    ['cursor=-1.5', 'cursor'],
    ['cursor=99999999999999999999.1', 'cursor'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['event_type=record.created,record.renamed', 'event_type'],
    ['event_type=', 'event_type'],
    ['since=yesterday', 'since'],
    ['cursor=now&since=2026-01-01T00:00:00Z', 'since'],
  ])('400 for %s', async (query, member) => {
    const { status, body } = await feed(query)
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.validation_errors[0].path).toEqual([member])
  })

  test('410 for a cursor after which events have expired, 200 without a cursor', async () => {
    const DAY = 86_400_000_000
    const now = service.appContext.now()
    await maintainPartitions(service.db, () => now, [{ table: 'events', days: 2 }])
    const [position] = start.split('.')
    expect((await feed(`cursor=${start}`)).status).toBe(200)
    await maintainPartitions(service.db, () => now + 4 * DAY, [{ table: 'events', days: 2 }])
    const { status, body } = await feed(`cursor=${start}`)
    expect([status, body.code]).toEqual([410, 'cursor_expired'])
    expect((await feed()).status).toBe(200)
    expect((await feed(`cursor=${position}.${now + 5 * DAY}`)).status).toBe(200)
  })
})
