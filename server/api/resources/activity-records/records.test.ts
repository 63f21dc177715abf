import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { jobsOf } from '#testing/jobs'
import { testService, type TestService } from '#testing/service'
import { ACTIVITY_RECORD_SCOPES, type Scope } from '#vocabulary/scopes'

const CALLS = '/v2/activities/phone_calls/records'

let service: TestService
let person: string
let company: string
beforeAll(async () => {
  service = await testService()
  person = await record('people')
  company = await record('companies')
})
afterAll(() => service.close())

async function record(object: string, values: object = {}): Promise<string> {
  const { status, body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.id.record_id
}

async function log(values: object = {}) {
  const { status, body } = await service.request('POST', CALLS, { data: { values } })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data
}
const logId = async (values: object = {}): Promise<string> => (await log(values)).id.record_id
const get = (id: string) => service.request('GET', `${CALLS}/${id}`)
const find = async (filter: object, more: object = {}) =>
  (await service.request('POST', `${CALLS}/query`, { filter, ...more })).body.data
const unknown = '00000000-0000-4000-8000-000000000000'

describe('POST /v2/activities/{activity}/records', () => {
  test('200 with the values, the default values and no web_url', async () => {
    const data = await log({ direction: 'Outbound', outcome: 'Connected', duration_seconds: 90, note: 'Hello' })
    expect(data.id).toMatchObject({ workspace_id: service.workspaceId })
    expect(Object.keys(data)).toEqual(['id', 'created_at', 'values'])
    const { values } = data
    expect(values.direction[0].option.title).toBe('Outbound')
    expect(values.timestamp).toHaveLength(1)
    expect(values.duration_seconds[0].value).toBe(90)
  })

  test('200 with references, which the records show on their side', async () => {
    const id = await logId({ people: [person], companies: [company] })
    const { body } = await service.request('GET', `/v2/objects/people/records/${person}`)
    expect(body.data.values.phone_calls).toContainEqual(
      expect.objectContaining({ target_object: 'phone_calls', target_record_id: id }),
    )
    const found = await find({ people: { target_object: 'people', target_record_id: person } })
    expect(found.map((each: { id: { record_id: string } }) => each.id.record_id)).toContain(id)
  })

  test('200 for a reference that is written from the side of a person', async () => {
    const id = await logId()
    const other = await record('people', { phone_calls: [{ target_object: 'phone_calls', target_record_id: id }] })
    expect((await get(id)).body.data.values.people[0]).toMatchObject({ target_record_id: other })
  })

  test.each([
    ['an unknown attribute', { nothing: 1 }, 'value_not_found'],
    ['an unknown option', { direction: 'Sideways' }, 'value_not_found'],
    ['an unknown record', { people: [unknown] }, 'value_not_found'],
    ['a text for a number', { duration_seconds: 'long' }, 'validation_type'],
    ['a value of record_id', { record_id: unknown }, undefined],
  ])('400 for %s', async (_, values, code) => {
    const { status, body } = await service.request('POST', CALLS, { data: { values } })
    expect(status).toBe(400)
    if (code !== undefined) expect(body.code).toBe(code)
  })

  test('400 for a required value that is empty', async () => {
    const { status, body } = await service.request('POST', CALLS, { data: { values: { timestamp: null } } })
    expect([status, body.code]).toEqual([400, 'missing_value'])
  })

  test('404 for an unknown activity', async () => {
    const { status, body } = await service.request('POST', '/v2/activities/none/records', { data: { values: {} } })
    expect([status, body.code]).toEqual([404, 'not_found'])
  })

  test('the same answer for a second request with the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const send = () => service.request('POST', CALLS, { data: { values: {} } }, { headers })
    expect((await send()).body.data.id).toEqual((await send()).body.data.id)
  })

  test('200 for a dry run, which creates nothing', async () => {
    const { status, body } = await service.request('POST', `${CALLS}?dry_run=true`, { data: { values: {} } })
    expect(status).toBe(200)
    expect((await get(body.data.id.record_id)).status).toBe(404)
  })
})

describe('POST /v2/activities/{activity}/records/query', () => {
  test('200 with filter, sorts, limit and offset', async () => {
    const note = crypto.randomUUID()
    for (const day of [1, 2, 3]) await log({ note, timestamp: `2026-01-0${day}` })
    const sorts = [{ attribute: 'timestamp', direction: 'desc' }]
    const page = await find({ note }, { sorts, limit: 1, offset: 1 })
    expect(page.map((each: { values: { timestamp: { value: string }[] } }) => each.values.timestamp[0]?.value)).toEqual(
      ['2026-01-02T00:00:00.000000000Z'],
    )
  })

  test('200 for a path from a person to calls, and from calls to people', async () => {
    const note = crypto.randomUUID()
    await log({ note, people: [await record('people', { name: 'Path, Anna' })] })
    const people = await service.request('POST', '/v2/objects/people/records/query', {
      filter: {
        path: [
          ['people', 'phone_calls'],
          ['phone_calls', 'note'],
        ],
        constraints: { value: note },
      },
    })
    expect(people.body.data).toHaveLength(1)
    const calls = await find({
      path: [
        ['phone_calls', 'people'],
        ['people', 'name'],
      ],
      constraints: { first_name: 'Anna' },
    })
    expect(calls).toHaveLength(1)
  })

  test('200 sorted by a reference', async () => {
    const sorts = [{ attribute: 'people', direction: 'asc' }]
    expect((await service.request('POST', `${CALLS}/query`, { sorts })).status).toBe(200)
    const byCalls = { sorts: [{ attribute: 'phone_calls', direction: 'asc' }] }
    expect((await service.request('POST', '/v2/objects/people/records/query', byCalls)).status).toBe(200)
  })

  test.each([
    ['an unknown attribute', { filter: { nothing: 1 } }],
    ['an operator of another type', { filter: { duration_seconds: { $contains: 'x' } } }],
    ['a path that begins at another entity type', { filter: { path: [['people', 'name']], constraints: {} } }],
  ])('400 for %s', async (_, body) => {
    expect((await service.request('POST', `${CALLS}/query`, body)).status).toBe(400)
  })

  test('200 for counts by an attribute', async () => {
    const body = { group_by: 'direction' }
    const { status } = await service.request('POST', `${CALLS}/aggregate`, body)
    expect(status).toBe(200)
  })

  test('200 for an export', async () => {
    const { status, body } = await service.request('GET', `${CALLS}/export?format=ndjson`)
    expect(status).toBe(200)
    const [line = '{}'] = String(body).split('\n')
    expect(JSON.parse(line).id.activity_id).toBeDefined()
  })
})

describe('PUT /v2/activities/{activity}/records', () => {
  test('200 updates the record with the value, and creates one without', async () => {
    const data = {
      title: 'External id',
      description: null,
      api_slug: 'external_id',
      type: 'text',
      is_required: false,
      is_unique: true,
      is_multiselect: false,
      config: {},
    }
    expect((await service.request('POST', '/v2/activities/phone_calls/attributes', { data })).status).toBe(200)
    const put = (values: object) =>
      service.request('PUT', `${CALLS}?matching_attribute=external_id`, { data: { values } })
    const first = await put({ external_id: 'a', note: 'one' })
    const second = await put({ external_id: 'a', note: 'two' })
    expect(second.body.data.id).toEqual(first.body.data.id)
    expect(second.body.data.values.note[0].value).toBe('two')
    expect((await put({ external_id: 'b' })).body.data.id).not.toEqual(first.body.data.id)
  })

  test('400 without matching_attribute, and for one that is not unique', async () => {
    const body = { data: { values: { note: 'x' } } }
    expect((await service.request('PUT', CALLS, body)).status).toBe(400)
    expect((await service.request('PUT', `${CALLS}?matching_attribute=note`, body)).status).toBe(400)
  })
})

describe('/v2/activities/{activity}/records/{record_id}', () => {
  test('PATCH adds values to a multiselect, PUT replaces them', async () => {
    const [one, two, three] = [await record('people'), await record('people'), await record('people')]
    const id = await logId({ people: [one] })
    const targets = (body: { data: { values: { people: { target_record_id: string }[] } } }) =>
      body.data.values.people.map((each) => each.target_record_id)
    const patched = await service.request('PATCH', `${CALLS}/${id}`, { data: { values: { people: [two] } } })
    expect(targets(patched.body).toSorted()).toEqual([one, two].toSorted())
    const put = await service.request('PUT', `${CALLS}/${id}`, { data: { values: { people: [three] } } })
    expect(targets(put.body)).toEqual([three])
  })

  test('412 for another version than that of If-Match', async () => {
    const id = await logId()
    const { headers } = await get(id)
    const update = (etag: string) =>
      service.request('PATCH', `${CALLS}/${id}`, { data: { values: { note: 'x' } } }, { headers: { 'If-Match': etag } })
    expect((await update('"0"')).status).toBe(412)
    expect((await update(headers.get('etag') ?? '')).status).toBe(200)
  })

  test('404 for an unknown record, and for a record of another activity or object', async () => {
    for (const id of [unknown, person]) {
      expect((await get(id)).status).toBe(404)
      for (const method of ['PATCH', 'PUT'])
        expect((await service.request(method, `${CALLS}/${id}`, { data: { values: {} } })).status).toBe(404)
      expect((await service.request('DELETE', `${CALLS}/${id}`)).status).toBe(404)
    }
    expect((await service.request('GET', `/v2/objects/people/records/${await logId()}`)).status).toBe(404)
    expect((await get('nothing')).status).toBe(400)
  })

  test('200 for the history of a value', async () => {
    const id = await logId({ note: 'old' })
    await service.request('PATCH', `${CALLS}/${id}`, { data: { values: { note: 'new' } } })
    const { body } = await service.request('GET', `${CALLS}/${id}/attributes/note/values?show_historic=true`)
    expect(body.data.map((each: { value: string }) => each.value)).toEqual(['old', 'new'])
  })

  test('DELETE moves the record to the trash, from which it is restored with its references', async () => {
    const id = await logId({ note: 'kept', people: [person], timestamp: '2026-03-12T14:00:00Z' })
    const { status, body } = await service.request('DELETE', `${CALLS}/${id}`)
    expect([status, body]).toEqual([200, {}])
    expect((await get(id)).status).toBe(404)
    const trash = await service.request('GET', `${CALLS}/trash`)
    const shown = { id: { record_id: id }, record_text: 'kept', timestamp: '2026-03-12T14:00:00.000000000Z' }
    expect(trash.body.data[0]).toMatchObject(shown)
    const restored = await service.request('POST', `${CALLS}/${id}/restore`)
    expect(restored.body.data.values.people[0].target_record_id).toBe(person)
    expect((await service.request('POST', `${CALLS}/${id}/restore`)).status).toBe(404)
  })

  test('DELETE with permanent=true deletes it also from the trash', async () => {
    const id = await logId()
    expect((await service.request('DELETE', `${CALLS}/${id}?permanent=true`)).status).toBe(200)
    expect((await service.request('POST', `${CALLS}/${id}/restore`)).status).toBe(404)
  })

  test('a person is restored from the trash with the calls', async () => {
    const one = await record('people')
    const id = await logId({ people: [one] })
    await service.request('DELETE', `/v2/objects/people/records/${one}`)
    expect((await get(id)).body.data.values.people).toEqual([])
    await service.request('POST', `/v2/objects/people/records/${one}/restore`)
    expect((await get(id)).body.data.values.people[0].target_record_id).toBe(one)
  })
})

test('POST …/batch: 200 with the result of each operation', async () => {
  const id = await logId()
  const operations = [
    { op: 'create', values: { direction: 'Inbound' } },
    { op: 'update', record_id: id, values: { note: 'batch' } },
    { op: 'delete', record_id: id },
    { op: 'create', values: { direction: 'Sideways' } },
  ]
  const { status, body } = await service.request('POST', `${CALLS}/batch`, { data: { operations } })
  expect(status).toBe(200)
  expect(body.data.results.map((each: { status: number }) => each.status)).toEqual([200, 200, 200, 400])
  expect(body.data.results[0].data.id.activity_id).toBeDefined()
})

test('POST …/bulk: 202, and a job that updates what matches', async () => {
  const note = crypto.randomUUID()
  const id = await logId({ note })
  const job = await jobsOf(service).complete(CALLS, { note }, { op: 'update', values: { outcome: 'Busy' } })
  expect(job).toMatchObject({ status: 'completed', done: 1 })
  expect(job.activity_id).toBeString()
  expect((await get(id)).body.data.values.outcome[0].option.title).toBe('Busy')
})

describe('scopes', () => {
  const requests = async (): Promise<[string, string, object | undefined, readonly Scope[]][]> => {
    const id = await logId()
    const body = { data: { values: {} } }
    const { read, write } = ACTIVITY_RECORD_SCOPES
    return [
      ['POST', `${CALLS}/query`, {}, read],
      ['GET', `${CALLS}/${id}`, undefined, read],
      ['POST', CALLS, body, write],
      ['PATCH', `${CALLS}/${id}`, body, write],
      ['PUT', `${CALLS}/${id}`, body, write],
      ['DELETE', `${CALLS}/${id}`, undefined, write],
    ]
  }

  test('200 with exactly the scopes of the operation, 403 without any one of them', async () => {
    for (const [method, path, body, scopes] of await requests()) {
      for (const scope of scopes) {
        const key = await service.keyWith(scopes.filter((each) => each !== scope))
        expect((await service.request(method, path, body, { key })).status).toBe(403)
      }
      const key = await service.keyWith(scopes)
      expect((await service.request(method, path, body, { key })).status).toBe(200)
    }
  })
})
