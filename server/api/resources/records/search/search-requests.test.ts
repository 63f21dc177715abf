import { beforeAll, describe, expect, test } from 'bun:test'
import { enabledObjects } from '#engine/data-model/find'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let person: string
beforeAll(async () => {
  const values = {
    name: 'Lovelace, Ada',
    email_addresses: ['ada@a.com', 'ada@b.com'],
    phone_numbers: ['+442079460958'],
  }
  person = (await service.request('POST', '/v2/objects/people/records', { data: { values } })).body.data.id.record_id
})

const AS_WORKSPACE = { type: 'workspace' }
const ask = (body: Record<string, unknown>, options?: { key: string }) =>
  service.request(
    'POST',
    '/v2/objects/records/search',
    { query: 'ada', objects: ['people'], request_as: AS_WORKSPACE, ...body },
    options,
  )
const member = (named: Record<string, unknown>) => ({ request_as: { type: 'workspace-member', ...named } })

describe('POST /v2/objects/records/search', () => {
  test('200 for people, with the members of the contract', async () => {
    const { body } = await ask({})
    const { id } = body.data[0]
    expect(body.data).toEqual([
      {
        id: { workspace_id: service.workspaceId, object_id: id.object_id, record_id: person },
        record_text: 'Ada Lovelace',
        record_image: null,
        object_slug: 'people',
        email_addresses: ['ada@a.com', 'ada@b.com'],
        phone_numbers: ['+442079460958'],
      },
    ])
  })

  test('200 for companies, with domains and the logo', async () => {
    const values = { name: '', domains: ['bare.dev', 'bare.io'] }
    const created = await service.request('POST', '/v2/objects/companies/records', { data: { values } })
    const company = created.body.data.id
    const model = await service.appContext.models.reload(service.workspaceId)
    const object = enabledObjects(model).find(({ api_slug }) => api_slug === 'companies')!
    const logo = object.attributes.find(({ api_slug }) => api_slug === 'logo_url')!
    await service.db.sql.unsafe(`update ${object.table} set a_${logo.number}_value = 'https://bare.dev/logo.png'`)
    const { body } = await ask({ query: 'bare', objects: ['companies'] })
    const image = 'https://bare.dev/logo.png'
    const shown = { record_text: 'bare.dev', record_image: image, object_slug: 'companies' }
    expect(body.data).toEqual([{ id: company, ...shown, domains: ['bare.dev', 'bare.io'] }])
  })

  test('200 with the first 1,000 characters of a long name', async () => {
    const name = `Long ${'x'.repeat(2000)}`
    await service.request('POST', '/v2/objects/companies/records', { data: { values: { name } } })
    const { body } = await ask({ query: 'long', objects: ['companies'] })
    expect(body.data[0].record_text).toBe(name.slice(0, 1000))
  })

  test('200 with the record id for a record without a name', async () => {
    const created = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
    const id = created.body.data.id.record_id
    const { body } = await ask({ query: id })
    expect(body.data[0]).toMatchObject({ record_text: id, email_addresses: [], phone_numbers: [] })
  })

  test('200 for an object named by id, by its old alias, and twice', async () => {
    const object = (await service.request('GET', '/v2/objects/people')).body.data.id.object_id
    const { body } = await ask({ objects: [object, 'person', 'people'] })
    expect(body.data).toHaveLength(1)
  })

  const asked: [string, () => Record<string, unknown>][] = [
    ['the workspace', () => ({ request_as: AS_WORKSPACE })],
    ['a member by id', () => member({ workspace_member_id: service.member.id })],
    ['a member by id in capitals', () => member({ workspace_member_id: service.member.id.toUpperCase() })],
    ['a member by address', () => member({ email_address: service.member.email_address })],
    ['a member by address in capitals', () => member({ email_address: service.member.email_address.toUpperCase() })],
  ]
  test.each(asked)('200 requested as %s', async (_, body) => {
    const answer = await ask(body())
    expect([answer.status, answer.body.data?.length]).toEqual([200, 1])
  })

  test('200 with at most `limit` records, 25 by default', async () => {
    const values = { name: 'Same, Name' }
    for (let index = 0; index < 30; index++) {
      await service.request('POST', '/v2/objects/people/records', { data: { values } })
    }
    for (const query of ['same', '']) {
      expect((await ask({ query })).body.data).toHaveLength(25)
      expect((await ask({ query, limit: 3 })).body.data).toHaveLength(3)
    }
  })

  const anything: [string, string][] = [
    ['SQL', "'; drop table relata.workspaces; --"],
    ['a quote', "'"],
    ['operators of PostgreSQL’s own search', "ada & !bob | (x <-> y):* \\'"],
    ['wildcards', '%_*?'],
    ['a word without end', 'a'.repeat(256)],
    ['digits without end', '1'.repeat(256)],
    ['very many words', 'ab '.repeat(85)],
    ['long words with errors', Array.from({ length: 12 }, (_, index) => `abcdefghijklmno${index}xyz`).join(' ')],
    ['emoji', '🎉👩‍👩‍👧‍👦🏳️‍🌈'],
    ['combining signs alone', '\u0301\u0301'],
    ['Arabic, Hindi, Hangul and Thai', 'مرحبا नमस्ते 안녕하세요 สวัสดี'],
    ['signs of all kinds', '\u202e\u200b\ufeff\u0085\u1680 ~^`"<>{}[]|'],
  ]
  test.each(anything)('200 without results for %s', async (_, query) => {
    const { status, body } = await ask({ query, objects: ['people', 'companies', 'deals'] })
    expect([status, body.data]).toEqual([200, []])
  })

  const refused: [string, Record<string, unknown>, string, RegExp][] = [
    ['without query', { query: undefined }, 'validation_type', /query: Required/],
    ['a query of 257 characters', { query: 'x'.repeat(257) }, 'validation_type', /query: .*256/],
    ['without objects', { objects: undefined }, 'validation_type', /objects: Required/],
    ['no objects', { objects: [] }, 'validation_type', /objects: .*1 element/],
    ['an unknown object', { objects: ['people', 'compnies'] }, 'value_not_found', /object with slug\/ID "compnies"/],
    ['without request_as', { request_as: undefined }, 'validation_type', /request_as: Required/],
    ['an unknown kind of requester', { request_as: { type: 'robot' } }, 'validation_type', /request_as/],
    ['a member that is not named', { request_as: { type: 'workspace-member' } }, 'validation_type', /request_as/],
    ['an invalid member id', member({ workspace_member_id: 'x' }), 'validation_type', /request_as/],
    [
      'an unknown member',
      member({ workspace_member_id: '0190aaaa-0000-7000-8000-000000000001' }),
      'value_not_found',
      /Workspace member with ID "0190aaaa/,
    ],
    ['an unknown address', member({ email_address: 'no@body.com' }), 'value_not_found', /"no@body.com"/],
    ['a limit of 0', { limit: 0 }, 'validation_type', /limit/],
    ['a limit of 26', { limit: 26 }, 'validation_type', /limit: .*25/],
    ['half a record', { limit: 1.5 }, 'validation_type', /limit/],
  ]
  test.each(refused)('400 for %s', async (_, body, code, message) => {
    const answer = await ask(body)
    expect([answer.status, answer.body.code]).toEqual([400, code])
    expect(answer.body.message).toMatch(message)
  })

  test('400 for an unknown object, naming the closest slug', async () => {
    expect((await ask({ objects: ['compnies'] })).body.did_you_mean).toBe('companies')
  })

  describe('over records of activities', () => {
    const logCall = async (note: string, timestamp: string): Promise<string> => {
      const data = { values: { note, timestamp } }
      return (await service.request('POST', '/v2/activities/phone_calls/records', { data })).body.data.id.record_id
    }

    test('200 by the words of a note, with the time', async () => {
      const call = await logCall('Renewal discussed,\nsends the contract', '2026-03-12T14:00:00.5Z')
      await logCall('Nothing', '2026-03-13')
      const activity = (await service.request('GET', '/v2/activities/phone_calls')).body.data.id.activity_id
      for (const named of ['phone_calls', activity]) {
        const { body } = await ask({ query: 'contract renewl', objects: ['people', named] })
        expect(body.data).toEqual([
          {
            id: { workspace_id: service.workspaceId, object_id: activity, record_id: call },
            record_text: 'Renewal discussed,\nsends the contract',
            record_image: null,
            object_slug: 'phone_calls',
            timestamp: '2026-03-12T14:00:00.500000000Z',
          },
        ])
      }
    })

    test('200 together with people, the best first', async () => {
      const call = await logCall('Spoke with Ada', '2026-03-14')
      const { body } = await ask({ query: 'ada', objects: ['phone_calls', 'people'] })
      expect(body.data.map(({ id }: { id: { record_id: string } }) => id.record_id)).toEqual([person, call])
    })

    test('200 requested as a member, and without deleted records', async () => {
      const call = await logCall('Quarterly figures', '2026-03-15')
      const asMember = member({ workspace_member_id: service.member.id })
      const find = () => ask({ query: 'quarterly', objects: ['phone_calls'], ...asMember })
      expect((await find()).body.data).toHaveLength(1)
      await service.request('DELETE', `/v2/activities/phone_calls/records/${call}`)
      expect((await find()).body.data).toEqual([])
    })

    test('400 for a deleted activity', async () => {
      const data = { api_slug: 'visits', singular_noun: 'Visit', plural_noun: 'Visits', extends: 'activities' }
      await service.request('POST', '/v2/activities', { data })
      expect((await ask({ objects: ['visits'] })).status).toBe(200)
      await service.request('DELETE', '/v2/activities/visits')
      expect((await ask({ objects: ['visits'] })).body.code).toBe('value_not_found')
    })

    test('403 without the scopes for records of activities', async () => {
      const key = await service.keyWith(['record_permission:read', 'object_configuration:read'])
      expect((await ask({}, { key })).status).toBe(200)
      const { status, body } = await ask({ objects: ['people', 'phone_calls'] }, { key })
      expect([status, body.required_scopes]).toEqual([403, ['activity_record:read', 'activity_configuration:read']])
    })
  })

  test('400 for a disabled object', async () => {
    const { db, appContext, workspaceId } = service
    await db.sql`update relata.objects set is_enabled = false where workspace_id = ${workspaceId} and standard_slug = 'users'`
    await appContext.models.reload(workspaceId)
    expect((await ask({ objects: ['users'] })).body.code).toBe('standard_object_disabled')
  })

  test('403 without the scope for records', async () => {
    const key = await service.keyWith(['object_configuration:read'])
    expect((await ask({}, { key })).status).toBe(403)
  })

  test('200 without records of other workspaces', async () => {
    const other = await service.anotherWorkspace()
    expect((await ask({}, { key: other.key })).body.data).toEqual([])
  })
})
