/** Who may send requests, the form of errors, and the last administrator. See docs/reference/scim.md (Errors, Life cycle). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../app'
import { createRateLimiter } from '#api/http/rate-limit/rate-limiter'
import { captureLog } from '#testing/captured-log'
import { type Answer, createClient } from '#testing/client'
import { signedIn, type Person } from '#testing/people'
import { scimClient } from '#testing/scim'
import { useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

const service = useTestService()
const scim = scimClient(service)
beforeAll(async () => {
  await scim.verify('acme.test')
})

const ROUTES: [method: string, path: string, body?: object][] = [
  ['GET', '/Users'],
  ['POST', '/Users', { userName: 'new@acme.test' }],
  ['POST', '/Users/.search', {}],
  ['GET', `/Users/${ABSENT}`],
  ['PUT', `/Users/${ABSENT}`, {}],
  ['PATCH', `/Users/${ABSENT}`, { Operations: [{ op: 'add', value: {} }] }],
  ['DELETE', `/Users/${ABSENT}`],
  ['GET', '/Groups'],
  ['POST', '/Groups', { displayName: 'New' }],
  ['POST', '/Groups/.search', {}],
  ['GET', `/Groups/${ABSENT}`],
  ['PUT', `/Groups/${ABSENT}`, {}],
  ['PATCH', `/Groups/${ABSENT}`, { Operations: [{ op: 'add', value: {} }] }],
  ['DELETE', `/Groups/${ABSENT}`],
  ['GET', '/Schemas'],
  ['GET', '/Me'],
  ['POST', '/Bulk', {}],
]
const isRead = (method: string, path: string) => method === 'GET' || path.endsWith('.search') || path === '/Bulk'

describe('every route', () => {
  test('401 without a token and with an unknown one, in the form of SCIM', async () => {
    for (const [method, path, body] of ROUTES) {
      for (const key of [null, '0'.repeat(64), 'short']) {
        const { status, headers, body: error } = await scim.ask(method, path, body, { key })
        expect([method, path, status]).toEqual([method, path, 401])
        expect(error).toEqual<unknown>({ schemas: [ERROR], status: '401', detail: expect.any(String) })
        expect(headers.get('WWW-Authenticate')).toStartWith('Bearer')
        expect(headers.get('Content-Type')).toStartWith('application/scim+json')
      }
    }
  })

  test('403 without the scope', async () => {
    const reading = await service.keyWith(['user_management:read'])
    const other = await service.keyWith(['record_permission:read-write'])
    for (const [method, path, body] of ROUTES) {
      for (const key of isRead(method, path) ? [other] : [reading, other]) {
        const { status, body: error } = await scim.ask(method, path, body, { key })
        expect([method, path, status, error.status, error.scimType]).toEqual([method, path, 403, '403', undefined])
      }
    }
    expect((await scim.ask('GET', '/Users', undefined, { key: reading })).status).toBe(200)
  })

  test('404 for an unknown id, for what is no id, and for ids of another workspace', async () => {
    const { key, member } = await service.anotherWorkspace()
    const { body: user } = await scim.create({ userName: 'own@acme.test' })
    const { body: invited } = await scim.create({ userName: 'own@other.test' })
    const { body: group } = await scim.ask('POST', '/Groups', { displayName: 'Own' })
    for (const [method, path, body] of ROUTES.filter(([, path]) => path.includes(ABSENT))) {
      const foreign = path.startsWith('/Users') ? [user.id, invited.id] : [group.id]
      const ids = [[ABSENT, service.key], ['x', service.key], ['%00', service.key], ...foreign.map((id) => [id, key])]
      for (const [id = '', token = ''] of ids) {
        const answer = await service.request(method, `/scim/v2${path.replace(ABSENT, id)}`, body, { key: token })
        expect([method, path, id, answer.status]).toEqual([method, path, id, 404])
        expect(answer.body).toMatchObject({ schemas: [ERROR], status: '404' })
      }
    }
    const { body: refused } = await scim.ask('POST', '/Groups', { displayName: 'New', members: [{ value: member.id }] })
    expect(refused.scimType).toBe('invalidValue')
    const { body: found } = await scim.ask('GET', `/Users?filter=id eq "${member.id}"`)
    expect(found.totalResults).toBe(0)
  })

  test('404 for an unknown path, 501 for what is not supported', async () => {
    for (const path of ['/scim/v2/Nothing', '/scim/v2', '/scim/v2/Users/x/y', '/scim/v1/Users']) {
      const { status, body } = await service.request('GET', path)
      expect([path, status, body.schemas]).toEqual([path, 404, [ERROR]])
    }
    for (const [method, path] of [
      ['GET', '/Me'],
      ['POST', '/Bulk'],
    ] as const)
      expect((await scim.ask(method, path, method === 'POST' ? {} : undefined)).body.status).toBe('501')
  })

  test('400 and 413 for bodies that cannot be read', async () => {
    const bodies: [body: unknown, status: number, scimType: string | undefined][] = [
      ['{', 400, 'invalidSyntax'],
      ['[]', 400, 'invalidSyntax'],
      ['"x"', 400, 'invalidSyntax'],
      ['{"userName":"a\\u0000@acme.test"}', 400, 'invalidSyntax'],
      [new Uint8Array([0x7b, 0xff, 0x7d]), 400, 'invalidSyntax'],
      ['{"a":'.repeat(300), 400, 'invalidSyntax'],
      ['', 400, 'invalidValue'],
      [`{"userName":"${'x'.repeat(1_100_000)}"}`, 413, undefined],
    ]
    for (const [sent, status, scimType] of bodies) {
      const answer = await scim.ask('POST', '/Users', sent)
      expect([String(sent).slice(0, 30), answer.status, answer.body.scimType]).toEqual([
        String(sent).slice(0, 30),
        status,
        scimType,
      ])
      expect(answer.body.schemas).toEqual([ERROR])
    }
  })

  test('200 for every media type, and with the token as the user name of Basic', async () => {
    for (const type of ['application/json', 'application/scim+json; charset=utf-8', 'text/plain'])
      expect((await scim.ask('POST', '/Users/.search', {}, { headers: { 'Content-Type': type } })).status).toBe(200)
    const Authorization = `Basic ${btoa(`${service.key}:`)}`
    expect((await scim.ask('GET', '/Users', undefined, { key: null, headers: { Authorization } })).status).toBe(200)
  })

  test('429 with an HTTP date, and 500 without a cause', async () => {
    const { db, appContext } = service
    const limits = createRateLimiter(db, appContext.now, { read: 1, write: 1, merge: 1, recording: 1, sql: 1 })
    const limited = createClient(createApp({ ...appContext, limits }), await service.keyWith(['user_management:read']))
    const answers = await Promise.all([1, 2, 3].map(() => limited('GET', '/scim/v2/Users')))
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body).toEqual({ schemas: [ERROR], status: '429', detail: expect.any(String) })
    expect(refused?.headers.get('Retry-After')).toEndWith('GMT')
    await db.sql`alter table relata.teams rename to no_teams`
    const lines: string[] = []
    const failed = await captureLog(() => scim.ask('GET', '/Groups'), lines)
    await db.sql`alter table relata.no_teams rename to teams`
    expect(lines.join()).toContain('relata.teams')
    expect(failed.body).toEqual<unknown>({
      schemas: [ERROR],
      status: '500',
      detail: expect.not.stringContaining('teams'),
    })
  })
})

describe('discovery', () => {
  test('200 without a token', async () => {
    for (const path of [
      '/ServiceProviderConfig',
      '/ResourceTypes',
      '/ResourceTypes/User',
      '/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group',
    ])
      expect((await scim.ask('GET', path, undefined, { key: null })).status).toBe(200)
    const { body } = await scim.ask('GET', '/ServiceProviderConfig', undefined, { key: null })
    expect([body.patch.supported, body.bulk.supported, body.filter.maxResults, body.sort.supported]).toEqual([
      true,
      false,
      100,
      false,
    ])
    for (const path of ['/ResourceTypes/Device', '/Schemas/urn:x'])
      expect((await scim.ask('GET', path, undefined, { key: null })).body.status).toBe('404')
  })

  test('200 for the schemas, which name every attribute of a user and a group', async () => {
    const { body } = await scim.ask('GET', '/Schemas')
    const namesOf = (id: string) =>
      body.Resources.find((schema) => schema.id.endsWith(id))?.attributes.map(({ name }) => name)
    const { body: user } = await scim.create({ userName: 'schema@acme.test' })
    const { body: read } = await scim.ask('GET', `/Users/${user.id}`)
    const common = ['schemas', 'id', 'externalId', 'meta']
    expect(
      Object.keys(read)
        .filter((name) => !common.includes(name))
        .toSorted(),
    ).toEqual(namesOf(':User')?.toSorted() ?? [])
  })
})

describe('the last administrator', () => {
  const countAdmins = async () => {
    const [row] = await service.db.sql<{ n: number }[]>`
      select count(*)::int as n from relata.workspace_members
      where workspace_id = ${service.workspaceId} and access_level = 'admin' and account_id is not null`
    return row?.n ?? 0
  }
  const idOf = ({ memberIds }: Person) => memberIds[service.workspaceId] ?? ''
  const removals = (id: string): (() => Promise<Answer>)[] => [
    () => scim.patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }]),
    () => scim.patch(`/Users/${id}`, [{ op: 'Replace', path: 'appRole', value: 'member' }]),
    () => scim.ask('PUT', `/Users/${id}`, { active: 'False' }),
    () => scim.ask('DELETE', `/Users/${id}`),
  ]

  test('400 for each removal', async () => {
    const admin = await signedIn(service)
    for (const remove of removals(idOf(admin))) {
      const { status, body } = await remove()
      expect([status, body.scimType]).toEqual([400, 'mutability'])
    }
    expect((await admin.ask('GET', '/console/v2/objects')).status).toBe(200)
    expect(await countAdmins()).toBe(1)
  })

  test('one remains when all are removed at the same time', async () => {
    const admins = [await signedIn(service), await signedIn(service), await signedIn(service)]
    const [present] = await service.db.sql<{ id: string }[]>`
      select id from relata.workspace_members where access_level = 'admin' and account_id is not null limit 1`
    const ids = [...admins.map(idOf), present?.id ?? '']
    const answers = await Promise.all(ids.map((id, n) => removals(id)[n]?.()))
    expect(answers.filter((answer) => answer?.status === 400)).toHaveLength(1)
    expect(await countAdmins()).toBe(1)
  })

  test('one remains after any sequence of changes', async () => {
    const [present] = await service.db.sql<{ id: string }[]>`
      select id from relata.workspace_members where access_level = 'admin' and account_id is not null limit 1`
    const others = [await signedIn(service, { [service.workspaceId]: 'member' }), await signedIn(service)]
    const ids = [...others.map(idOf), present?.id ?? '']
    let seed = 7
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below
    for (let n = 0; n < 60; n++) {
      const id = ids[random(ids.length)] ?? ''
      const change = {
        active: random(3) > 0,
        ...(random(2) === 0 ? {} : { appRole: random(2) === 0 ? 'admin' : 'member' }),
      }
      const { status } = await scim.patch(`/Users/${id}`, [{ op: 'replace', value: change }])
      expect([200, 400]).toContain(status)
      expect(await countAdmins()).toBeGreaterThan(0)
    }
  })
})
