import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const RECORDS = '/v2/objects/people/records'
const create = async (values: object): Promise<string> =>
  (await service.request('POST', RECORDS, { data: { values } })).body.data.id.record_id
const values = (id: string, attribute: string, query = '') => `${RECORDS}/${id}/attributes/${attribute}/values${query}`
const write = (id: string, attribute: string, versions: object[]) =>
  service.request('PUT', values(id, attribute), { data: { values: versions, replace_history: true } })

describe('GET …/records/{record_id}/attributes/{attribute}/values', () => {
  test('200 with active values in stored order, within limit and offset', async () => {
    const id = await create({ email_addresses: ['a@example.com', 'b@example.com', 'c@example.com'] })
    const all = await service.request('GET', values(id, 'email_addresses'))
    expect(all.body.data.map(({ email_address }: { email_address: string }) => email_address[0])).toEqual([
      'a',
      'b',
      'c',
    ])
    const one = await service.request('GET', values(id, 'email_addresses', '?limit=1&offset=1'))
    expect(one.body.data).toEqual([all.body.data[1]])
  })

  test('200 with every version of a multiselect, oldest first', async () => {
    const id = await create({ email_addresses: ['d@example.com'] })
    await service.request('PUT', `${RECORDS}/${id}`, { data: { values: { email_addresses: ['e@example.com'] } } })
    await service.request('PUT', `${RECORDS}/${id}`, { data: { values: { email_addresses: ['d@example.com'] } } })
    const { body } = await service.request('GET', values(id, 'email_addresses', '?show_historic=true'))
    expect(
      body.data.map((version: { email_address: string; active_until: string | null }) => [
        version.email_address[0],
        version.active_until !== null,
      ]),
    ).toEqual([
      ['d', true],
      ['e', true],
      ['d', false],
    ])
  })

  test('400 for the history of an enriched attribute, 404 for an unknown record or attribute', async () => {
    const id = await create({})
    const refused = await service.request('GET', values(id, 'last_email_interaction', '?show_historic=true'))
    expect([refused.status, refused.body.code]).toEqual([400, 'validation_type'])
    expect(refused.body.message).toContain('show_historic')
    expect((await service.request('GET', values(id, 'last_email_interaction'))).body).toEqual({ data: [] })
    expect((await service.request('GET', values(id, 'nothing'))).status).toBe(404)
    expect((await service.request('GET', values(crypto.randomUUID(), 'name'))).status).toBe(404)
  })
})

describe('PUT …/records/{record_id}/attributes/{attribute}/values', () => {
  test('200 with the whole history replaced, oldest first', async () => {
    const id = await create({ job_title: 'Forgotten' })
    const { status, body } = await write(id, 'job_title', [
      { value: 'Director', active_from: '2024-01-01T00:00:00Z', active_until: null },
      { value: 'Engineer', active_from: '2020-01-01', active_until: '2023-06-30T12:00:00+02:00' },
    ])
    expect(status).toBe(200)
    expect(body.data.map(({ value }: { value: string }) => value)).toEqual(['Engineer', 'Director'])
    expect(body.data[0].active_until).toBe('2023-06-30T10:00:00.000000000Z')
    const record = await service.request('GET', `${RECORDS}/${id}`)
    expect(record.body.data.values.job_title).toEqual([body.data[1]])
  })

  test('200 for the history of a response written back', async () => {
    const id = await create({ job_title: 'Engineer' })
    await service.request('PATCH', `${RECORDS}/${id}`, { data: { values: { job_title: 'Director' } } })
    const before = (await service.request('GET', values(id, 'job_title', '?show_historic=true'))).body.data
    const { body } = await write(id, 'job_title', before)
    expect(body.data).toEqual(before)
  })

  test('200 deletes the unique keys of ended values and inserts those of active values', async () => {
    const id = await create({ email_addresses: ['old@example.com'] })
    await write(id, 'email_addresses', [
      { value: 'old@example.com', active_from: '2020-01-01', active_until: '2021-01-01' },
      { value: 'new@example.com', active_from: '2021-01-01', active_until: null },
    ])
    expect(
      (await service.request('POST', RECORDS, { data: { values: { email_addresses: ['old@example.com'] } } })).status,
    ).toBe(200)
    const taken = await service.request('POST', RECORDS, { data: { values: { email_addresses: ['new@example.com'] } } })
    expect(taken.body.conflicting_record_ids).toEqual([id])
  })

  const intervals: [string, object[]][] = [
    [
      'overlap',
      [
        { value: 'a', active_from: '2020', active_until: '2022' },
        { value: 'b', active_from: '2021', active_until: null },
      ],
    ],
    [
      'are open twice',
      [
        { value: 'a', active_from: '2020', active_until: null },
        { value: 'b', active_from: '2021', active_until: null },
      ],
    ],
    ['end before they begin', [{ value: 'a', active_from: '2021', active_until: '2020' }]],
    ['are not timestamps', [{ value: 'a', active_from: 'yesterday', active_until: null }]],
  ]
  test.each(intervals)('400 for intervals that %s', async (_, versions) => {
    const { status, body } = await write(await create({}), 'job_title', versions)
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  const refused: [string, string, string][] = [
    ['a relationship', 'company', 'validation_type'],
    ['a read-only attribute', 'record_id', 'immutable_value'],
    ['an enriched attribute', 'last_interaction', 'immutable_value'],
  ]
  test.each(refused)('400 for %s', async (_, attribute, code) => {
    const { status, body } = await write(await create({}), attribute, [
      { value: 'a', active_from: '2020', active_until: null },
    ])
    expect([status, body.code]).toEqual([400, code])
  })

  test('400 without replace_history, and without values', async () => {
    const id = await create({})
    const version = { value: 'a', active_from: '2020', active_until: null }
    expect((await service.request('PUT', values(id, 'job_title'), { data: { values: [version] } })).status).toBe(400)
    expect((await write(id, 'job_title', [])).status).toBe(400)
  })
})
