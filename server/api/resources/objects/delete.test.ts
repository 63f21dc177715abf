/** Deletions of objects, and that nothing shows a deleted one. Restorations are in `restore.test.ts`. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { linkedObject, type LinkedObject } from '#testing/linked-object'
import { useTestService } from '#testing/use-service'
import { reference } from '#testing/trash'
import { dataOf } from '#testing/whole-workspace/data-of'

const service = useTestService()
let cases = 0

const namesOf = (slug: string) => ({ api_slug: slug, singular_noun: slug, plural_noun: `${slug}s` })
const remove = (slug: string, query = '') => service.request('DELETE', `/v2/objects/${slug}${query}`)
const get = (path: string) => service.request('GET', `/v2${path}`)
const next = () => `thing_${++cases}`

async function object(slug = next()): Promise<string> {
  await dataOf(service, 'POST')('/objects', namesOf(slug))
  return slug
}

describe('DELETE /v2/objects/{object}', () => {
  test('200 for a custom object, whose names can be used again at once', async () => {
    const slug = await object()
    await dataOf(service, 'POST')(`/objects/${slug}/records`, { values: {} })
    const { id } = (await get(`/objects/${slug}`)).body.data
    const { status, body } = await remove(slug)
    expect([status, body]).toEqual([200, {}])
    expect((await get(`/objects/${slug}`)).status).toBe(404)
    expect((await get(`/objects/${id.object_id}`)).status).toBe(404)
    expect((await get('/objects')).body.data.map((each: { api_slug: string }) => each.api_slug)).not.toContain(slug)
    expect((await remove(slug)).status).toBe(404)
    await object(slug)
    expect((await service.request('POST', `/v2/objects/${slug}/records/query`, {})).body.data).toEqual([])
  })

  test('200 whatever force is', async () => {
    for (const query of ['?force=true', '?force=false', '']) {
      const slug = await object()
      await dataOf(service, 'POST')(`/objects/${slug}/records`, { values: {} })
      expect((await remove(slug, query)).status).toBe(200)
      expect((await get('/trash/objects')).body.data[0].api_slug).toBe(slug)
    }
    expect((await remove(await object(), '?force=yes')).status).toBe(400)
  })

  test('403 without one of its scopes', async () => {
    const slug = await object()
    for (const scope of ['object_configuration:read-write', 'record_permission:read-write'] as const) {
      const key = await service.keyWith([scope, 'object_configuration:read', 'record_permission:read'])
      expect((await service.request('DELETE', `/v2/objects/${slug}`, undefined, { key })).status).toBe(403)
      const restore = await service.request('POST', `/v2/objects/${slug}/restore`, undefined, { key })
      expect(restore.status).toBe(403)
    }
  })

  test('400 for a standard object, 404 for an unknown one', async () => {
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await remove('deals', query)
      expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
      expect((await remove('nothing', query)).status).toBe(404)
    }
  })

  test('200 with counts for a dry run, which deletes nothing', async () => {
    const { slug, paths } = await linkedObject(service, next())
    const { status, body } = await remove(slug, '?dry_run=true')
    expect([status, body.data]).toEqual([
      200,
      { records: 1, attributes: 3, attributes_of_others: 2, lists: 1, entries: 1, notes: 1, files: 1, threads: 2, tasks: 1, meetings: 1, emails: 0 },
    ]) // prettier-ignore
    for (const path of paths) expect((await get(path)).status).toBe(200)
    expect((await get('/trash/objects')).body.data.map((each: { api_slug: string }) => each.api_slug)).not.toContain(
      slug,
    )
  })

  test('events of its lists and of attributes that lose it, none of its records', async () => {
    const { slug, list, other } = await linkedObject(service, next())
    const listId = (await get(`/lists/${list}`)).body.data.id.list_id
    const some = (await get(`/objects/${other}/attributes/some`)).body.data.id.attribute_id
    await service.events()
    await remove(slug)
    const events = (await service.events()).map(({ event_type, id }) => [event_type, id.list_id ?? id.attribute_id])
    expect(events.toSorted()).toEqual([
      ['list.deleted', listId],
      ['object-attribute.updated', some],
    ])
    expect((await get('/events?limit=100')).body.data.at(-1).event.event_type).toStartWith('object-attribute')
  })

  test('entries of the audit log for the object and its lists', async () => {
    const { slug, list, id } = await linkedObject(service, next())
    await remove(slug)
    await service.request('POST', `/v2/objects/${id}/restore`)
    const rows = await service.db.sql<{ action: string }[]>`
      select action from relata.audit_log where subject_name in (${`${slug}s`}, ${list}) order by created_at, id`
    expect(rows.map(({ action }) => action)).toEqual([
      'list.created', 'object.deleted', 'list.deleted', 'object.restored', 'list.restored',
    ]) // prettier-ignore
  })
})

describe('a deleted object', () => {
  let deleted: LinkedObject
  /** Texts that only answers about the object have. */
  let texts: string[]
  beforeAll(async () => {
    deleted = await linkedObject(service, 'vessel')
    const { id, record, entry, list } = deleted
    texts = [id, record, entry, list, 'vessel note', 'vessel comment', 'vessel remark', 'vessel folder', 'vessel view']
    await remove('vessel')
  })

  const isSilent = (text: string) => texts.filter((each) => text.includes(each))

  test('is absent from everything that named it', async () => {
    for (const path of deleted.paths) {
      const { status, body } = await get(path)
      const named = status === 200 ? isSilent(JSON.stringify(body)) : []
      expect([path, status === 200 || status === 404 || status === 400, named]).toEqual([path, true, []])
    }
    const { body } = await get(`/objects/${deleted.other}/records/${deleted.otherRecord}`)
    expect(body.data.values).not.toHaveProperty('only')
    expect(body.data.values.some).toMatchObject([reference('people', deleted.person)])
    expect(body.data.values.anything).toEqual([])
    const some = await get(`/objects/${deleted.other}/attributes/some`)
    expect(some.body.data.config.record_reference.allowed_object_ids).toHaveLength(1)
    expect((await get('/objects/people/attributes/vessel_owned')).status).toBe(404)
  })

  test('is absent from lists, search, SQL, exports, and the OpenAPI document', async () => {
    const paths = ['/objects', '/lists', '/notes', '/tasks', '/meetings', '/views', '/openapi.json'].map(get)
    const people = '/v2/objects/people/records'
    const others = [
      service.request('POST', '/v2/objects/records/search', { query: 'vessel', objects: ['people'], request_as: { type: 'workspace' } }),
      service.request('POST', '/v2/objects/records/search', { query: 'vessel', objects: ['vessel'], request_as: { type: 'workspace' } }),
      service.request('POST', '/v2/sql', { sql: 'select * from objects.vessel' }),
      service.request('POST', '/v2/sql', { sql: 'select * from lists.vessel_list' }),
      service.request('POST', '/v2/sql', { sql: 'select * from objects.vessel_user' }),
      service.request('POST', '/v2/sql', { sql: 'select * from objects.people' }),
      service.request('POST', `${people}/query`, {}),
      service.request('POST', '/v2/objects/vessel_user/records/query', {}),
      service.request('POST', '/v2/objects/vessel_user/records/query', { filter: { only: { target_record_id: deleted.record } } }),
      service.request('GET', `${people}/export?format=csv`),
      service.request('GET', '/v2/objects/vessel_user/records/export?format=csv'),
    ] // prettier-ignore
    for (const answer of await Promise.all([...paths, ...others]))
      // A refusal repeats the names of the request.
      expect(isSilent(JSON.stringify(answer.body).replaceAll('vessel_list', ''))).toEqual([])
  })

  test('cannot be written, and neither can references to it', async () => {
    const { id, record, entry, list, other } = deleted
    const refused = [
      service.request('POST', `/v2/objects/${id}/records`, { data: { values: {} } }),
      service.request('PATCH', `/v2/objects/${id}/records/${record}`, { data: { values: {} } }),
      service.request('DELETE', `/v2/objects/${id}/records/${record}`),
      service.request('PATCH', `/v2/objects/${id}`, { data: { api_slug: 'ship' } }),
      service.request('POST', `/v2/lists/${list}/entries/query`, {}),
      service.request('DELETE', `/v2/lists/${list}/entries/${entry}`),
      service.request('POST', '/v2/notes', {
        data: { parent_object: id, parent_record_id: record, title: 'x', format: 'plaintext', content: 'x' },
      }),
      service.request('POST', `/v2/objects/${other}/records`, { data: { values: { anything: reference(id, record) } } }),
      service.request('POST', `/v2/objects/${other}/records`, { data: { values: { only: reference(id, record) } } }),
      service.request('POST', '/v2/lists', {
        data: { name: 'x', api_slug: 'x', parent_object: id, workspace_access: 'full-access', workspace_member_access: [] },
      }),
    ] // prettier-ignore
    for (const { status, body } of await Promise.all(refused)) {
      expect([400, 404]).toContain(status)
      expect(JSON.stringify(body)).not.toContain('vessel_list"')
    }
  })

  test('frees the slugs of its lists, and of attributes that refer to it only', async () => {
    const post = dataOf(service, 'POST')
    await post('/objects/people/attributes', attributeInput({ api_slug: 'vessel_owned' }))
    await post('/objects/vessel_user/attributes', attributeInput({ api_slug: 'only' }))
    await post('/lists', {
      name: 'x', api_slug: 'vessel_list', parent_object: 'people', workspace_access: 'full-access', workspace_member_access: [],
    }) // prettier-ignore
  })

  test('does not hide webhooks whose filters name it', async () => {
    const { id } = await linkedObject(service, 'galley').then(({ id }) => ({ id }))
    const filter = { $and: [{ field: 'id.object_id', operator: 'equals', value: id }] }
    const { body } = await service.request('POST', '/v2/webhooks', {
      data: { target_url: 'https://example.com/galley', subscriptions: [{ event_type: 'record.created', filter }] },
    })
    await remove('galley')
    expect((await get(`/webhooks/${body.data.id.webhook_id}`)).status).toBe(200)
    expect((await service.request('DELETE', `/v2/webhooks/${body.data.id.webhook_id}`)).status).toBe(200)
  })
})

test('an attribute that can refer only to a deleted object is not required, and a default value that names it is left out', async () => {
  const post = dataOf(service, 'POST')
  const { slug, other, record } = await linkedObject(service, next())
  const patch = (name: string, data: object) => service.request('PATCH', `/v2/objects/${other}/attributes/${name}`, { data })
  expect((await patch('only', { is_required: true })).status).toBe(200)
  const default_value = { type: 'static', template: [reference(slug, record)] }
  expect((await patch('anything', { default_value, is_default_value_enabled: true })).status).toBe(200)
  await remove(slug)
  const { values } = await post(`/objects/${other}/records`, { values: {} })
  expect(values.anything).toEqual([])
  const { default_value: shown } = (await get(`/objects/${other}/attributes/anything`)).body.data
  expect(shown.template).toEqual([])
}) // prettier-ignore
