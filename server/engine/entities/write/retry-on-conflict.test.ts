/** A write is retried with the model that it needs: a newer one for a newer actor, the same one after another write of the entity. */

import { beforeAll, expect, spyOn, test } from 'bun:test'
import type { ApiContext } from '#context'
import { type EntityType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { createAlone } from '#engine/entities/operations/run-alone'
import { VersionConflict } from '#engine/storage/preconditions'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { createTrigger } from '#testing/create-trigger'
import { listClient } from '#testing/lists'
import { meetingInput } from '#testing/meetings'
import { useTestService } from '#testing/use-service'
import { taskInput } from '#testing/tasks'
import { until } from '#testing/until'

const service = useTestService()
let record: string
beforeAll(async () => {
  record = await listClient(service).record()
})

test.each([
  ['/v2/tasks', 'relata.tasks', () => ({ data: taskInput() })],
  ['/v2/meetings', 'relata.meetings', () => ({ data: meetingInput() })],
  [
    '/v2/notes',
    'relata.notes',
    () => ({
      data: { parent_object: 'people', parent_record_id: record, title: 'New key', format: 'plaintext', content: '' },
    }),
  ],
  ['/v2/files', 'relata.files', () => ({ object: 'people', record_id: record, file_type: 'folder', name: 'New key' })],
])('POST %s with a new key creates one thing', async (path, table, body) => {
  const { models } = service.appContext
  const outdated = await models.get(service.workspaceId)
  const get = spyOn(models, 'get').mockImplementation(async () => outdated)
  const key = await service.keyWith(READ_WRITE_SCOPES)
  expect((await service.request('POST', path, body(), { key })).status).toBe(200)
  get.mockRestore()
  const [row] = await service.db.sql<{ count: number }[]>`select count(*)::int as count from ${service.db.sql(table)}`
  expect(row).toEqual({ count: 1 })
})

test('a write that another one overtakes is retried without loading the data model', async () => {
  const { models } = service.appContext
  const { schema, entityTypesByNumber } = await models.get(service.workspaceId)
  const people = [...entityTypesByNumber.values()].find(({ api_slug }) => api_slug === 'people')
  const reload = spyOn(models, 'reload')
  const path = `/v2/objects/people/records/${record}`
  let overtaken: Promise<{ status: number }> | undefined
  await service.db.sql.begin(async (tx) => {
    await tx.unsafe(`update ${people?.table} set version = version + 1 where id = $1`, [record])
    overtaken = service.request('PATCH', path, { data: { values: { job_title: 'Engineer' } } })
    await until(async () => (await service.db.sql.unsafe(WAITING)).length > 0)
  })
  expect((await overtaken)?.status).toBe(200)
  expect(reload).not.toHaveBeenCalled()
  reload.mockRestore()
  const history = await service.db.sql.unsafe(`select from ${schema}.history where entity_id = $1`, [record])
  expect(history).toHaveLength(0)
})

test.each([
  ['a record', 409, 'concurrent_write_conflict', 'people'],
  ['an entry', 503, 'unavailable', undefined],
])('%s that others change in every try is %p', async (_, status, code, slug) => {
  const { models } = service.appContext
  const list = slug ?? (await listClient(service).list())
  const model = await models.get(service.workspaceId)
  const entityType = model.entityTypes.find(({ api_slug }) => api_slug === list) as EntityType // created above
  const answer = () => expect.unreachable()
  const creation = { entityTypeOf: () => entityType, read: () => Promise.reject(new VersionConflict()), answer }
  const parts: Partial<ApiContext> = { db: service.db, model, actor: SYSTEM_ACTOR, reloadModel: async () => model }
  const context = parts as ApiContext // a creation that reads nothing uses no more
  const refused = await createAlone(creation, context, { values: {} }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ status, code })
})

test('a merge that changes of the data model overtake keeps the next one waiting', async () => {
  const { sql } = service.db
  const ids: string[] = []
  for (const last_name of ['Lovelace', 'Byron']) {
    const data = { values: { name: { first_name: 'Ada', last_name, full_name: `Ada ${last_name}` } } }
    const { body } = await service.request('POST', '/v2/objects/people/records', { data })
    ids.push(body.data.id.record_id)
  }
  const { schema, entityTypes } = await service.appContext.models.get(service.workspaceId)
  const people = entityTypes.find(({ api_slug }) => api_slug === 'people')
  await createTrigger(service.db, {
    name: 'slow_deletion',
    when: `before delete on ${people?.table}`,
    body: 'perform pg_sleep(0.1); return old;',
  })
  const merged = new AbortController()
  const changes = (async () => {
    while (!merged.signal.aborted) {
      const [merging] = await sql.unsafe(SLEEPING)
      if (merging) await changeModel(schema).catch((error: unknown) => expect(error).toMatchObject({ code: '55P03' }))
      await Bun.sleep(5)
    }
  })()
  const [primary_record_id, secondary_record_id] = ids
  const data = { primary_record_id, secondary_record_id }
  const { status } = await service.request('POST', '/v2/objects/people/records/merge', { data })
  merged.abort()
  await changes
  expect(status).toBe(200)
})

/** Raises the version, and gives way as all changes of the data model do. */
const changeModel = (schema: string) =>
  service.db.sql.begin(async (tx) => {
    await tx`set local lock_timeout = '50ms'`
    await tx`update relata.workspaces set data_model_version = data_model_version + 1 where id = ${service.workspaceId}`
    await tx.unsafe(`update ${schema}.model set version = version + 1`)
  })

test('a read whose data model is older than the tables is retried with the current one', async () => {
  const { models } = service.appContext
  const attributes = '/v2/objects/people/attributes'
  const text = {
    type: 'text',
    description: null,
    is_required: false,
    is_unique: false,
    is_multiselect: false,
    config: {},
  }
  await service.request('POST', attributes, { data: { ...text, title: 'Motto', api_slug: 'motto' } })
  const outdated = await models.get(service.workspaceId)
  expect((await service.request('DELETE', `${attributes}/motto`)).status).toBe(200)
  const get = spyOn(models, 'get').mockImplementation(async () => outdated)
  const reload = spyOn(models, 'reload')
  const { status, body } = await service.request('GET', `/v2/objects/people/records/${record}`)
  get.mockRestore()
  expect([status, 'motto' in body.data.values, reload.mock.calls.length]).toEqual([200, false, 1])
  reload.mockRestore()
})

const SLEEPING = `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`

const WAITING = `
  select from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like 'with model as%'`
