/** Deletions of objects for good. */

import { afterEach, describe, expect, test } from 'bun:test'
import type { Database } from '#db/connect'
import { holdSending, startAt, ORIGINAL } from '#testing/installation'
import { linkedObject } from '#testing/linked-object'
import { testService, type TestService } from '#testing/service'
import { useTestService } from '#testing/use-service'
import { reference, trashClient } from '#testing/trash'
import { dataOf } from '#testing/whole-workspace/data-of'
import { runWorker } from '#testing/workers'
import { deletedObjectWorker } from './erase-deleted'

const service = useTestService()
let cases = 0
afterEach(() => service.setNow())

const DAY = 86_400_000_000
const next = () => `thing_${++cases}`
const get = (path: string) => service.request('GET', `/v2${path}`)
const remove = (slug: string, query = '') => service.request('DELETE', `/v2/objects/${slug}${query}`)
const restore = (id: string) => service.request('POST', `/v2/objects/${id}/restore`)
const erase = () =>
  runWorker(
    deletedObjectWorker(() => Promise.resolve()),
    service.appContext,
  )

/** The numbers of rows of all tables in which the object has some. */
async function countRows({ sql }: Database, { workspaceId }: TestService): Promise<Record<string, number>> {
  const tables = await sql<{ name: string; schema: string }[]>`
    select relname as name, relnamespace::regnamespace::text as schema from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace in ('relata'::regnamespace, 'w_1'::regnamespace)
      and relname not in ('audit_log', 'outbox', 'events', 'outbox_writers', 'tokens', 'model', 'accounts', 'sessions', 'trash_expiries')`
  const counts: Record<string, number> = {}
  for (const { schema, name } of tables) {
    const [row] = await sql.unsafe<{ count: number }[]>(
      `select count(*)::int as count from ${schema}."${name}" t where to_jsonb(t)->>'workspace_id' is not distinct from $1
        or not to_jsonb(t) ? 'workspace_id'`,
      [workspaceId],
    )
    if (row && row.count > 0) counts[`${schema}.${name}`] = row.count
  }
  return counts
}

describe('a deleted object that has expired', () => {
  test('is deleted with everything of it, and nothing else', async () => {
    const trash = trashClient(service)
    const [person, kept] = [await trash.create('people'), await trash.create('people')]
    await dataOf(service, 'POST')('/objects', { api_slug: 'keeper', singular_noun: 'k', plural_noun: 'ks' })
    await dataOf(service, 'POST')('/objects/keeper/attributes', {
      title: 'any', description: null, api_slug: 'any', type: 'record-reference', is_required: false, is_unique: false, is_multiselect: true, config: {},
    }) // prettier-ignore
    const keeper = await trash.create('keeper', { any: [reference('people', kept)] })
    const read = async () => [
      (await get(`/objects/people/records/${person}`)).body.data,
      (await get(`/objects/keeper/records/${keeper}`)).body.data,
    ]
    const [values, before] = [await read(), await countRows(service.db, service)]
    const { slug, id, other, otherRecord, list, record, entry, person: owner } = await linkedObject(service, next())
    await trash.update(slug, record, { code: 'changed' })
    await trash.update('keeper', keeper, { any: [reference(slug, record)] })
    const [primary, secondary] = [await trash.create(slug), await trash.create(slug)]
    await dataOf(service, 'POST')(`/objects/${slug}/records/merge`, {
      primary_record_id: primary,
      secondary_record_id: secondary,
    })
    await trash.remove(slug, await trash.create(slug))
    const attachments = [...(await get(`/tasks?linked_object=${slug}&linked_record_id=${record}`)).body.data]
    const meetings = (await get('/meetings')).body.data
    await remove(slug)
    await remove(other)
    service.setNow(service.appContext.now() + 30 * DAY - 1_000_000)
    await erase()
    expect((await get('/trash/objects')).body.data).toHaveLength(2)
    service.setNow(service.appContext.now() + 2_000_000)
    await service.events()
    await erase()
    expect((await service.events()).filter(({ actor }) => actor.type !== 'system')).toEqual([])
    expect((await restore(id)).status).toBe(404)
    expect((await get(`/tasks/${attachments[0].id.task_id}`)).body.data.linked_records).toEqual([])
    expect((await get(`/meetings/${meetings.at(-1).id.meeting_id}`)).body.data.linked_records).toEqual([])
    const [personAfter, keeperAfter] = await read()
    expect(personAfter).toEqual(values[0])
    expect(keeperAfter.values.any).toMatchObject([reference('people', kept)])
    for (const task of attachments) await service.request('DELETE', `/v2/tasks/${task.id.task_id}`)
    for (const meeting of meetings) await service.request('DELETE', `/v2/meetings/${meeting.id.meeting_id}`)
    await trash.purge('people', owner)
    const texts = [id, otherRecord, list, record, entry]
    const [found] = await service.db.sql<{ count: number }[]>`
      select count(*)::int as count from w_1.history h where ${texts} @> array[h.entity_id::text]`
    expect(found?.count).toBe(0)
    expect(await countRows(service.db, service)).toEqual(before)
  })

  test('waits while the database may be a copy', async () => {
    const { slug, id } = await linkedObject(service, next())
    await remove(slug)
    service.setNow(service.appContext.now() + 31 * DAY)
    const count = async () => (await service.db.sql`select 1 from relata.entity_types where id = ${id}`).length
    await holdSending(service)
    await erase()
    expect(await count()).toBe(1)
    await startAt(service, ORIGINAL)
    await erase()
    expect(await count()).toBe(0)
  })
})

describe('DELETE /v2/objects/{object}?permanent=true', () => {
  test('409 for an object that is not deleted, 200 for one in the trash, which cannot be restored then', async () => {
    const { slug, id } = await linkedObject(service, next())
    for (const name of [slug, id]) {
      const { status, body } = await remove(name, '?permanent=true')
      expect([status, body.code]).toEqual([409, 'object_not_deleted'])
    }
    await remove(slug)
    expect((await remove(slug, '?permanent=true')).status).toBe(404)
    expect((await remove(id, '?permanent=true')).status).toBe(200)
    expect((await remove(id, '?permanent=true')).status).toBe(404)
    expect((await restore(id)).status).toBe(404)
    const { body } = await service.request('POST', '/v2/objects', {
      data: { api_slug: slug, singular_noun: slug, plural_noun: `${slug}s` },
    })
    await erase()
    expect((await get(`/objects/${slug}`)).body.data).toEqual(body.data)
    expect(await service.db.sql`select 1 from relata.entity_types where id = ${id}`).toHaveLength(0)
  })
})

test('without a trash, a deleted object cannot be restored', async () => {
  const bare = await testService({ trashDays: 0 })
  try {
    const { id } = await dataOf(bare, 'POST')('/objects', { api_slug: 'x', singular_noun: 'x', plural_noun: 'xs' })
    await dataOf(bare, 'POST')('/objects/x/records', { values: {} })
    expect((await bare.request('DELETE', '/v2/objects/x')).status).toBe(200)
    expect((await bare.request('POST', `/v2/objects/${id.object_id}/restore`)).status).toBe(404)
    await runWorker(
      deletedObjectWorker(() => Promise.resolve()),
      bare.appContext,
    )
    expect(await bare.db.sql`select 1 from relata.entity_types where id = ${id.object_id}`).toHaveLength(0)
  } finally {
    await bare.close()
  }
})
