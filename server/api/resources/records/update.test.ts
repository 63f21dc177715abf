import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const PEOPLE = '/v2/objects/people/records'
const createPerson = async (values: object): Promise<{ id: string; etag: string; values: Values }> => {
  const { body, headers } = await service.request('POST', PEOPLE, { data: { values } })
  return { id: body.data.id.record_id, etag: headers.get('etag') ?? '', values: body.data.values }
}
type Values = Record<string, { [member: string]: unknown; active_from: string }[]>
const patch = (id: string, values: object, headers = {}) =>
  service.request('PATCH', `${PEOPLE}/${id}`, { data: { values } }, { headers })
const put = (id: string, values: object) => service.request('PUT', `${PEOPLE}/${id}`, { data: { values } })
const addresses = (values: Values) => values.email_addresses?.map(({ email_address }) => email_address)

describe('PATCH /v2/objects/{object}/records/{record_id}', () => {
  test('200 with new values of a multiselect in front, and the others in their order', async () => {
    const { id, values } = await createPerson({ email_addresses: ['a1@example.com', 'b1@example.com'] })
    const { body } = await patch(id, {
      email_addresses: ['c1@example.com', 'B1@example.com', 'd1@example.com', 'c1@example.com'],
    })
    expect(addresses(body.data.values)).toEqual([
      'c1@example.com',
      'd1@example.com',
      'a1@example.com',
      'b1@example.com',
    ])
    expect(body.data.values.email_addresses[3].active_from).toBe(values.email_addresses?.[1]?.active_from)
    expect(body.data.values.email_addresses[0].active_from > values.email_addresses![0]!.active_from).toBe(true)
  })

  test('200 for [] on a multiselect, which changes nothing', async () => {
    const { id, etag } = await createPerson({ email_addresses: ['a2@example.com'] })
    const { body, headers } = await patch(id, { email_addresses: [] })
    expect(addresses(body.data.values)).toEqual(['a2@example.com'])
    expect(headers.get('etag')).toBe(etag)
  })

  test('400 for null on a multiselect', async () => {
    const { id } = await createPerson({})
    const { status, body } = await patch(id, { email_addresses: null })
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  test.each([[null], [[]], ['']])('200 with an empty text attribute for %j', async (nothing) => {
    const { id } = await createPerson({ job_title: 'Engineer' })
    const { body } = await patch(id, { job_title: nothing })
    expect(body.data.values.job_title).toEqual([])
  })

  test('200 for an equal value, which makes no new version', async () => {
    const { id, etag, values } = await createPerson({ job_title: 'Engineer' })
    const { body, headers } = await patch(id, { job_title: 'Engineer' })
    expect(body.data.values.job_title[0].active_from).toBe(values.job_title?.[0]?.active_from)
    expect(headers.get('etag')).toBe(etag)
  })

  test('200 with the old value in the history', async () => {
    const { id } = await createPerson({ job_title: 'Engineer' })
    const { body } = await patch(id, { job_title: 'Director' })
    const [now] = body.data.values.job_title
    const history = (await service.request('GET', `${PEOPLE}/${id}/attributes/job_title/values?show_historic=true`))
      .body.data
    expect(history.map(({ value }: { value: string }) => value)).toEqual(['Engineer', 'Director'])
    expect(history[0].active_until).toBe(now.active_from)
    expect(history[1].active_until).toBeNull()
  })

  test('404 for a record of another object, 400 for an id that is not a UUID', async () => {
    const company = await service.request('POST', '/v2/objects/companies/records', { data: { values: {} } })
    expect((await patch(company.body.data.id.record_id, {})).status).toBe(404)
    expect((await patch('nobody', {})).status).toBe(400)
  })

  test('412 when If-Match names another version, 200 when it names the present one', async () => {
    const { id, etag } = await createPerson({ job_title: 'Engineer' })
    const first = await patch(id, { job_title: 'Director' }, { 'If-Match': etag })
    expect(first.status).toBe(200)
    const second = await patch(id, { job_title: 'Chair' }, { 'If-Match': etag })
    expect([second.status, second.body.code]).toEqual([412, 'version_conflict'])
    expect((await patch(id, { job_title: 'Chair' }, { 'If-Match': first.headers.get('etag') })).status).toBe(200)
  })

  test('200 for every one of many concurrent writes, and no value is lost', async () => {
    const { id } = await createPerson({})
    const sent = Array.from({ length: 16 }, (_, index) => `many-${index}@example.com`)
    const answers = await Promise.all(sent.map((address) => patch(id, { email_addresses: [address] })))
    expect(answers.map(({ status }) => status)).toEqual(sent.map(() => 200))
    const { body } = await service.request('GET', `${PEOPLE}/${id}`)
    expect(addresses(body.data.values)?.toSorted()).toEqual(sent.toSorted())
  })
})

describe('PUT /v2/objects/{object}/records/{record_id}', () => {
  test('200 with exactly the values of the request in a multiselect; values that stay keep their time', async () => {
    const { id, values } = await createPerson({ email_addresses: ['a3@example.com', 'b3@example.com'] })
    const { body } = await put(id, { email_addresses: ['c3@example.com', 'b3@example.com'] })
    expect(addresses(body.data.values)).toEqual(['c3@example.com', 'b3@example.com'])
    expect(body.data.values.email_addresses[1].active_from).toBe(values.email_addresses?.[1]?.active_from)
  })

  test.each([[[]], [null]])('200 with an empty multiselect for %j', async (nothing) => {
    const { id } = await createPerson({
      email_addresses: [`gone-${crypto.randomUUID()}@example.com`],
      job_title: 'Engineer',
    })
    const { body } = await put(id, { email_addresses: nothing })
    expect(body.data.values.email_addresses).toEqual([])
    expect(body.data.values.job_title[0].value).toBe('Engineer')
  })

  test('200 makes a unique value available to other records', async () => {
    const first = await createPerson({ email_addresses: ['free@example.com'] })
    await put(first.id, { email_addresses: [] })
    const second = await service.request('POST', PEOPLE, {
      data: { values: { email_addresses: ['free@example.com'] } },
    })
    expect(second.status).toBe(200)
  })

  test('400 uniqueness_conflict, and no value is stored', async () => {
    await createPerson({ email_addresses: ['taken@example.com'] })
    const { id } = await createPerson({ job_title: 'Engineer' })
    const { body } = await put(id, { job_title: 'Director', email_addresses: ['taken@example.com'] })
    expect(body.code).toBe('uniqueness_conflict')
    const after = await service.request('GET', `${PEOPLE}/${id}`)
    expect(after.body.data.values.job_title[0].value).toBe('Engineer')
  })

  test('200 for the values of a response written back, which changes nothing', async () => {
    const { id, etag, values } = await createPerson({
      name: { first_name: 'Ada', last_name: 'King', full_name: 'Countess Lovelace' },
      email_addresses: ['Back@Example.com'],
      phone_numbers: [{ original_phone_number: '(212) 555-1234', country_code: 'US' }],
      primary_location: 'London, UK',
    })
    const { name, email_addresses, phone_numbers, primary_location } = values
    const { status, headers, body } = await put(id, { name, email_addresses, phone_numbers, primary_location })
    expect(status).toBe(200)
    expect(headers.get('etag')).toBe(etag)
    expect(body.data.values).toEqual(values)
  })
})
