import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const create = async (object: string, values: object): Promise<string> =>
  (await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })).body.data.id.record_id
const get = (object: string, id: string) => service.request('GET', `/v2/objects/${object}/records/${id}`)
const remove = (object: string, id: string, headers = {}) =>
  service.request('DELETE', `/v2/objects/${object}/records/${id}`, undefined, { headers })
const history = async (object: string, id: string, attribute: string) =>
  (
    await service.request(
      'GET',
      `/v2/objects/${object}/records/${id}/attributes/${attribute}/values?show_historic=true`,
    )
  ).body.data

describe('DELETE /v2/objects/{object}/records/{record_id}', () => {
  test('200 {}, then 404', async () => {
    const id = await create('people', { job_title: 'x' })
    const { status, body } = await remove('people', id)
    expect([status, body]).toEqual([200, {}])
    expect((await get('people', id)).status).toBe(404)
    expect((await remove('people', id)).status).toBe(404)
  })

  test('200 deletes its unique keys', async () => {
    const id = await create('people', { email_addresses: ['gone@example.com'] })
    await remove('people', id)
    expect(await create('people', { email_addresses: ['gone@example.com'] })).not.toBe(id)
  })

  test('200 ends the single references to it', async () => {
    const company = await create('companies', { name: 'Acme' })
    const person = await create('people', { company: { target_object: 'companies', target_record_id: company } })
    await remove('companies', company)
    expect((await get('people', person)).body.data.values.company).toEqual([])
    const [ended] = await history('people', person, 'company')
    expect(ended.target_record_id).toBe(company)
    expect(ended.active_until > ended.active_from).toBe(true)
  })

  test('200 removes it from multiselect references, whose other values stay', async () => {
    const [ada, bob] = [await create('people', { name: 'Ada' }), await create('people', { name: 'Bob' })]
    const people = [ada, bob].map((target_record_id) => ({ target_object: 'people', target_record_id }))
    const deal = await create('deals', {
      name: 'Deal',
      stage: 'Lead',
      owner: service.member.email_address,
      associated_people: people,
    })
    await remove('people', ada)
    const { values } = (await get('deals', deal)).body.data
    expect(values.associated_people.map((value: { target_record_id: string }) => value.target_record_id)).toEqual([bob])
  })

  test('200 keeps the history of the other side of a relationship', async () => {
    const company = await create('companies', { name: 'Acme' })
    const person = await create('people', { company: { target_object: 'companies', target_record_id: company } })
    await remove('people', person)
    expect((await get('companies', company)).body.data.values.team).toEqual([])
    const team = await history('companies', company, 'team')
    expect(team).toHaveLength(1)
    expect(team[0]).toMatchObject({ target_record_id: person, created_by_actor: { type: 'system', id: null } })
    expect(team[0].active_until).not.toBeNull()
  })

  test('412 when If-Match names another version', async () => {
    const id = await create('people', {})
    expect((await remove('people', id, { 'If-Match': '"7"' })).status).toBe(412)
    expect((await remove('people', id, { 'If-Match': '"1"' })).status).toBe(200)
  })

  test('200 leaves no reference of a concurrent write', async () => {
    for (let round = 0; round < 10; round++) {
      const company = await create('companies', { name: 'Acme' })
      const reference = { company: { target_object: 'companies', target_record_id: company } }
      const [written] = await Promise.all([
        service.request('POST', '/v2/objects/people/records', { data: { values: reference } }),
        remove('companies', company),
      ])
      if (written.status === 200) {
        expect((await get('people', written.body.data.id.record_id)).body.data.values.company).toEqual([])
      } else {
        expect(written.body.code).toBe('value_not_found')
      }
    }
  })
})
