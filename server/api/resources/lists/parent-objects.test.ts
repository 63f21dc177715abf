/** Lists with several parent objects, as older workspaces have them. See docs/reference/lists-and-entries.md (Several parent objects). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { deletedObjectWorker } from '#api/entities/erase-deleted'
import { listClient } from '#testing/lists'
import { runWorker } from '#testing/workers'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
const lists = listClient(service)

const object = (api_slug: string) =>
  service.request('POST', '/v2/objects', {
    data: { api_slug, singular_noun: `One ${api_slug}`, plural_noun: `Many ${api_slug}` },
  })
const entry = async (list: string, parent_object: string, parent_record_id: string, entry_values: object = {}) =>
  service.request('POST', `/v2/lists/${list}/entries`, { data: { parent_object, parent_record_id, entry_values } })
const find = async (list: string, body: object = {}): Promise<string[]> => {
  const { status, body: found } = await service.request('POST', `/v2/lists/${list}/entries/query`, body)
  expect([status, found.message]).toEqual([200, undefined])
  return found.data.map((each: { parent_record_id: string }) => each.parent_record_id)
}

let list: string
let person: string
let company: string
let ofPerson: string
let ofCompany: string
beforeAll(async () => {
  list = await lists.list({ api_slug: 'mixed', name: 'Mixed', parent_object: ['people', 'companies', 'people'] })
  person = await lists.record('people', { name: 'Lovelace, Ada' })
  company = await lists.record('companies', { name: 'Engines' })
  ofPerson = (await entry(list, 'people', person)).body.data.id.entry_id
  ofCompany = (await entry(list, 'companies', company)).body.data.id.entry_id
})

describe('a list with several parent objects', () => {
  test('is read with all of them, and keeps them', async () => {
    const parents = ['people', 'companies']
    expect((await service.request('GET', '/v2/lists/mixed')).body.data.parent_object).toEqual(parents)
    const change = (parent_object: unknown) =>
      service.request('PATCH', '/v2/lists/mixed', { data: { name: 'Mixed', parent_object } })
    expect((await change(['companies', 'people'])).status).toBe(200)
    for (const other of ['people', ['people'], ['people', 'deals'], [...parents, 'deals']])
      expect((await change(other)).body.code).toBe('immutable_value')
  })

  test('404 for an unknown one, 400 for none', async () => {
    const input = { name: 'A', api_slug: 'none', workspace_access: 'full-access', workspace_member_access: [] }
    const create = (parent_object: unknown) =>
      service.request('POST', '/v2/lists', { data: { ...input, parent_object } })
    expect((await create(['people', 'compnies'])).status).toBe(404)
    expect((await create([])).body.code).toBe('validation_type')
  })

  test('has entries for records of each, and of no other object', async () => {
    expect(await find(list)).toEqual([person, company])
    const read = async (id: string) => (await lists.get(list, id)).body.data.parent_object
    expect([await read(ofPerson), await read(ofCompany)]).toEqual(['people', 'companies'])
    const deal = await lists.record('deals', { name: 'Deal', stage: 'Lead', owner: service.member.email_address })
    expect((await entry(list, 'deals', deal)).body.code).toBe('validation_type')
    expect((await entry(list, 'people', company)).body.code).toBe('value_not_found')
    const update = (parent_object: string) => lists.update('PATCH', list, ofCompany, {}, { parent_object })
    expect([(await update('companies')).status, (await update('people')).body.code]).toEqual([200, 'immutable_value'])
  })

  test('is upserted by the record of either object', async () => {
    const upsert = (parent_object: string, parent_record_id: string) =>
      service.request('PUT', `/v2/lists/${list}/entries`, {
        data: { parent_object, parent_record_id, entry_values: {} },
      })
    expect((await upsert('companies', company)).body.data.id.entry_id).toBe(ofCompany)
    expect((await upsert('people', person)).body.data.id.entry_id).toBe(ofPerson)
    const { body } = await service.request('GET', `/v2/objects/companies/records/${company}/entries`)
    expect(body.data).toMatchObject([{ list_api_slug: 'mixed', entry_id: ofCompany }])
  })

  test('is filtered and sorted by paths through the records of either object', async () => {
    const path = (object: string, value: string) => ({
      path: [
        ['mixed', 'parent_record'],
        [object, 'name'],
      ],
      constraints: { value },
    })
    expect(await find(list, { filter: path('companies', 'Engines') })).toEqual([company])
    const ada = {
      path: [
        ['mixed', 'parent_record'],
        ['people', 'name'],
      ],
      constraints: { last_name: 'Lovelace' },
    }
    expect(await find(list, { filter: ada })).toEqual([person])
    const reference = { target_object: 'companies', target_record_id: company }
    expect(await find(list, { filter: { parent_record: reference } })).toEqual([company])
    expect(await find(list, { sorts: [{ attribute: 'parent_record', direction: 'asc' }] })).toEqual([person, company])
    const byName = {
      path: [
        ['mixed', 'parent_record'],
        ['companies', 'name'],
      ],
      direction: 'desc',
    }
    expect(await find(list, { sorts: [byName] })).toHaveLength(2)
  })

  test('is a table of SQL, and a file of an export, with the object of each entry', async () => {
    const sql = 'select parent_record.entity_instance_id::text as id from lists.mixed order by created_at'
    const { body } = await service.request('POST', '/v2/sql', { sql })
    expect(JSON.stringify(body)).toContain(company)
    const csv = await service.request('GET', '/v2/lists/mixed/entries/export?format=csv')
    expect(csv.body).toContain(`${company},companies`)
    expect(csv.body).toContain(`${person},people`)
  })

  test('has the object of the record in its events, and in comments', async () => {
    const ids = await Promise.all(
      ['people', 'companies'].map(
        async (slug) => (await service.request('GET', `/v2/objects/${slug}`)).body.data.id.object_id,
      ),
    )
    await service.events()
    await lists.attribute(list, 'note')
    const other = (await entry(list, 'companies', company, { note: 'a' })).body.data.id.entry_id
    await lists.update('PATCH', list, other, { note: 'b' })
    const data = { format: 'plaintext', content: 'Hello', author: { type: 'workspace-member', id: service.member.id } }
    const comment = await service.request('POST', '/v2/comments', {
      data: { ...data, entry: { list, entry_id: other } },
    })
    expect([comment.status, comment.body.message]).toEqual([200, undefined])
    expect(comment.body.data.record).toMatchObject({ object_id: ids[1], record_id: company })
    await lists.remove(list, other)
    const events = (await service.events()).filter(({ event_type }) => event_type.startsWith('list-entry.'))
    expect(events.map((event) => [event.event_type, 'parent_object_id' in event && event.parent_object_id])).toEqual([
      ['list-entry.created', ids[1]],
      ['list-entry.updated', ids[1]],
      ['list-entry.deleted', ids[1]],
    ])
  })

  test('has views with columns of the records of either object', async () => {
    const view = (visible_attributes: string[]) =>
      service.request('POST', `/v2/lists/${list}/views`, {
        data: { title: 'A view', type: 'table', visible_attributes },
      })
    const saved = await view(['parent_record.domains', 'parent_record.job_title'])
    expect([saved.status, saved.body.message]).toEqual([200, undefined])
    expect((await view(['parent_record.nothing'])).status).toBe(400)
  })

  test('loses the entries of a deleted record only', async () => {
    const gone = await lists.record('companies')
    await entry(list, 'companies', gone)
    await service.request('DELETE', `/v2/objects/companies/records/${gone}`)
    expect(await find(list)).toEqual([person, company])
    await service.request('POST', `/v2/objects/companies/records/${gone}/restore`)
    expect(await find(list)).toEqual([person, company, gone])
    await service.request('DELETE', `/v2/objects/companies/records/${gone}?permanent=true`)
  })

  test('is hidden from a member to whom one of the objects is hidden', async () => {
    await object('secrets')
    await lists.list({ api_slug: 'half', parent_object: ['people', 'secrets'] })
    const seen = async () =>
      (await member.ask('GET', '/console/v2/lists')).body.data.map(({ api_slug }: { api_slug: string }) => api_slug)
    expect(await seen()).toEqual(['mixed', 'half'])
    const { object_id } = (await service.request('GET', '/v2/objects/secrets')).body.data.id
    const access = `/console/api/workspaces/${service.workspaceId}/objects/${object_id}/access`
    expect((await admin.ask('PUT', access, { members: 'hidden', teams: [] })).status).toBe(200)
    expect(await seen()).toEqual(['mixed'])
    expect((await member.ask('POST', '/console/v2/lists/half/entries/query', {})).status).toBe(404)
  })
})

describe('a list whose parent object is deleted', () => {
  const remove = (slug: string, query = '') => service.request('DELETE', `/v2/objects/${slug}${query}`)
  const restore = (id: string) => service.request('POST', `/v2/objects/${id}/restore`)
  const status = async (slug: string) => (await service.request('GET', `/v2/lists/${slug}`)).status

  async function seed(slug: string, others: readonly string[]) {
    for (const each of [slug, ...others]) await object(each)
    const parents = [slug, 'people', ...others]
    await lists.list({ api_slug: `of_${slug}`, parent_object: parents })
    const record = await lists.record(slug)
    await entry(`of_${slug}`, slug, record)
    await entry(`of_${slug}`, 'people', person)
    const read = async (each: string) => (await service.request('GET', `/v2/objects/${each}`)).body.data.id.object_id
    return { record, ids: await Promise.all([slug, ...others].map(read)) }
  }

  test('is hidden, and comes back with it', async () => {
    const { record, ids } = await seed('tents', ['poles'])
    await remove('tents')
    expect(await status('of_tents')).toBe(404)
    await remove('poles')
    await restore(ids[0])
    expect(await status('of_tents')).toBe(404)
    await restore(ids[1])
    expect(await status('of_tents')).toBe(200)
    expect(await find('of_tents')).toEqual([record, person])
  })

  test('stays with its other entries when the object is deleted for good', async () => {
    const { ids } = await seed('boats', [])
    await remove('boats')
    await service.events()
    expect((await remove(ids[0], '?permanent=true')).status).toBe(200)
    const worker = deletedObjectWorker(() => Promise.resolve())
    await runWorker(worker, service.appContext)
    const { body } = await service.request('GET', '/v2/lists/of_boats')
    expect(body.data.parent_object).toEqual(['people'])
    expect(await find('of_boats')).toEqual([person])
    expect((await entry('of_boats', 'people', person)).status).toBe(200)
    expect((await service.events()).map(({ event_type }) => event_type)).toContain('list.created')
  })
})
