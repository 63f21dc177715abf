/** The list of the trash, its absence elsewhere, and deletion for good. */

import { describe, expect, test } from 'bun:test'
import { deleteExpiredTrash } from '#engine/entities/trash/delete-expired'
import { erasureWith } from '#api/erasure/erase-records'
import { lockPublishers } from '#engine/outbox/outbox'
import { newId } from '#base/ids'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { testService } from '#testing/service'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'
import { reference, trashClient } from '#testing/trash'
import { until } from '#testing/until'
import { matchEvents } from '#events/webhooks/match/match-events'

const service = useTestService()
const trash = trashClient(service)

const DAY = 86_400_000_000
const idsOf = (data: readonly { id: { record_id: string } }[]) => data.map(({ id }) => id.record_id)
const countAll = async (): Promise<number> => {
  const [row] = await service.db.sql`
    select (select count(*) from w_1.trash) + (select count(*) from w_1.trash_parts) as count`
  return Number(row?.count)
}

describe('GET /v2/objects/{object}/records/trash', () => {
  test('200 newest first, in pages', async () => {
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three'])
      ids.unshift(await trash.create('workspaces', { workspace_id: name, name }))
    for (const id of ids.toReversed()) await trash.remove('workspaces', id)
    const { body } = await trash.list('workspaces')
    expect(idsOf(body.data)).toEqual(ids)
    expect(body.data[0]).toEqual({
      id: { workspace_id: service.workspaceId, object_id: expect.any(String), record_id: ids[0] },
      record_text: 'Three',
      deleted_at: expect.any(String),
      deleted_by_actor: { type: 'api-token', id: expect.any(String) },
      expires_at: expect.any(String),
    })
    const first = (await trash.list('workspaces', '?limit=2')).body
    expect(idsOf(first.data)).toEqual(ids.slice(0, 2))
    const cursor = encodeURIComponent(first.pagination.next_cursor)
    const second = (await trash.list('workspaces', `?limit=2&cursor=${cursor}`)).body
    expect([idsOf(second.data), second.pagination.next_cursor]).toEqual([ids.slice(2), null])
    expect((await trash.list('people', `?limit=2&cursor=${cursor}`)).status).toBe(400)
  })

  test('200 with the id of a record without a label', async () => {
    const id = await trash.create('companies')
    await trash.remove('companies', id)
    expect((await trash.list('companies', '?limit=1')).body.data[0].record_text).toBe(id)
  })

  test('400 for parameters, 404 for an object, 403 without the scope, 404 from another workspace', async () => {
    for (const query of ['?limit=0', '?limit=201', '?limit=x', '?cursor=nonsense'])
      expect([query, (await trash.list('people', query)).status]).toEqual([query, 400])
    expect((await trash.list('nothing')).status).toBe(404)
    expect((await trash.list('people', '', { key: await service.keyWith(['object_configuration:read']) })).status).toBe(
      403,
    )
    const id = await trash.create('people')
    await trash.remove('people', id)
    const { key } = await service.anotherWorkspace()
    expect((await trash.list('people', '', { key })).body.data).toEqual([])
    expect((await trash.restore('people', id, { key })).status).toBe(404)
    expect((await trash.restore('people', id)).status).toBe(200)
  })
})

test('a record in the trash is absent everywhere else', async () => {
  const lists = listClient(service)
  const [id, acme] = [await trash.create('people', { name: 'Unseen, Person' }), await trash.create('companies')]
  await trash.update('companies', acme, { team: [reference('people', id)] })
  const list = await lists.list()
  const entry = await lists.entry(list, id)
  await trash.remove('people', id)
  const record = `/v2/objects/people/records/${id}`
  const requests: [string, string, unknown?][] = [
    ['GET', record],
    ['PATCH', record, { data: { values: { job_title: 'x' } } }],
    ['PUT', record, { data: { values: { job_title: 'x' } } }],
    ['DELETE', record],
    ['GET', `${record}/entries`],
    ['GET', `${record}/activity`],
    ['GET', `${record}/attributes/name/values`],
    ['GET', `/v2/lists/${list}/entries/${entry}`],
  ]
  for (const [method, path, body] of requests)
    expect([method, path, (await service.request(method, path, body)).status]).toEqual([method, path, 404])
  const query = async (body: object) =>
    (await service.request('POST', '/v2/objects/people/records/query', body)).body.data
  expect(await query({ filter: { name: { $contains: 'Unseen' } } })).toEqual([])
  expect((await lists.query(list)).body.data).toEqual([])
  expect((await trash.values('companies', acme)).team).toEqual([])
  const search = { query: 'Unseen', objects: ['people'], request_as: { type: 'workspace' } }
  expect((await service.request('POST', '/v2/objects/records/search', search)).body.data).toEqual([])
  const { body } = await service.request('POST', '/v2/sql', {
    sql: `select count(*) as n from objects.people where record_id = '${id}'`,
  })
  expect(JSON.stringify(body)).not.toContain(id)
  for (const sql of ['select * from trash', 'select * from w_1.trash', 'select * from objects.trash'])
    expect((await service.request('POST', '/v2/sql', { sql })).status).toBe(400)
  expect((await trash.update('companies', acme, { team: [reference('people', id)] })).status).toBe(400)
})

describe('DELETE /v2/objects/{object}/records/{record_id}?permanent=true', () => {
  test('200 for a record and for one in the trash, which nothing has after that', async () => {
    const before = await countAll()
    const [first, second] = [
      await trash.create('people', { name: 'A, B' }),
      await trash.create('people', { name: 'C, D' }),
    ]
    for (const id of [first, second]) await trash.update('people', id, { job_title: 'x', name: 'Other, Name' })
    await fileClient(service).file(second)
    await trash.remove('people', second)
    for (const id of [first, second]) {
      expect((await trash.purge('people', id)).status).toBe(200)
      expect((await trash.restore('people', id)).status).toBe(404)
      expect((await trash.purge('people', id)).status).toBe(404)
      const [row] = await service.db.sql`select count(*)::int as count from w_1.history where entity_id = ${id}`
      expect(Number(row?.count)).toBe(0)
    }
    expect(await countAll()).toBe(before)
  })

  test('200 removes its values from events and deliveries, also those that are not published', async () => {
    const subscription = { event_type: 'record.updated', filter: null, include: ['values'] }
    const hook = { target_url: 'https://example.com/hook', subscriptions: [subscription] }
    expect((await service.request('POST', '/v2/webhooks', { data: hook })).status).toBe(200)
    const id = await trash.create('people')
    await trash.update('people', id, { job_title: 'Published secret' })
    await publish()
    const bodies = async () => JSON.stringify(await service.db.sql`select body from relata.deliveries`)
    expect(await bodies()).toContain('Published secret')
    await trash.update('people', id, { job_title: 'Waiting secret' })
    await trash.purge('people', id)
    await publish()
    const after = await bodies()
    expect(after).toContain(id)
    expect(after).not.toContain('secret')
  })

  test('200 removes its values from deliveries that are inserted while it waits for a publisher', async () => {
    const id = await trash.create('people')
    const { sql } = service.db
    const values = (value: object | null) => ({ new_values: value, previous_values: value })
    const bodyWith = (value: object | null) => ({
      webhook_id: id,
      events: [{ event_type: 'record.updated', ...values(value) }],
    })
    let purged: Promise<unknown> | undefined
    await sql.begin(async (tx) => {
      await lockPublishers(tx)
      purged = trash.purge('people', id)
      await until(isWaiting)
      await tx`
        insert into relata.deliveries
          (workspace_id, webhook_id, id, position, event_id, event_type, record_id, kind, idempotency_key, body, created_at)
        select workspace_id, id, ${newId()}, 1, id, 'record.updated', ${id}, 'event', ${newId()}, ${JSON.stringify(bodyWith([]))}, now()
        from relata.webhooks limit 1`
    })
    await purged
    const rows = await sql<{ body: string }[]>`select body from relata.deliveries where record_id = ${id}`
    expect(rows.map(({ body }) => JSON.parse(body))).toEqual([bodyWith(null)])
  })

  test('403 for a key that may only read, 412 for another version, 400 for another value', async () => {
    const id = await trash.create('people')
    const path = `/v2/objects/people/records/${id}?permanent=`
    const key = await service.keyWith(['record_permission:read', 'object_configuration:read'])
    expect((await service.request('DELETE', `${path}true`, undefined, { key })).status).toBe(403)
    const headers = { 'If-Match': '"9"' }
    expect((await service.request('DELETE', `${path}true`, undefined, { headers })).status).toBe(412)
    expect((await service.request('DELETE', `${path}maybe`)).status).toBe(400)
    expect((await service.request('DELETE', `${path}false`)).status).toBe(200)
    expect((await trash.restore('people', id)).status).toBe(200)
  })
})

describe('expiry', () => {
  const now = () => service.appContext.now()
  const prepareErasure = erasureWith({ now })
  const expire = async (at: number) => {
    while (await deleteExpiredTrash(service.db, { now: at, batchSize: 2, prepareErasure }));
  }

  test('records that are due are deleted in batches, with their files; others stay', async () => {
    await expire(now() + 32 * DAY)
    expect(await countAll()).toBe(0)
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => trash.create('people', { name: 'Due, Soon' })))
    await fileClient(service).file(ids[0] ?? '')
    const acme = await trash.create('companies')
    await trash.update('people', ids[0] ?? '', { company: reference('companies', acme) })
    for (const id of ids) await trash.remove('people', id)
    await trash.remove('companies', acme)
    await expire(now() + 29 * DAY)
    expect(idsOf((await trash.list('people')).body.data)).toEqual(ids.toReversed())
    await expire(now() + 31 * DAY)
    expect([await countAll(), (await trash.list('people')).body.data]).toEqual([0, []])
    for (const table of ['trashed_files', 'trash_expiries'])
      expect([table, (await service.db.sql.unsafe(`select 1 from relata.${table}`)).length]).toEqual([table, 0])
    expect(await service.db.sql`select 1 from w_1.history where entity_id = ${ids[0] ?? ''}`).toHaveLength(0)
  })

  test('a record that has expired and is not deleted yet cannot be restored and is not listed', async () => {
    const id = await trash.create('people')
    await trash.remove('people', id)
    service.setNow(now() + 30 * DAY)
    expect((await trash.restore('people', id)).status).toBe(404)
    expect((await trash.list('people')).body.data).toEqual([])
    service.setNow()
    expect((await trash.restore('people', id)).status).toBe(200)
  })

  test('without a trash, records are deleted at once', async () => {
    const without = await testService({ trashDays: 0 })
    try {
      const own = trashClient(without)
      const id = await own.create('people', { name: 'No, Trash' })
      expect((await own.remove('people', id)).status).toBe(200)
      expect((await own.restore('people', id)).status).toBe(404)
      expect((await own.list('people')).body.data).toEqual([])
    } finally {
      await without.close()
    }
  })
})

async function publish(): Promise<void> {
  await publishAll(service, matchEvents)
}

/** Whether a transaction of this database waits for an advisory lock. */
async function isWaiting(): Promise<boolean> {
  const rows = await service.db.sql`
    select 1 from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`
  return rows.length > 0
}
