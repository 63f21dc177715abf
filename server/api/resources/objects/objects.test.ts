import { describe, expect, test } from 'bun:test'
import { slugOf } from '#testing/answer-shapes'
import { testService } from '#testing/service'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const create = (data: unknown, key?: string) => service.request('POST', '/v2/objects', { data }, key ? { key } : {})

interface ShownObject {
  readonly api_slug: string
  readonly singular_noun: string
  readonly plural_noun: string
  readonly created_at: string
}

let made = 0
const fresh = (members: Record<string, unknown> = {}) => {
  const number = ++made
  return { api_slug: `thing_${number}`, singular_noun: `Thing ${number}`, plural_noun: `Things ${number}`, ...members }
}

describe('GET /v2/objects', () => {
  test('200 with the five standard objects in their order, created at one time', async () => {
    const { workspaceId, key } = await service.anotherWorkspace()
    const { status, body } = await service.request('GET', '/v2/objects', undefined, { key })
    expect(status).toBe(200)
    const nouns = body.data.map((object: ShownObject) => [object.api_slug, object.singular_noun, object.plural_noun])
    expect(nouns).toEqual([
      ['people', 'Person', 'People'],
      ['companies', 'Company', 'Companies'],
      ['deals', 'Deal', 'Deals'],
      ['users', 'User', 'Users'],
      ['workspaces', 'Workspace', 'Workspaces'],
    ])
    expect(new Set(body.data.map(({ created_at }: ShownObject) => created_at)).size).toBe(1)
    expect(body.data[0].id.workspace_id).toBe(workspaceId)
  })

  test('200 without a disabled standard object, 400 for its path', async () => {
    const { workspaceId, key } = await service.anotherWorkspace()
    await service.db.sql`update relata.objects set is_enabled = false
      where workspace_id = ${workspaceId} and standard_slug = 'users'`
    await service.appContext.models.reload(workspaceId)
    const { body } = await service.request('GET', '/v2/objects', undefined, { key })
    expect(body.data.map(slugOf)).toEqual(['people', 'companies', 'deals', 'workspaces'])
    const used = await service.request('GET', '/v2/objects/users', undefined, { key })
    expect(used.status).toBe(400)
    expect(used.body.code).toBe('standard_object_disabled')
    expect(used.body.message).toContain('must be enabled by a Workspace admin')
    const attributes = await service.request('GET', '/v2/objects/people/attributes', undefined, { key })
    expect(attributes.body.data.map(slugOf)).not.toContain('associated_users')
    const hidden = await service.request('GET', '/v2/objects/people/attributes/associated_users', undefined, { key })
    expect(hidden.status).toBe(404)
  })
})

describe('GET /v2/objects/{object}', () => {
  test('200 by slug, id, id in capitals and old alias', async () => {
    const { body } = await service.request('GET', '/v2/objects/people')
    const id = body.data.id.object_id
    for (const name of [id, id.toUpperCase(), 'person']) {
      expect((await service.request('GET', `/v2/objects/${name}`)).body).toEqual(body)
    }
  })

  test.each(['company', 'deal', 'user', 'workspace'])('200 by the old alias %s', async (alias) => {
    expect((await service.request('GET', `/v2/objects/${alias}`)).status).toBe(200)
  })

  test('404 naming the closest slug, for an unknown object', async () => {
    const { status, body } = await service.request('GET', '/v2/objects/peeple')
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'not_found', did_you_mean: 'people' })
    expect(body.message).toContain('Object with slug/ID "peeple" not found')
  })

  test.each(['People', 'constructor', '__proto__', '00000000-0000-4000-8000-000000000000'])(
    '404 for %s',
    async (name) => {
      expect((await service.request('GET', `/v2/objects/${name}`)).status).toBe(404)
    },
  )

  test("404 for another workspace's object, by its id", async () => {
    const { key } = await service.anotherWorkspace()
    const { body } = await service.request('GET', '/v2/objects/people')
    const answer = await service.request('GET', `/v2/objects/${body.data.id.object_id}`, undefined, { key })
    expect(answer.status).toBe(404)
  })
})

describe('POST /v2/objects', () => {
  test('200 with an object that has the attributes record_id, created_at and created_by', async () => {
    const input = fresh({ api_slug: 'my-project_2' })
    const { status, body } = await create(input)
    expect(status).toBe(200)
    expect(body.data).toMatchObject(input)
    const attributes = await service.request('GET', '/v2/objects/my-project_2/attributes')
    expect(attributes.body.data.map(slugOf)).toEqual(['record_id', 'created_at', 'created_by'])
    const list = await service.request('GET', '/v2/objects')
    expect(list.body.data.at(-1)).toEqual(body.data)
  })

  test.each([
    'Project',
    'pro ject',
    '1project',
    '_project',
    '',
    'projekt\u00e4',
    'a'.repeat(64),
    'a0000000-0000-4000-8000-000000000000',
    'records',
    'people',
    'company',
  ])('400 for the slug %p', async (api_slug) => {
    const { status, body } = await create(fresh({ api_slug }))
    expect(status).toBe(400)
    expect(body.code).toBe('validation_type')
    expect(body.validation_errors[0].path).toEqual(['data', 'api_slug'])
  })

  test.each([
    [{ singular_noun: '' }, ['data', 'singular_noun']],
    [{ plural_noun: '  ' }, ['data', 'plural_noun']],
    [{ plural_noun: null }, ['data', 'plural_noun']],
    [{ singular_noun: undefined }, ['data', 'singular_noun']],
    [{ api_slug: 7 }, ['data', 'api_slug']],
  ])('400 for %j', async (members, path) => {
    const { status, body } = await create(fresh(members))
    expect(status).toBe(400)
    expect(body.validation_errors[0].path).toEqual(path)
  })

  test('409 for the slug or a noun of another object', async () => {
    const first = fresh()
    await create(first)
    const same = [
      fresh({ api_slug: first.api_slug }),
      fresh({ singular_noun: first.singular_noun }),
      fresh({ plural_noun: first.plural_noun }),
      fresh({ singular_noun: 'Person' }),
    ]
    for (const input of same) {
      const { status, body } = await create(input)
      expect([status, body.code]).toEqual([409, 'slug_conflict'])
    }
  })

  test('200 for exactly one of several concurrent requests with one slug, 409 for the others', async () => {
    const input = fresh()
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(input)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  })

  test('400 when the quota is reached', async () => {
    const small = await testService({ objectQuota: 1 })
    const ask = () => small.request('POST', '/v2/objects', { data: fresh() })
    expect((await ask()).status).toBe(200)
    const { status, body } = await ask()
    expect([status, body.code]).toEqual([400, 'quota_exceeded'])
    await small.close()
  })
})

describe('PATCH /v2/objects/{object}', () => {
  const change = (object: string, data: unknown) => service.request('PATCH', `/v2/objects/${object}`, { data })

  test('200 for slug and nouns of a custom object; the old slug is not found any more', async () => {
    const old = fresh()
    const next = fresh()
    const { body: made } = await create(old)
    const { status, body } = await change(old.api_slug, next)
    expect(status).toBe(200)
    expect(body.data).toEqual({ ...made.data, ...next })
    expect((await service.request('GET', `/v2/objects/${old.api_slug}`)).status).toBe(404)
    expect((await service.request('GET', `/v2/objects/${next.api_slug}`)).status).toBe(200)
    expect((await change(next.api_slug, { ...next, unknown: 1 })).status).toBe(200)
  })

  test('200 for the nouns of a standard object, 400 for its slug', async () => {
    const { status, body } = await change('workspaces', { singular_noun: 'Tenant', plural_noun: 'Tenants' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ api_slug: 'workspaces', singular_noun: 'Tenant' })
    const refused = await change('workspaces', { api_slug: 'tenants' })
    expect([refused.status, refused.body.code]).toEqual([400, 'system_edit_unauthorized'])
    expect(refused.body.message).toContain('Cannot update a System attribute')
  })

  test.each([[{}], [{ unknown: true }]])('400 for the empty payload %j', async (data) => {
    const { status, body } = await change('people', data)
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.message).toContain('empty payload')
  })

  test('409 for names of another object, 400 for a reserved slug, 404 for an unknown object', async () => {
    const input = fresh()
    await create(input)
    expect((await change(input.api_slug, { plural_noun: 'Companies' })).status).toBe(409)
    expect((await change(input.api_slug, { api_slug: 'records' })).status).toBe(400)
    expect((await change('nothing', { plural_noun: 'Nothings' })).status).toBe(404)
  })
})
