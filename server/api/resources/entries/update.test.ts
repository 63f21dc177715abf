import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const lists = listClient(service)
let list: string
let person: string
beforeAll(async () => {
  list = await lists.listWith({
    note: {},
    mails: { type: 'email-address', is_multiselect: true },
    code: { is_unique: true },
    company: {
      type: 'record-reference',
      config: { record_reference: { allowed_objects: ['companies'] } },
    },
  })
  person = await lists.record()
})

type Mailer = { email_address: string }
const mails = (body: { data: { entry_values: { mails: Mailer[] } } }) =>
  body.data.entry_values.mails.map(({ email_address }) => email_address)

describe.each(['PATCH', 'PUT'] as const)('%s /v2/lists/{list}/entries/{entry_id}', (method) => {
  test('200 leaves other attributes unchanged; PATCH appends to multiselects, PUT replaces them', async () => {
    const entry = await lists.entry(list, person, { note: 'x', mails: ['a@example.com'] })
    const { status, body } = await lists.update(method, list, entry, { mails: ['b@example.com'] })
    expect([status, body.data.entry_values.note[0].value]).toEqual([200, 'x'])
    expect(mails(body)).toEqual(method === 'PATCH' ? ['b@example.com', 'a@example.com'] : ['b@example.com'])
    expect((await lists.get(list, entry)).body).toEqual(body)
  })

  test('200 with the present parent', async () => {
    const entry = await lists.entry(list, person)
    const parent = { parent_record_id: person.toUpperCase(), parent_object: 'people' }
    expect((await lists.update(method, list, entry, {}, parent)).status).toBe(200)
  })

  test('400 immutable_value for another parent', async () => {
    const entry = await lists.entry(list, person)
    const another = await lists.record()
    for (const more of [{ parent_record_id: another }, { parent_object: 'companies' }]) {
      const { status, body } = await lists.update(method, list, entry, { note: 'x' }, more)
      expect([status, body.code]).toEqual([400, 'immutable_value'])
      expect(body.message).toContain('cannot be updated once created')
    }
    expect((await lists.get(list, entry)).body.data.entry_values.note).toEqual([])
  })

  test('412 when If-Match names another version, 200 when it names the present one', async () => {
    const { body, headers } = await lists.create(list, person)
    const entry = body.data.id.entry_id
    const etag = headers.get('etag') ?? ''
    expect((await lists.update(method, list, entry, { note: '1' }, {}, { headers: { 'If-Match': etag } })).status).toBe(
      200,
    )
    const stale = await lists.update(method, list, entry, { note: '2' }, {}, { headers: { 'If-Match': etag } })
    expect([stale.status, stale.body.code]).toEqual([412, 'version_conflict'])
  })

  test('400 for a unique value of another entry', async () => {
    const taken = `${method}-1`
    const first = await lists.entry(list, person, { code: taken })
    const second = await lists.entry(list, person)
    const { status, body } = await lists.update(method, list, second, { code: taken })
    expect([status, body.code, body.conflicting_record_ids]).toEqual([400, 'uniqueness_conflict', [first]])
    await lists.update(method, list, first, { code: null })
    expect((await lists.update(method, list, second, { code: taken })).status).toBe(200)
  })

  test('404 for an unknown entry', async () => {
    expect((await lists.update(method, list, crypto.randomUUID(), {})).status).toBe(404)
  })
})

describe('DELETE /v2/lists/{list}/entries/{entry_id}', () => {
  test('200, then 404; deletes unique values and history, and not the record', async () => {
    const entry = await lists.entry(list, person, { code: 'gone' })
    await lists.update('PATCH', list, entry, { note: 'a' })
    await lists.update('PATCH', list, entry, { note: 'b' })
    expect((await lists.remove(list, entry, { headers: { 'If-Match': '"1"' } })).status).toBe(412)
    const { status, body } = await lists.remove(list, entry)
    expect([status, body]).toEqual([200, {}])
    expect((await lists.remove(list, entry)).status).toBe(404)
    expect((await lists.get(list, entry)).status).toBe(404)
    expect((await lists.create(list, person, { code: 'gone' })).status).toBe(200)
    expect(await service.db.sql`select from w_1.history where entity_id = ${entry}`).toHaveLength(0)
  })
})

describe('/v2/lists/{list}/entries/{entry_id}/attributes/{attribute}/values', () => {
  const path = (entry: string, attribute: string, query = '') =>
    `/v2/lists/${list}/entries/${entry}/attributes/${attribute}/values${query}`
  const texts = (body: { data: { value: string }[] }) => body.data.map(({ value }) => value)

  test('GET 200 with the active values, or with the history', async () => {
    const entry = await lists.entry(list, person, { note: 'a' })
    await lists.update('PATCH', list, entry, { note: 'b' })
    expect(texts((await service.request('GET', path(entry, 'note'))).body)).toEqual(['b'])
    const { body } = await service.request('GET', path(entry, 'note', '?show_historic=true'))
    expect(texts(body)).toEqual(['a', 'b'])
    expect(body.data[0].active_until).toEqual(expect.any(String))
    const page = await service.request('GET', path(entry, 'note', '?show_historic=true&limit=1&offset=1'))
    expect(texts(page.body)).toEqual(['b'])
  })

  test('GET 200 for the parent record', async () => {
    const entry = await lists.entry(list, person)
    const { body } = await service.request('GET', path(entry, 'parent_record'))
    expect(body.data[0]).toMatchObject({ target_object: 'people', target_record_id: person })
  })

  test('PUT 200 replaces the history', async () => {
    const entry = await lists.entry(list, person, { note: 'now' })
    const values = [
      { value: 'late', active_from: '2024-01-01', active_until: null },
      { value: 'early', active_from: '2023-01-01', active_until: '2024-01-01' },
    ]
    const { status, body } = await service.request('PUT', path(entry, 'note'), {
      data: { values, replace_history: true },
    })
    expect([status, texts(body)]).toEqual([200, ['early', 'late']])
    expect((await lists.get(list, entry)).body.data.entry_values.note[0].value).toBe('late')
  })

  test('404 for an unknown entry or attribute, 400 for writing the parent', async () => {
    const entry = await lists.entry(list, person)
    const values = [{ value: 'x', active_from: '2024-01-01', active_until: null }]
    const data = { values, replace_history: true }
    const answers = [
      await service.request('GET', path(crypto.randomUUID(), 'note')),
      await service.request('GET', path(entry, 'nothing')),
      await service.request('PUT', path(crypto.randomUUID(), 'note'), { data }),
      await service.request('PUT', path(entry, 'parent_record'), { data }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 400])
  })
})
