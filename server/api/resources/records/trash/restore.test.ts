import { describe, expect, test } from 'bun:test'
import { deletedObjectWorker } from '#api/entities/erase-deleted'
import { runWorker } from '#testing/workers'
import { attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { trashClient } from '#testing/trash'

const LOCATION = {
  line_1: 'Bahnhofstrasse 1',
  line_2: null,
  line_3: null,
  line_4: null,
  locality: 'Zürich',
  region: null,
  postcode: '8001',
  country_code: 'CH',
  latitude: '47.3769',
  longitude: '8.5417',
}

const service = useTestService()
const trash = trashClient(service)
const lists = listClient(service)

const types = async () => (await service.events()).map(({ event_type }) => event_type)

describe('POST /v2/objects/{object}/records/{record_id}/restore', () => {
  test('200 with the values, their times and actors, as before the deletion', async () => {
    const id = await trash.create('people', {
      name: 'Lovelace, Ada',
      email_addresses: ['ada@restore.dev', 'countess@restore.dev'],
      phone_numbers: ['+442071838750'],
      primary_location: 'London, UK',
      description: 'Wrote "the first" program\n\u2028 in 1843 🚀',
    })
    await trash.update('people', id, { job_title: 'Countess', email_addresses: ['late@restore.dev'] })
    const before = (await trash.get('people', id)).body.data
    expect((await trash.remove('people', id)).status).toBe(200)
    expect((await trash.get('people', id)).status).toBe(404)
    const { status, body, headers } = await trash.restore('people', id)
    expect([status, body.data]).toEqual([200, before])
    expect((await trash.get('people', id)).body.data).toEqual(before)
    expect(headers.get('etag')).toBe('"3"')
  })

  test('200 with every attribute type', async () => {
    const object = await customObject()
    const values = {
      title: 'All',
      count: 12345678.25,
      price: 99999999999.1234,
      done: true,
      day: '2024-02-29',
      at: '2024-02-29T12:00:00.123456789Z',
      stars: 4,
      tags: ['One', 'Two'],
      state: 'New',
      where: LOCATION,
      numbers: ['+41446681800'],
    }
    const slugs = await attributesOf(object)
    const given = Object.fromEntries(Object.entries(values).filter(([slug]) => slugs.includes(slug)))
    expect(Object.keys(given).length).toBeGreaterThan(7)
    const id = await trash.create(object, given)
    const before = await trash.values(object, id)
    await trash.remove(object, id)
    expect((await trash.restore(object, id)).body.data.values).toEqual(before)
  })

  test('200 with the history of its values', async () => {
    const id = await trash.create('people', { job_title: 'One' })
    for (const job_title of ['Two', 'Three', null]) await trash.update('people', id, { job_title })
    const before = await trash.history('people', id, 'job_title')
    expect(before).toHaveLength(3)
    await trash.remove('people', id)
    await trash.restore('people', id)
    expect(await trash.history('people', id, 'job_title')).toEqual(before)
    await trash.update('people', id, { job_title: 'Four' })
    expect(await trash.history('people', id, 'job_title')).toHaveLength(4)
  })

  test('200 with its entries, their values and history, without those of lists that were deleted', async () => {
    const id = await trash.create('people')
    const [kept, deleted] = [await lists.list(), await lists.list()]
    await lists.attribute(kept, 'stage_note')
    const entries = [await lists.entry(kept, id, { stage_note: 'a' }), await lists.entry(kept, id, { stage_note: 'b' })]
    await lists.entry(deleted, id)
    await lists.update('PATCH', kept, entries[0] ?? '', { stage_note: 'c' })
    const before = await Promise.all(entries.map(async (entry) => (await lists.get(kept, entry)).body.data))
    await trash.remove('people', id)
    await service.request('DELETE', `/v2/lists/${deleted}`)
    expect((await lists.get(kept, entries[0] ?? '')).status).toBe(404)
    expect((await trash.restore('people', id)).status).toBe(200)
    expect(await Promise.all(entries.map(async (entry) => (await lists.get(kept, entry)).body.data))).toEqual(before)
    const path = `/v2/lists/${kept}/entries/${entries[0]}/attributes/stage_note/values?show_historic=true`
    expect((await service.request('GET', path)).body.data).toHaveLength(2)
    expect((await lists.ofRecord(id)).body.data).toHaveLength(2)
  })

  test('200 keeps the one entry of a record that was created by asserting', async () => {
    const id = await trash.create('people')
    const list = await lists.list()
    const created = (await lists.upsert(list, id)).body.data.id.entry_id
    await trash.remove('people', id)
    await trash.restore('people', id)
    const both = await Promise.all([lists.upsert(list, id), lists.upsert(list, id)])
    expect(both.map(({ body }) => body.data.id.entry_id)).toEqual([created, created])
  })

  test('200 with its events: it and its entries are created', async () => {
    const id = await trash.create('people')
    await lists.entry(await lists.list(), id)
    await trash.remove('people', id)
    await service.events()
    await trash.restore('people', id)
    expect(await types()).toEqual(['record.created', 'list-entry.created'])
  })

  test('200 gives it its unique values again', async () => {
    const id = await trash.create('people', { email_addresses: ['mine@restore.dev'] })
    await trash.remove('people', id)
    await trash.restore('people', id)
    const values = { email_addresses: ['mine@restore.dev'] }
    const { status, body } = await service.request('POST', '/v2/objects/people/records', { data: { values } })
    expect([status, body.code, body.conflicting_record_ids]).toEqual([400, 'uniqueness_conflict', [id]])
  })

  test('409 naming the attribute when another record has a unique value; nothing is restored', async () => {
    const email_addresses = ['free@restore.dev', 'taken@restore.dev']
    const id = await trash.create('people', { name: 'First', email_addresses })
    const list = await lists.list()
    const entry = await lists.entry(list, id)
    await trash.remove('people', id)
    const other = await trash.create('people', { email_addresses: ['taken@restore.dev'] })
    const { status, body } = await trash.restore('people', id)
    expect([status, body.code, body.conflicting_record_ids]).toEqual([409, 'uniqueness_conflict', [other]])
    expect(body.message).toContain('"email_addresses"')
    expect((await trash.get('people', id)).status).toBe(404)
    expect((await lists.get(list, entry)).status).toBe(404)
    await trash.create('people', { email_addresses: ['free@restore.dev'] })
    await trash.purge('people', other)
    expect((await trash.restore('people', id)).status).toBe(409)
  })

  test('409 when an entry of another record has a unique value of an entry', async () => {
    const list = await lists.list()
    await lists.attribute(list, 'code', { is_unique: true })
    const id = await trash.create('people')
    await lists.entry(list, id, { code: 'x-1' })
    await trash.remove('people', id)
    const taken = await lists.entry(list, await trash.create('people'), { code: 'x-1' })
    const refused = await trash.restore('people', id)
    expect([refused.status, refused.body.code]).toEqual([409, 'uniqueness_conflict'])
    expect(refused.body.message).toContain('"code"')
    await lists.remove(list, taken)
    expect((await trash.restore('people', id)).status).toBe(200)
  })

  test('404 for a record that is not in the trash, and for one of another object', async () => {
    const id = await trash.create('people')
    expect((await trash.restore('people', id)).status).toBe(404)
    await trash.remove('people', id)
    expect((await trash.restore('companies', id)).status).toBe(404)
    expect((await trash.restore('people', crypto.randomUUID())).status).toBe(404)
    expect((await trash.restore('nothing', id)).status).toBe(404)
    expect((await trash.restore('people', 'nonsense')).status).toBe(400)
    expect((await trash.restore('people', id)).status).toBe(200)
  })

  test('403 for an API key that may only read', async () => {
    const id = await trash.create('people')
    await trash.remove('people', id)
    const token = await service.keyWith(['record_permission:read', 'object_configuration:read'])
    expect((await trash.restore('people', id, { key: token })).status).toBe(403)
    expect((await trash.list('people', '', { key: token })).status).toBe(200)
  })

  test('200 with dry_run, and the record stays in the trash', async () => {
    const id = await trash.create('people', { email_addresses: ['dry@restore.dev'] })
    await trash.remove('people', id)
    const path = `/v2/objects/people/records/${id}/restore?dry_run=true`
    expect((await service.request('POST', path)).body.data.id.record_id).toBe(id)
    expect((await trash.get('people', id)).status).toBe(404)
    expect((await trash.restore('people', id)).status).toBe(200)
  })

  test('200 after a second deletion, with what was written between', async () => {
    const id = await trash.create('people', { job_title: 'One' })
    await trash.remove('people', id)
    await trash.restore('people', id)
    await trash.update('people', id, { job_title: 'Two' })
    await trash.remove('people', id)
    const { body } = await trash.restore('people', id)
    expect(body.data.values.job_title[0].value).toBe('Two')
    expect(await trash.history('people', id, 'job_title')).toHaveLength(2)
  })
})

describe('a data model that changed meanwhile', () => {
  test('values of deleted attributes are dropped, those of archived ones stay', async () => {
    for (const api_slug of ['gone', 'archived']) await addAttribute({ api_slug })
    const id = await trash.create('companies', { gone: 'x', archived: 'y' })
    await trash.update('companies', id, { gone: 'x2', archived: 'y2' })
    await trash.remove('companies', id)
    await service.request('DELETE', '/v2/objects/companies/attributes/gone')
    await service.request('PATCH', '/v2/objects/companies/attributes/archived', { data: { is_archived: true } })
    await addAttribute({ api_slug: 'added' })
    const { status, body } = await trash.restore('companies', id)
    expect(status).toBe(200)
    expect(body.data.values.added).toEqual([])
    expect(body.data.values).not.toHaveProperty('gone')
    await service.request('PATCH', '/v2/objects/companies/attributes/archived', { data: { is_archived: false } })
    expect((await trash.values('companies', id)).archived[0].value).toBe('y2')
    expect(await trash.history('companies', id, 'archived')).toHaveLength(2)
  })

  test('an attribute that became unique takes part in the check', async () => {
    const object = await customObject()
    const [first, second] = [
      await trash.create(object, { title: 'same' }),
      await trash.create(object, { title: 'other' }),
    ]
    await trash.remove(object, first)
    await service.request('PATCH', `/v2/objects/${object}/attributes/title`, { data: { is_unique: true } })
    await trash.update(object, second, { title: 'same' })
    expect((await trash.restore(object, first)).status).toBe(409)
    await trash.update(object, second, { title: 'other' })
    expect((await trash.restore(object, first)).status).toBe(200)
    expect((await trash.update(object, second, { title: 'same' })).status).toBe(400)
  })

  test('the trash of an object comes back with it, and is deleted with it for good', async () => {
    const object = await customObject()
    const { object_id } = (await service.request('GET', `/v2/objects/${object}`)).body.data.id
    const id = await trash.create(object, { title: 'x' })
    await trash.remove(object, id)
    expect((await service.request('DELETE', `/v2/objects/${object}`)).status).toBe(200)
    expect((await trash.restore(object, id)).status).toBe(404)
    await service.request('POST', `/v2/objects/${object_id}/restore`)
    expect((await trash.list(object)).body.data.map((each: { id: object }) => each.id)).toMatchObject([
      { record_id: id },
    ])
    for (const query of ['', '?permanent=true'])
      expect((await service.request('DELETE', `/v2/objects/${object_id}${query}`)).status).toBe(200)
    await runWorker(deletedObjectWorker(), service.appContext)
    expect(await rowsOf('trash', id)).toBe(0)
    expect(await rowsOf('trash_parts', id)).toBe(0)
  })
})

let objects = 0
async function customObject(): Promise<string> {
  const slug = `things_${++objects}`
  const names = { singular_noun: `Thing ${objects}`, plural_noun: `Things ${objects}` }
  await service.request('POST', '/v2/objects', { data: { api_slug: slug, ...names } })
  const attributes = {
    title: 'text',
    count: 'number',
    price: 'currency',
    done: 'checkbox',
    day: 'date',
    at: 'timestamp',
    stars: 'rating',
    state: 'status',
    where: 'location',
    numbers: 'phone-number',
  }
  for (const [api_slug, type] of Object.entries(attributes)) {
    const { status } = await service.request('POST', `/v2/objects/${slug}/attributes`, {
      data: attributeInput({ api_slug, type, is_multiselect: type === 'phone-number' }),
    })
    expect([api_slug, status]).toEqual([api_slug, 200])
  }
  await service.request('POST', `/v2/objects/${slug}/attributes/state/statuses`, { data: { title: 'New' } })
  return slug
}

const attributesOf = async (object: string): Promise<string[]> =>
  (await service.request('GET', `/v2/objects/${object}/attributes`)).body.data.map(
    ({ api_slug }: { api_slug: string }) => api_slug,
  )

const addAttribute = (members: Record<string, unknown>) =>
  service.request('POST', '/v2/objects/companies/attributes', { data: attributeInput(members) })

async function rowsOf(table: string, id: string): Promise<number> {
  const column = table === 'trash' ? 'id' : 'record_id'
  const [row] = await service.db.sql.unsafe(`select count(*)::int as count from w_1.${table} where ${column} = '${id}'`)
  return Number(row?.count)
}
