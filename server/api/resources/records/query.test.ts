import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const ids: string[] = []
beforeAll(async () => {
  for (const name of ['Acme', 'Beta', 'Cyan']) {
    const { body } = await service.request('POST', '/v2/objects/companies/records', { data: { values: { name } } })
    ids.push(body.data.id.record_id)
  }
})

const query = (body?: unknown, options?: { key: string }) =>
  service.request('POST', '/v2/objects/companies/records/query', body, options)

const idsOf = (body: { data: { id: { record_id: string } }[] }) => body.data.map(({ id }) => id.record_id)

describe('POST /v2/objects/{object}/records/query', () => {
  test('200 with all records, without a body and with an empty one', async () => {
    for (const body of [undefined, {}, { filter: {}, sorts: [] }]) {
      const answer = await query(body)
      expect([answer.status, idsOf(answer.body)]).toEqual([200, ids])
      expect(Object.keys(answer.body)).toEqual(['data'])
    }
  })

  test('200 with records in the form of GET', async () => {
    const { body } = await query({ filter: { name: 'Beta' } })
    const one = await service.request('GET', `/v2/objects/companies/records/${ids[1]}`)
    expect(body.data).toEqual([one.body.data])
  })

  test('200 with records written just before, and without deleted records', async () => {
    const { body } = await service.request('POST', '/v2/objects/companies/records', {
      data: { values: { name: 'New' } },
    })
    const id = body.data.id.record_id
    expect(idsOf((await query({ filter: { name: 'New' } })).body)).toEqual([id])
    await service.request('PATCH', `/v2/objects/companies/records/${id}`, { data: { values: { name: 'Newer' } } })
    expect(idsOf((await query({ filter: { name: 'New' } })).body)).toEqual([])
    await service.request('DELETE', `/v2/objects/companies/records/${id}`)
    expect(idsOf((await query({ filter: { name: 'Newer' } })).body)).toEqual([])
  })

  test('200 for an object by its id, without records of other workspaces', async () => {
    const objects = (await service.request('GET', '/v2/objects')).body.data
    const companies = objects.find((object: { api_slug: string }) => object.api_slug === 'companies').id.object_id
    const byId = await service.request('POST', `/v2/objects/${companies}/records/query`, {})
    expect(idsOf(byId.body)).toEqual(ids)
    const { key } = await service.anotherWorkspace()
    expect((await query({}, { key })).body.data).toEqual([])
    expect((await service.request('POST', `/v2/objects/${companies}/records/query`, {}, { key })).status).toBe(404)
  })

  test('200 filtered by the time of a status, which differs from the creation of the record', async () => {
    service.setNow(Date.UTC(2020, 0, 1) * 1000)
    const values = { name: 'Old', stage: 'Lead', owner: service.member.email_address }
    const { body } = await service.request('POST', '/v2/objects/deals/records', { data: { values } })
    service.setNow(Date.UTC(2021, 0, 1) * 1000)
    await service.request('PATCH', `/v2/objects/deals/records/${body.data.id.record_id}`, {
      data: { values: { stage: 'Lost' } },
    })
    service.setNow()
    const since = async (active_from: object) =>
      (await service.request('POST', '/v2/objects/deals/records/query', { filter: { stage: { active_from } } })).body
        .data.length
    expect(await since({ $lt: '2020-06-01' })).toBe(0)
    expect(await since({ $gte: '2021-01-01T00:00:00Z' })).toBe(1)
    expect(await since({ $gt: '2021-01-01T00:00:00Z' })).toBe(0)
  })

  test('200 with only the selected attributes', async () => {
    const { body } = await query({ fields: ['name', 'record_id', 'name', 'team'], limit: 1 })
    expect(Object.keys(body.data[0].values)).toEqual(['name', 'record_id', 'team'])
    expect((await query({ fields: [], limit: 1 })).body.data[0]).toMatchObject({
      values: {},
      id: { record_id: ids[0] },
    })
    expect((await query({ fields: ['nmae'] })).body).toMatchObject({ code: 'value_not_found', did_you_mean: 'name' })
  })

  test('200 with the number of matching records, on request', async () => {
    expect((await query({ include_count: true, limit: 1 })).body.pagination).toEqual({ total: 3 })
    const filter = { name: { $in: ['Acme', 'Cyan'] } }
    expect((await query({ include_count: true, filter, offset: 5 })).body.pagination).toEqual({ total: 2 })
    expect((await query({ include_count: false })).body.pagination).toBeUndefined()
  })

  test('200 page by page with a cursor, also while records are inserted', async () => {
    const sorts = [{ direction: 'desc', attribute: 'name' }]
    const first = await query({ sorts, limit: 1, cursor: null })
    const { body } = await service.request('POST', '/v2/objects/companies/records', {
      data: { values: { name: 'Zed' } },
    })
    const second = await query({ sorts, limit: 1, cursor: first.body.pagination.next_cursor })
    const third = await query({ sorts, limit: 1, cursor: second.body.pagination.next_cursor })
    await service.request('DELETE', `/v2/objects/companies/records/${body.data.id.record_id}`)
    expect([first, second, third].flatMap((page) => idsOf(page.body))).toEqual(ids.toReversed())
    expect(third.body.pagination.next_cursor).toBeNull()
  })

  test('400 for a cursor of another query, and for a modified cursor', async () => {
    const { next_cursor } = (await query({ limit: 1, cursor: null })).body.pagination
    const [payload, signature] = next_cursor.split('.')
    const forged = Buffer.from(JSON.stringify(['2000-01-01 00:00:00+00', ids[0]])).toString('base64url')
    const { key } = await service.anotherWorkspace()
    const refused = [
      await query({ limit: 2, cursor: next_cursor }),
      await query({ limit: 1, cursor: next_cursor, filter: { name: 'x' } }),
      await query({ limit: 1, cursor: next_cursor, sorts: [{ direction: 'asc', attribute: 'name' }] }),
      await query({ limit: 1, cursor: `${forged}.${signature}` }),
      await query({ limit: 1, cursor: payload }),
      await query({ limit: 1, cursor: '' }),
      await query({ limit: 1, cursor: next_cursor }, { key }),
      await service.request('POST', '/v2/objects/people/records/query', { limit: 1, cursor: next_cursor }),
    ]
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).toEqual(
      refused.map(() => '400 validation_type'),
    )
    expect((await query({ limit: 1, cursor: next_cursor })).status).toBe(200)
  })

  test('403 without the scopes', async () => {
    const key = await service.keyWith(['record_permission:read'])
    expect((await query({}, { key })).status).toBe(403)
  })
})
