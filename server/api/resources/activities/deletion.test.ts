/** Deletions of activities, that nothing shows a deleted one, and restorations. */

import { afterEach, describe, expect, test } from 'bun:test'
import { deletedObjectWorker } from '#api/entities/erase-deleted'
import { attributeInput } from '#testing/attributes'
import { runWorker } from '#testing/workers'
import { testService } from '#testing/service'
import { reference, trashClient } from '#testing/trash'
import { useTestService } from '#testing/use-service'
import { dataOf } from '#testing/whole-workspace/data-of'

const service = useTestService()
let cases = 0
afterEach(() => service.setNow())

const DAY = 86_400_000_000
const next = () => `visits_${++cases}`
const namesOf = (slug: string) => ({ api_slug: slug, singular_noun: slug, plural_noun: `${slug} many` })
const get = (path: string) => service.request('GET', `/v2${path}`)
const remove = (slug: string, query = '') => service.request('DELETE', `/v2/activities/${slug}${query}`)
const restore = (id: string, data?: object) =>
  service.request('POST', `/v2/activities/${id}/restore`, data === undefined ? undefined : { data })
const listed = async () => (await get('/trash/activities')).body.data
const post = (path: string, data: object) => dataOf(service, 'POST')(path, data)
const erase = () =>
  runWorker(
    deletedObjectWorker(() => Promise.resolve()),
    service.appContext,
  )

async function activity(slug = next()): Promise<{ slug: string; id: string }> {
  const { id } = await post('/activities', { ...namesOf(slug), extends: 'interactions' })
  return { slug, id: id.activity_id }
}

/** An activity with a record, to which a person refers by an attribute of its own, and one in the trash. */
async function linkedActivity() {
  const { slug, id } = await activity()
  await post('/objects/people/attributes', {
    ...attributeInput({ api_slug: `${slug}_guest`, type: 'record-reference' }),
    is_multiselect: true,
    relationship: { object: slug, title: 'Guests', api_slug: 'guests', is_multiselect: true },
  })
  await post('/objects/companies/attributes', {
    ...attributeInput({ api_slug: `${slug}_or_person`, type: 'record-reference' }),
    is_multiselect: true,
    config: { record_reference: { allowed_objects: [slug, 'people'] } },
  })
  await post(`/activities/${slug}/attributes`, attributeInput({ api_slug: 'remark', type: 'text' }))
  const person = (await post('/objects/people/records', { values: {} })).id.record_id
  const values = { note: `${slug} note`, remark: `${slug} remark`, people: [person], guests: [person] }
  const record = (await post(`/activities/${slug}/records`, { values })).id.record_id
  const company = (
    await post('/objects/companies/records', {
      values: { [`${slug}_or_person`]: [reference(slug, record), reference('people', person)] },
    })
  ).id.record_id
  const trashed = (await post(`/activities/${slug}/records`, { values: {} })).id.record_id
  await service.request('DELETE', `/v2/activities/${slug}/records/${trashed}`)
  const paths = [
    `/activities/${slug}`,
    `/activities/${slug}/attributes`,
    `/activities/${slug}/records/${record}`,
    `/activities/${slug}/records/${record}/attributes/note/values?show_historic=true`,
    `/activities/${slug}/records/trash`,
    `/objects/people/attributes`,
    `/objects/people/records/${person}`,
    `/objects/people/records/${person}/activity`,
    `/objects/companies/records/${company}`,
  ]
  return { slug, id, person, company, record, trashed, paths }
}

describe('DELETE /v2/activities/{activity}', () => {
  test('200 and it is absent everywhere; restored, everything is as it was', async () => {
    const { slug, id, person, company, record, paths } = await linkedActivity()
    const read = async () => Promise.all(paths.map(async (path) => (await get(path)).body))
    const before = await read()
    expect(before.filter(({ data }) => data === undefined)).toEqual([])
    const { status, body } = await remove(slug)
    expect([status, body]).toEqual([200, {}])
    for (const path of [slug, id].map((name) => `/activities/${name}`)) expect((await get(path)).status).toBe(404)
    expect((await get(`/activities/${slug}/records/${record}`)).status).toBe(404)
    const elsewhere = [
      '/activities',
      '/openapi.json',
      '/objects/people/attributes',
      `/objects/people/records/${person}`,
      `/objects/people/records/${person}/activity`,
      `/objects/companies/records/${company}`,
    ]
    for (const path of elsewhere) {
      const text = JSON.stringify((await get(path)).body)
      for (const hidden of [id, record, `"${slug}"`, `${slug}_guest`, `${slug} note`])
        expect(text).not.toContain(hidden)
    }
    const { values } = (await get(`/objects/companies/records/${company}`)).body.data
    expect(values[`${slug}_or_person`]).toMatchObject([reference('people', person)])
    const sql = () => service.request('POST', '/v2/sql', { sql: `select note from activities.${slug}` })
    expect((await sql()).status).toBe(400)
    expect((await restore(id)).body.data).toEqual(before[0].data)
    expect(await read()).toEqual(before)
    expect((await sql()).status).toBe(200)
    expect(await listed()).toEqual([])
  })

  test('200 with counts for a dry run, which deletes nothing', async () => {
    const { slug, id } = await linkedActivity()
    const { status, body } = await remove(slug, '?dry_run=true')
    // The other side of the attribute of people, and the remark.
    expect([status, body.data]).toEqual([200, { records: 1, attributes: 2, attributes_of_others: 1 }])
    expect((await get(`/activities/${id}`)).status).toBe(200)
    expect((await remove('phone_calls', '?dry_run=true')).body.code).toBe('system_edit_unauthorized')
    expect((await remove('nothing', '?dry_run=true')).status).toBe(404)
  })

  test('activity.deleted and activity.created, updates of attributes elsewhere, and entries of the audit log', async () => {
    const { slug, id } = await linkedActivity()
    await service.events()
    await remove(slug)
    const types = async () => (await service.events()).map(({ event_type }) => event_type).toSorted()
    expect(await types()).toEqual(['activity.deleted', 'object-attribute.updated'])
    await restore(id)
    expect(await types()).toEqual(['activity.created', 'object-attribute.updated', 'object-attribute.updated'])
    const rows = await service.db.sql<{ action: string }[]>`
      select action from relata.audit_log where subject_id = ${id} order by created_at`
    expect(rows.map(({ action }) => action)).toEqual(['activity.deleted', 'activity.restored'])
  })
})

describe('POST /v2/activities/{activity_id}/restore', () => {
  test('409 for a slug that an activity or an object has meanwhile, 200 with another one', async () => {
    const { slug, id } = await activity()
    await remove(slug)
    await post('/objects', namesOf(slug))
    const refused = await restore(id)
    expect([refused.status, refused.body.code]).toEqual([409, 'slug_conflict'])
    expect(refused.body.message).toContain('Give the restored activity another api_slug in the body.')
    const names = namesOf(`${slug}_old`)
    expect((await restore(id, names)).body.data).toMatchObject(names)
    expect((await restore(id, names)).status).toBe(404)
  })

  test.each([{ api_slug: 'No slug' }, { singular_noun: '' }, { extends: 'calls' }])('400 for %p', async (data) => {
    const { slug, id } = await activity()
    await remove(slug)
    expect((await restore(id, data)).status).toBe(400)
    expect((await restore(id)).status).toBe(200)
  })

  test('404 for an activity that is not in the trash, has expired, is of another workspace, and for an object', async () => {
    const { slug, id } = await activity()
    expect((await restore(id)).status).toBe(404)
    expect((await restore('no-id')).status).toBe(400)
    await remove(slug)
    expect((await service.request('POST', `/v2/objects/${id}/restore`)).status).toBe(404)
    expect(JSON.stringify((await get('/trash/objects')).body)).not.toContain(id)
    const { key } = await service.anotherWorkspace()
    expect((await service.request('POST', `/v2/activities/${id}/restore`, undefined, { key })).status).toBe(404)
    expect((await service.request('GET', '/v2/trash/activities', undefined, { key })).body.data).toEqual([])
    service.setNow(service.appContext.now() + 30 * DAY)
    expect([(await restore(id)).status, await listed()]).toEqual([404, []])
  })

  test('403 without one of its scopes', async () => {
    const { slug, id } = await activity()
    await remove(slug)
    for (const scope of ['activity_configuration:read-write', 'activity_record:read-write'] as const) {
      const key = await service.keyWith([scope, 'activity_configuration:read', 'activity_record:read'])
      expect((await service.request('POST', `/v2/activities/${id}/restore`, undefined, { key })).status).toBe(403)
      expect((await service.request('GET', '/v2/trash/activities', undefined, { key })).status).toBe(200)
    }
    const key = await service.keyWith(['object_configuration:read'])
    expect((await service.request('GET', '/v2/trash/activities', undefined, { key })).status).toBe(403)
  })

  test('400 when the workspace may have no more activities', async () => {
    const few = await testService({ objectQuota: 1 })
    try {
      const input = (slug: string) => ({ ...namesOf(slug), extends: 'calls' })
      const { id } = await dataOf(few, 'POST')('/activities', input('first'))
      await few.request('DELETE', '/v2/activities/first')
      await dataOf(few, 'POST')('/activities', input('second'))
      const { status, body } = await few.request('POST', `/v2/activities/${id.activity_id}/restore`)
      expect([status, body.code]).toEqual([400, 'quota_exceeded'])
    } finally {
      await few.close()
    }
  })

  test('200 after a person to whom it refers was deleted for good', async () => {
    const { slug, id, person, company, record } = await linkedActivity()
    await remove(slug)
    expect((await trashClient(service).purge('people', person)).status).toBe(200)
    expect((await restore(id)).status).toBe(200)
    const { values } = (await get(`/activities/${slug}/records/${record}`)).body.data
    expect([values.people, values.guests, values.note[0].value]).toEqual([[], [], `${slug} note`])
    const ofCompany = (await get(`/objects/companies/records/${company}`)).body.data.values
    expect(ofCompany[`${slug}_or_person`]).toMatchObject([reference(slug, record)])
  })
})

test('GET /v2/trash/activities: 200 with the newest deletion first', async () => {
  const [first, second] = [await activity(), await activity()]
  for (const each of [first, second]) await remove(each.slug)
  const [newest, oldest] = await listed()
  expect(newest).toEqual({
    id: { workspace_id: service.workspaceId, activity_id: second.id },
    ...namesOf(second.slug),
    deleted_at: expect.any(String),
    deleted_by_actor: { type: 'api-token', id: expect.any(String) },
    expires_at: expect.any(String),
  })
  expect(oldest.id.activity_id).toBe(first.id)
  expect(Date.parse(newest.expires_at) - Date.parse(newest.deleted_at)).toBe(30 * 86_400_000)
})

describe('deletion for good', () => {
  test('leaves nothing of the activity, and what referred to it stays without it', async () => {
    const { slug, id, person, company, record, trashed } = await linkedActivity()
    expect((await remove(slug, '?permanent=true')).body.code).toBe('activity_not_deleted')
    await remove(slug)
    expect((await remove(id, '?permanent=true')).status).toBe(200)
    expect((await restore(id)).status).toBe(404)
    await erase()
    expect(await service.db.sql`select 1 from relata.entity_types where id = ${id}`).toHaveLength(0)
    const left = await service.db.sql`
      select id from w_1.trash where id = ${trashed} union all
      select entity_id from w_1.history where entity_id = any(${[record, trashed]}::uuid[])`
    expect(left).toHaveLength(0)
    const { values } = (await get(`/objects/companies/records/${company}`)).body.data
    expect(values[`${slug}_or_person`]).toMatchObject([reference('people', person)])
    const attribute = (await get(`/objects/companies/attributes/${slug}_or_person`)).body.data
    expect(attribute.config.record_reference.allowed_object_ids).toHaveLength(1)
    expect((await get(`/objects/people/attributes/${slug}_guest`)).status).toBe(404)
  })

  test('happens when the days of the trash have passed', async () => {
    const { slug, id } = await linkedActivity()
    await remove(slug)
    const count = async () => (await service.db.sql`select 1 from relata.entity_types where id = ${id}`).length
    service.setNow(service.appContext.now() + 30 * DAY - 1_000_000)
    await erase()
    expect(await count()).toBe(1)
    service.setNow(service.appContext.now() + 2_000_000)
    await erase()
    expect(await count()).toBe(0)
  })
})
