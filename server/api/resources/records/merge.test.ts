import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const create = async (object: string, values: object): Promise<string> =>
  (await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })).body.data.id.record_id
const get = (object: string, id: string) => service.request('GET', `/v2/objects/${object}/records/${id}`)
const merge = (object: string, primary_record_id: string, secondary_record_id: string) =>
  service.request('POST', `/v2/objects/${object}/records/merge`, { data: { primary_record_id, secondary_record_id } })
const company = (target_record_id: string) => ({ target_object: 'companies', target_record_id })
const targets = (values: { target_record_id: string }[]) => values.map(({ target_record_id }) => target_record_id)

describe('POST /v2/objects/{object}/records/merge', () => {
  test('200 with a new record: single values of the primary, else of the other record; multiselects of both', async () => {
    const primary = await create('people', { job_title: 'Engineer', email_addresses: ['p1@example.com'] })
    const secondary = await create('people', {
      job_title: 'Director',
      description: 'Both',
      email_addresses: ['s1@example.com'],
    })
    const { status, body } = await merge('people', primary, secondary)
    expect(status).toBe(200)
    const merged = (await get('people', body.data.new_record_id)).body.data.values
    expect(merged.job_title[0].value).toBe('Engineer')
    expect(merged.description[0].value).toBe('Both')
    expect(merged.email_addresses.map(({ email_address }: { email_address: string }) => email_address)).toEqual([
      'p1@example.com',
      's1@example.com',
    ])
  })

  test('404 for the merged records, naming the new record, also after a second merge', async () => {
    const [first, second, third] = [await create('people', {}), await create('people', {}), await create('people', {})]
    const once = (await merge('people', first, second)).body.data.new_record_id
    const twice = (await merge('people', third, once)).body.data.new_record_id
    for (const old of [first, second, third, once]) {
      const { status, body } = await get('people', old)
      expect([status, body.code, body.merged_into]).toEqual([404, 'not_found', twice])
      const elsewhere = await get('companies', old)
      expect([elsewhere.status, elsewhere.body.merged_into]).toEqual([404, undefined])
    }
  })

  test('200 moves references to the new record, without duplicates', async () => {
    const [acme, acmeInc] = [
      await create('companies', { name: 'Acme' }),
      await create('companies', { name: 'Acme Inc' }),
    ]
    const person = await create('people', { company: company(acmeInc) })
    const [ada, adaToo] = [await create('people', {}), await create('people', {})]
    const people = [ada, adaToo].map((target_record_id) => ({ target_object: 'people', target_record_id }))
    const deal = await create('deals', {
      name: 'Deal',
      stage: 'Lead',
      owner: service.member.email_address,
      associated_people: people,
    })
    const newCompany = (await merge('companies', acme, acmeInc)).body.data.new_record_id
    const newPerson = (await merge('people', ada, adaToo)).body.data.new_record_id
    expect(targets((await get('people', person)).body.data.values.company)).toEqual([newCompany])
    expect(targets((await get('companies', newCompany)).body.data.values.team)).toEqual([person])
    expect(targets((await get('deals', deal)).body.data.values.associated_people)).toEqual([newPerson])
    expect(targets((await get('people', newPerson)).body.data.values.associated_deals)).toEqual([deal])
  })

  test('200 moves unique values to the new record', async () => {
    const [primary, secondary] = [
      await create('people', { email_addresses: ['u1@example.com'] }),
      await create('people', { email_addresses: ['u2@example.com'] }),
    ]
    const merged = (await merge('people', primary, secondary)).body.data.new_record_id
    const { body } = await service.request('POST', '/v2/objects/people/records', {
      data: { values: { email_addresses: ['u2@example.com'] } },
    })
    expect(body.conflicting_record_ids).toEqual([merged])
  })

  test('200 keeps the history of values that stay active', async () => {
    const [primary, secondary] = [await create('people', { job_title: 'Intern' }), await create('people', {})]
    await service.request('PATCH', `/v2/objects/people/records/${primary}`, {
      data: { values: { job_title: 'Engineer' } },
    })
    const merged = (await merge('people', primary, secondary)).body.data.new_record_id
    const { body } = await service.request(
      'GET',
      `/v2/objects/people/records/${merged}/attributes/job_title/values?show_historic=true`,
    )
    expect(body.data.map(({ value }: { value: string }) => value)).toEqual(['Intern', 'Engineer'])
  })

  test('400 self_merge for one record, 404 value_not_found for an unknown record', async () => {
    const id = await create('people', {})
    const self = await merge('people', id, id)
    expect([self.status, self.body.code]).toEqual([400, 'self_merge'])
    const missing = await merge('people', id, crypto.randomUUID())
    expect([missing.status, missing.body.code]).toEqual([404, 'value_not_found'])
    expect((await get('people', id)).status).toBe(200)
  })

  test('200 for exactly one of many concurrent requests', async () => {
    const [primary, secondary] = [await create('people', {}), await create('people', {})]
    const answers = await Promise.all(Array.from({ length: 4 }, () => merge('people', primary, secondary)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404])
  })
})
