import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let custom: Awaited<ReturnType<typeof service.request>>['body']
beforeAll(async () => {
  const object = { api_slug: 'projects', singular_noun: 'Project', plural_noun: 'Projects' }
  custom = (await service.request('POST', '/v2/objects', { data: object })).body.data
  await addAttribute('projects', { title: 'Code', api_slug: 'code', type: 'text', is_unique: true })
  await addAttribute('projects', {
    title: 'Owner',
    api_slug: 'owner',
    type: 'actor-reference',
    default_value: { type: 'dynamic', template: 'current-user' },
  })
  await addAttribute('projects', {
    title: 'Due',
    api_slug: 'due',
    type: 'date',
    default_value: { type: 'dynamic', template: 'P1M' },
  })
  await addAttribute('projects', {
    title: 'Weight',
    api_slug: 'weight',
    type: 'number',
    default_value: { type: 'static', template: [{ value: 3 }] },
  })
})

const addAttribute = (object: string, members: Record<string, unknown>) =>
  service.request('POST', `/v2/objects/${object}/attributes`, {
    data: { description: null, is_required: false, is_unique: false, is_multiselect: false, config: {}, ...members },
  })

const create = (object: string, values: unknown) =>
  service.request('POST', `/v2/objects/${object}/records`, { data: { values } })

describe('POST /v2/objects/{object}/records', () => {
  test('200 with every visible attribute, and [] for attributes without values', async () => {
    const { status, body } = await create('people', { name: 'Lovelace, Ada', email_addresses: ['Ada@Example.com'] })
    expect(status).toBe(200)
    const { values, id, created_at, web_url } = body.data
    expect(Object.keys(values).slice(0, 3)).toEqual(['record_id', 'name', 'email_addresses'])
    expect(values.job_title).toEqual([])
    expect(values.record_id[0].value).toBe(id.record_id)
    expect(values.created_at[0].value).toBe(created_at)
    expect(values.name[0]).toMatchObject({ first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' })
    expect(values.name[0].active_from).toBe(created_at)
    expect(values.name[0].created_by_actor.type).toBe('api-token')
    expect(web_url).toEndWith(`/workspace-1/person/${id.record_id}`)
  })

  test('200 for ids instead of slugs, of object and attribute', async () => {
    const attributes = (await service.request('GET', '/v2/objects/projects/attributes')).body.data
    const code = attributes.find((attribute: { api_slug: string }) => attribute.api_slug === 'code')
    const { status, body } = await create(custom.id.object_id, { [code.id.attribute_id]: 'by-id' })
    expect(status).toBe(200)
    expect(body.data.values.code[0].value).toBe('by-id')
  })

  test('200 with default values for attributes that the request does not name', async () => {
    service.setNow(Date.UTC(2026, 0, 31, 12) * 1000)
    const { body } = await create('projects', {})
    service.setNow()
    expect(body.data.values.owner[0].referenced_actor_type).toBe('api-token')
    expect(body.data.values.due[0].value).toBe('2026-02-28')
    expect(body.data.values.weight[0].value).toBe(3)
  })

  test('200 without a default value for an attribute that is null or []', async () => {
    const { body } = await create('projects', { owner: null, due: [], weight: null })
    expect(body.data.values).toMatchObject({ owner: [], due: [], weight: [] })
  })

  test('400 missing_value for a required attribute, naming its id', async () => {
    const { status, body } = await create('deals', { name: 'Big one', stage: 'Lead' })
    expect([status, body.code]).toEqual([400, 'missing_value'])
    expect(body.message).toMatch(/Required value for attribute with ID "[0-9a-f-]{36}" was not provided/)
  })

  test('400 uniqueness_conflict naming the record with the value', async () => {
    const first = await create('projects', { code: 'X-1' })
    const { status, body } = await create('projects', { code: 'X-1' })
    expect([status, body.code]).toEqual([400, 'uniqueness_conflict'])
    expect(body.message).toBe(
      'A value provided for attribute with slug "code" conflicts with one already in the system. This attribute has a ' +
        `uniqueness constraint. Conflicting record IDs: ${first.body.data.id.record_id}`,
    )
    expect(body.conflicting_record_ids).toEqual([first.body.data.id.record_id])
  })

  test('200 for exactly one of many concurrent requests with one unique value', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create('projects', { code: 'race' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.code === 'uniqueness_conflict')).toHaveLength(7)
  })

  test('404 for an unknown object, naming the closest slug', async () => {
    const { status, body } = await create('peeple', {})
    expect([status, body.code, body.did_you_mean]).toEqual([404, 'not_found', 'people'])
  })

  const refused: [string, Record<string, unknown>, string, RegExp][] = [
    ['an unknown key', { nmae: 'x' }, 'value_not_found', /Cannot find attribute with slug\/ID "nmae"/],
    ['a read-only attribute', { record_id: 'x' }, 'immutable_value', /record_id/],
    ['an enriched attribute', { twitter_follower_count: 3 }, 'immutable_value', /twitter_follower_count/],
    [
      'a bare value for a multiselect',
      { email_addresses: 'a@example.com' },
      'validation_type',
      /^Body payload validation error\./,
    ],
    ['two values for a single', { job_title: ['a', 'b'] }, 'validation_type', /^Body payload validation error\./],
    ['null inside an array', { email_addresses: [null] }, 'validation_type', /^Body payload validation error\./],
    ['a number as text', { job_title: 5 }, 'validation_type', /invalid value.*attribute with slug "job_title"/],
    ['an impossible phone number', { phone_numbers: ['+11234567890'] }, 'validation_type', /Invalid phone number/],
    ['an address without a host', { email_addresses: ['ada'] }, 'validation_type', /"email_addresses"/],
    ['a record that does not exist', { company: crypto.randomUUID() }, 'value_not_found', /Cannot find record/],
  ]
  test.each(refused)('400 for %s', async (_, values, code, message) => {
    const { status, body } = await create('people', values)
    expect([status, body.code]).toEqual([400, code])
    expect(body.message).toMatch(message)
  })

  test('400 for one attribute named twice, by slug and by id', async () => {
    const attributes = (await service.request('GET', '/v2/objects/people/attributes')).body.data
    const title = attributes.find((attribute: { api_slug: string }) => attribute.api_slug === 'job_title')
    const { status, body } = await create('people', { job_title: 'a', [title.id.attribute_id]: 'b' })
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  test('400 for an unknown option, listing the options', async () => {
    const { body } = await create('companies', { employee_range: '12' })
    expect(body.code).toBe('value_not_found')
    expect(body.message).toContain('select option title "12"')
    expect(body.valid_options).toContain('11-50')
  })

  test('400 without values, naming the path', async () => {
    const { body } = await service.request('POST', '/v2/objects/people/records', { data: {} })
    expect(body.validation_errors).toEqual([
      {
        code: 'invalid_type',
        path: ['data', 'values'],
        message: 'Required',
        expected: 'object',
        received: 'undefined',
      },
    ])
  })
})
