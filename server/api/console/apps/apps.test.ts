import { beforeAll, describe, expect, test } from 'bun:test'
import { connect, endTokens, makeApp, redeem } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
let path: string
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}`
})

const WANTED = { name: 'Sync', redirect_uris: ['https://a.example/cb'], scopes: ['record_permission:read'] }
const create = async (more: object = {}) => admin.ask('POST', `${path}/apps`, { ...WANTED, ...more })

describe('apps', () => {
  test('200 creates, shows, updates and deletes an app', async () => {
    const { status, body } = await create()
    const { client_secret, ...app } = body.data
    expect([status, client_secret]).toEqual([200, expect.stringMatching(/^[0-9a-f]{64}$/)])
    expect(app).toEqual({
      ...WANTED,
      id: expect.any(String),
      client_id: app.id,
      description: null,
      developer_name: null,
      website_url: null,
      logo_url: null,
      is_public: false,
      is_published: false,
      allows_plain_pkce: false,
      uses_refresh_tokens: false,
      secrets: [
        { id: expect.any(String), hint: client_secret.slice(-4), created_at: expect.any(String), last_used_at: null },
      ],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*000Z$/),
    })
    expect((await admin.ask('GET', `${path}/apps/${app.id}`)).body.data).toEqual(app)
    expect((await admin.ask('GET', `${path}/apps`)).body.data).toContainEqual(app)

    const changes = { name: 'Sync 2', logo_url: 'https://a.example/logo.png', is_published: true }
    const changed = await admin.ask('PATCH', `${path}/apps/${app.id}`, {
      ...changes,
      is_public: true,
      workspace_id: app.id,
    })
    expect(changed.body.data).toEqual({ ...app, ...changes })

    expect((await admin.ask('DELETE', `${path}/apps/${app.id}`)).status).toBe(200)
    expect((await admin.ask('GET', `${path}/apps/${app.id}`)).status).toBe(404)
    const log = await service.db.sql`
      select action, actor_id from relata.audit_log where subject_id = ${app.id} order by created_at, id`
    expect(log.map(({ action }) => action)).toEqual(['app.created', 'app.updated', 'app.deleted'])
    expect(log[0]?.actor_id).toBe(admin.memberIds[service.workspaceId])
  })

  const refused: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ name: ' ' }, 'name'],
    [{ redirect_uris: [] }, 'redirect_uris'],
    [{ redirect_uris: ['https://a.example/#x'] }, 'redirect_uris.0: A redirect URI must not have a fragment'],
    [{ redirect_uris: ['https://a.example', 'http://a.example'] }, 'redirect_uris.1'],
    [{ redirect_uris: ['com.example.app:/cb'] }, 'public'],
    [{ redirect_uris: 'https://a.example' }, 'redirect_uris'],
    [{ scopes: ['nonsense:read'] }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ logo_url: 'http://a.example/x.png' }, 'logo_url'],
    [{ website_url: 'javascript:alert(1)' }, 'website_url'],
    [{ is_public: 'yes' }, 'is_public'],
  ]
  test.each(refused)('400 for %j', async (more, words) => {
    const { status, body } = await create(more)
    expect([status, body.message]).toEqual([400, expect.stringContaining(words)])
  })

  test('400 for an invalid update and for an empty one', async () => {
    const { body } = await create()
    const own = `${path}/apps/${body.data.id}`
    expect((await admin.ask('PATCH', own, { redirect_uris: ['http://a.example'] })).status).toBe(400)
    expect((await admin.ask('PATCH', own, {})).status).toBe(400)
    expect((await admin.ask('PATCH', own, { is_public: true })).status).toBe(400)
  })

  test('200 for a public app without a secret, 400 for a secret', async () => {
    const { body } = await create({ is_public: true, redirect_uris: ['com.example.app:/cb'] })
    expect([body.data.client_secret, body.data.secrets]).toEqual([null, []])
    expect((await admin.ask('POST', `${path}/apps/${body.data.id}/secrets`)).status).toBe(400)
  })

  test('403 for members, 404 for admins of other workspaces and for apps of other workspaces', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    expect((await member.ask('GET', `${path}/apps`)).status).toBe(403)
    const elsewhere = await service.anotherWorkspace()
    const stranger = await signedIn(service, { [elsewhere.workspaceId]: 'admin' })
    expect((await stranger.ask('GET', `${path}/apps`)).status).toBe(404)
    const { body } = await create()
    const own = `/console/api/workspaces/${elsewhere.workspaceId}/apps`
    for (const [method, rest, sent] of [
      ['GET', '', undefined],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/secrets', undefined],
      ['DELETE', `/secrets/${body.data.secrets[0].id}`, undefined],
    ] as const) {
      expect((await stranger.ask(method, `${own}/${body.data.id}${rest}`, sent)).status).toBe(404)
    }
    expect((await stranger.ask('GET', own)).body.data).toEqual([])
    expect((await admin.ask('GET', `${path}/apps/nonsense`)).status).toBe(404)
  })
})

describe('secrets', () => {
  test('200 for two valid secrets, 400 for a third; a deleted one is invalid', async () => {
    const made = await makeApp(service)
    const own = `${path}/apps/${made.app.id}/secrets`
    const { body } = await admin.ask('POST', own)
    const { id, client_secret } = body.data
    expect((await admin.ask('POST', own)).status).toBe(400)
    const refusal = async (secret: string) => (await redeem(service, { ...made, secret }, 'x')).body.error
    expect([await refusal(made.secret), await refusal(client_secret)]).toEqual(['invalid_grant', 'invalid_grant'])
    const { secrets } = (await admin.ask('GET', `${path}/apps/${made.app.id}`)).body.data
    expect(secrets.map(({ last_used_at }: { last_used_at: string | null }) => last_used_at === null)).toEqual([
      false,
      false,
    ])

    const [old] = secrets.filter((secret: { id: string }) => secret.id !== id)
    expect((await admin.ask('DELETE', `${own}/${old.id}`)).status).toBe(200)
    expect([await refusal(made.secret), await refusal(client_secret)]).toEqual(['invalid_client', 'invalid_grant'])
    expect((await admin.ask('DELETE', `${own}/${old.id}`)).status).toBe(404)
    expect((await admin.ask('DELETE', `${own}/x`)).status).toBe(404)
  })

  test('are stored as hashes', async () => {
    const { secret } = await makeApp(service)
    const rows = await service.db.sql`select * from relata.app_secrets`
    expect(JSON.stringify(rows)).not.toContain(secret)
  })
})

describe('grants', () => {
  test('200 with app, member and scopes; DELETE revokes the grant', async () => {
    const made = await makeApp(service)
    const { accessToken } = await connect(service, admin, made)
    await service.request('GET', '/v2/objects', undefined, { key: accessToken })
    const [grant] = (await admin.ask('GET', `${path}/grants`)).body.data
    expect(grant).toEqual({
      id: expect.any(String),
      app: { id: made.app.id, name: 'Example app', developer_name: 'Example Ltd', logo_url: null },
      workspace_member_id: admin.memberIds[service.workspaceId],
      resource: null,
      level: 'workspace',
      scopes: made.app.scopes,
      created_at: expect.any(String),
      last_used_at: expect.anything(),
    })
    const ended = await endTokens(service, () => admin.ask('DELETE', `${path}/grants/${grant.id}`))
    const { status } = await service.request('GET', '/v2/objects', undefined, { key: accessToken })
    expect([ended.status, status]).toEqual([200, 401])
    expect((await admin.ask('GET', `${path}/grants`)).body.data).toEqual([])
    expect((await admin.ask('DELETE', `${path}/grants/${grant.id}`)).status).toBe(404)
    const log = await service.db.sql`
      select action, actor_type, details from relata.audit_log where subject_id = ${grant.id} order by created_at, id`
    expect(log.map(({ action, actor_type }) => [action, actor_type])).toEqual([
      ['grant.created', 'app'],
      ['grant.revoked', 'workspace-member'],
    ])
  })

  test('404 for a grant of another workspace, none of the workspace for members', async () => {
    await connect(service, admin, await makeApp(service))
    const [grant] = (await admin.ask('GET', `${path}/grants`)).body.data
    const elsewhere = await service.anotherWorkspace()
    const stranger = await signedIn(service, { [elsewhere.workspaceId]: 'admin' })
    const own = `/console/api/workspaces/${elsewhere.workspaceId}/grants`
    expect((await stranger.ask('DELETE', `${own}/${grant.id}`)).status).toBe(404)
    expect((await stranger.ask('DELETE', `${own}/nonsense`)).status).toBe(404)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    expect((await member.ask('GET', `${path}/grants`)).body.data).toEqual([])
    expect((await member.ask('DELETE', `${path}/grants/${grant.id}`)).status).toBe(404)
  })
})
