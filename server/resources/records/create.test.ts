import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testService, type TestService } from '../../testing/service'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const create = (object: string, values: unknown) => service.request('POST', `/v2/objects/${object}/records`, { data: { values } })

describe('POST /v2/objects/{object}/records', () => {
  test('200 with every visible attribute, empty ones as []', async () => {
    const { status, body } = await create('people', { name: 'Lovelace, Ada', email_addresses: ['Ada@Example.com'] })
    expect(status).toBe(200)
    const { values, id, created_at } = body.data
    expect(Object.keys(values).slice(0, 3)).toEqual(['record_id', 'name', 'email_addresses'])
    expect(values.job_title).toEqual([])
    expect(values.record_id[0].value).toBe(id.record_id)
    expect(values.created_at[0].value).toBe(created_at)
    expect(values.name[0]).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' })
    expect(values.name[0].active_from).toBe(created_at)
    expect(values.name[0].created_by_actor.type).toBe('api-token')
  })
})
