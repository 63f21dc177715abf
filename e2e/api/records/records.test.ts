/** Records: their form, changes, deletion and merging. See docs/reference/records.md. */

import { describe, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { makeObject } from '../../support/fixtures/model'
import { startService } from '../../support/service/service'
import { createRecord, expectRefusal, pathsIn, recordIdOf } from '../../support/fixtures/value-cases'

const service = forThisFile(async () => {
  const started = await startService()
  await makeObject(started.request, 'things', [{ api_slug: 'name', type: 'text' }])
  return started
})

const NOWHERE = '01890a5d-ac96-774b-bcce-b302099a8057'

const path = (object: string, id: string) => `/v2/objects/${object}/records/${id}`

describe('a record', () => {
  const SEGMENTS = [
    ['people', {}, 'person'],
    ['companies', {}, 'company'],
    ['deals', { name: 'x', stage: 'Lead', owner: 'admin@relata.local' }, 'deals/record'],
    ['things', {}, 'things/record'],
  ] as const
  test.each(SEGMENTS)('%s: 200 with ids, creation time and URL', async (object, values, segment) => {
    const { body, headers } = await createRecord(service().request, object, values)
    const { id, created_at, web_url, values: read } = body.data
    const self = (await service().request('GET', '/v2/self')).body
    const { object_id } = (await service().request('GET', `/v2/objects/${object}`)).body.data.id
    expect(id).toEqual({ workspace_id: self.workspace_id, object_id, record_id: id.record_id })
    expect(web_url).toEndWith(`/${self.workspace_slug}/${segment}/${id.record_id}`)
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
    expect(read.record_id[0].value).toBe(id.record_id)
    expect(read.created_at[0].value).toBe(created_at)
    expect(headers.get('etag')).not.toBeNull()
  })

  test('200 with every attribute in order, and [] for those without values', async () => {
    const { request } = service()
    const { body } = await createRecord(request, 'people', { name: 'Lovelace, Ada' })
    const attributes = (await request('GET', '/v2/objects/people/attributes')).body.data
    expect(Object.keys(body.data.values)).toEqual(attributes.map(({ api_slug }: { api_slug: string }) => api_slug))
    expect(body.data.values.job_title).toEqual([])
    for (const value of body.data.values.name) {
      expect(value).toMatchObject({
        active_from: body.data.created_at,
        active_until: null,
        attribute_type: 'personal-name',
      })
      expect(value.created_by_actor.type).toBe('api-token')
    }
  })

  test('200 by the slug, id and old alias of the object', async () => {
    const { request } = service()
    const created = await createRecord(request, 'person', {})
    const { object_id } = created.body.data.id
    for (const object of ['people', 'person', object_id]) {
      expect((await request('GET', path(object, recordIdOf(created)))).body).toEqual(created.body)
    }
  })

  test('200 {} for deleting, then 404 for every method', async () => {
    const { request } = service()
    const id = recordIdOf(await createRecord(request, 'things', {}))
    expect((await request('DELETE', path('things', id))).body).toEqual({})
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'] as const) {
      const body = method === 'PATCH' || method === 'PUT' ? { data: { values: {} } } : undefined
      expectRefusal(await request(method, path('things', id), body), 404, 'not_found', [
        `Record with ID "${id}" not found`,
      ])
    }
  })

  test('404 under another object', async () => {
    const id = recordIdOf(await createRecord(service().request, 'people', {}))
    expectRefusal(await service().request('GET', path('companies', id)), 404, 'not_found')
  })

  const BODIES = [
    [{}, ['data']],
    [{ data: {} }, ['data', 'values']],
    [{ data: null }, ['data']],
    [{ data: { values: null } }, ['data', 'values']],
    [{ data: { values: [] } }, ['data', 'values']],
    [{ data: { values: 'x' } }, ['data', 'values']],
  ] as const
  test.each(BODIES)('400 for %j', async (body, at) => {
    const { request } = service()
    const id = recordIdOf(await createRecord(request, 'things', {}))
    for (const [method, target] of [
      ['POST', '/v2/objects/things/records'],
      ['PATCH', path('things', id)],
      ['PUT', path('things', id)],
    ] as const) {
      const answer = await request(method, target, body)
      expectRefusal(answer, 400, 'validation_type', ['Body payload validation error.'])
      expect(pathsIn(answer)).toContainEqual([...at])
    }
  })

  test('200 when If-Match names its version; 412 for another version, and nothing is written', async () => {
    const { request } = service()
    const created = await createRecord(request, 'things', { name: 'one' })
    const target = path('things', recordIdOf(created))
    const etag = created.headers.get('etag') ?? ''
    const write = (name: string, match: string) =>
      request('PATCH', target, { data: { values: { name } } }, { headers: { 'If-Match': match } })
    expect((await write('two', etag)).status).toBe(200)
    expectRefusal(await write('three', etag), 412, 'version_conflict')
    expect((await write('three', '*')).body.data.values.name[0].value).toBe('three')
    const stale = await request('DELETE', target, undefined, { headers: { 'If-Match': etag } })
    expectRefusal(stale, 412, 'version_conflict')
    expect((await request('GET', target)).status).toBe(200)
  })
})

describe('POST …/records/merge', () => {
  const merge = (object: string, primary_record_id: unknown, secondary_record_id: unknown) =>
    service().request('POST', `/v2/objects/${object}/records/merge`, {
      data: { primary_record_id, secondary_record_id },
    })

  test('200 with a new record: single values of the primary, else of the secondary; multiselects of both', async () => {
    const { request } = service()
    const company = recordIdOf(await createRecord(request, 'companies', {}))
    const primary = recordIdOf(
      await createRecord(request, 'people', {
        name: 'First, P',
        email_addresses: ['p1@relata.dev', 'p2@relata.dev'],
        company,
      }),
    )
    const secondary = recordIdOf(
      await createRecord(request, 'people', {
        name: 'Second, S',
        job_title: 'Boss',
        email_addresses: ['s1@relata.dev'],
      }),
    )
    const { body } = await merge('people', primary, secondary)
    const id = body.data.new_record_id
    expect([primary, secondary]).not.toContain(id)
    const { values } = (await request('GET', path('people', id))).body.data
    expect(values.name[0].full_name).toBe('P First')
    expect(values.job_title[0].value).toBe('Boss')
    expect(values.email_addresses.map((email: { email_address: string }) => email.email_address)).toEqual([
      'p1@relata.dev',
      'p2@relata.dev',
      's1@relata.dev',
    ])
    const team = (await request('GET', path('companies', company))).body.data.values.team
    expect(team.map(({ target_record_id }: { target_record_id: string }) => target_record_id)).toEqual([id])
    for (const old of [primary, secondary]) {
      const gone = await request('GET', path('people', old))
      expectRefusal(gone, 404, 'not_found')
      expect(gone.body.merged_into).toBe(id)
      expectRefusal(await request('PATCH', path('people', old), { data: { values: {} } }), 404, 'not_found')
    }
    expectRefusal(await merge('people', primary, secondary), 404, 'value_not_found')
  })

  test('400 self_merge, 404 for unknown records, 400 for invalid ids', async () => {
    const id = recordIdOf(await createRecord(service().request, 'things', {}))
    expectRefusal(await merge('things', id, id), 400, 'self_merge')
    expectRefusal(await merge('things', id, id.toUpperCase()), 400, 'self_merge')
    expectRefusal(await merge('things', id, NOWHERE), 404, 'value_not_found', [NOWHERE])
    expectRefusal(await merge('people', id, NOWHERE), 404, 'value_not_found')
    expectRefusal(await merge('nothing', id, NOWHERE), 404, 'not_found', ['"nothing"'])
    expectRefusal(await merge('things', 'x', id), 400, 'validation_type')
    expectRefusal(await merge('things', undefined, id), 400, 'validation_type', ['Required'])
  })

  test('200 moves references of other records to the new record, without duplicates', async () => {
    const { request } = service()
    const [one, two] = [
      recordIdOf(await createRecord(request, 'people', {})),
      recordIdOf(await createRecord(request, 'people', {})),
    ]
    const both = [one, two].map((target_record_id) => ({ target_object: 'people', target_record_id }))
    const deal = { name: 'x', stage: 'Lead', owner: 'admin@relata.local', associated_people: both }
    const id = recordIdOf(await createRecord(request, 'deals', deal))
    const merged = (await merge('people', one, two)).body.data.new_record_id
    const { values } = (await request('GET', path('deals', id))).body.data
    expect(values.associated_people).toMatchObject([{ target_object: 'people', target_record_id: merged }])
    expect(values.associated_people).toHaveLength(1)
  })
})
