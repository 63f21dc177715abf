import { beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { authorizeQuery, connect, makeApp, REDIRECT, redeem, sendForm, showConsent, type TestApp } from '#testing/oauth'
import { createTrigger } from '#testing/create-trigger'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const person = usePerson(service)
let app: TestApp
beforeEach(async () => {
  app = await makeApp(service)
})

const MINUTE = 60_000_000

const show = (query = {}, of = app, who = person) => showConsent(who, authorizeQuery(of, query))
const answer = async (form: Record<string, string>, who = person) => {
  const response = await sendForm(service, who, { workspace_id: service.workspaceId, decision: 'allow', ...form })
  const location = response.headers.get('location')
  return { status: response.status, location: location === null ? undefined : new URL(location) }
}

describe('GET /console/api/authorize', () => {
  test('401 without a session', async () => {
    const path = `/console/api/authorize?${authorizeQuery(app)}`
    expect((await service.request('GET', path, undefined, { key: null })).status).toBe(401)
  })

  test('400 for an invalid authorization request', async () => {
    const { status } = await person.ask('GET', `/console/api/authorize?${authorizeQuery(app, { client_id: 'x' })}`)
    expect(status).toBe(400)
  })

  test('200 with the app, its scopes and the host of the redirect URI', async () => {
    expect(await show()).toEqual({
      consent_token: expect.stringMatching(/^[\w-]{43}$/),
      app: {
        name: 'Example app',
        developer_name: 'Example Ltd',
        logo_url: null,
        website_url: 'https://app.example.com',
        is_registered_by_itself: false,
      },
      token_level: 'workspace',
      redirect_uri: REDIRECT,
      redirect_host: 'app.example.com',
      is_loopback: false,
      workspaces: [{ id: service.workspaceId, name: 'Workspace 1', slug: 'workspace-1', logo_url: null }],
      workspace_id: service.workspaceId,
      scopes: [
        {
          scope: 'record_permission:read-write',
          area: 'record_permission',
          level: 'read-write',
          is_dangerous: true,
          is_new_in: [service.workspaceId],
        },
        {
          scope: 'object_configuration:read',
          area: 'object_configuration',
          level: 'read',
          is_dangerous: false,
          is_new_in: [service.workspaceId],
        },
      ],
    })
  })

  test('200 marks scopes that the app does not have yet', async () => {
    await connect(service, person, app)
    await person.ask('PATCH', `/console/api/workspaces/${service.workspaceId}/apps/${app.app.id}`, {
      scopes: ['record_permission:read', 'object_configuration:read-write', 'note:read'],
    })
    const { scopes } = await show()
    expect(
      scopes.map(({ scope, is_new_in }: { scope: string; is_new_in: string[] }) => [scope, is_new_in.length]),
    ).toEqual([
      ['record_permission:read', 0],
      ['object_configuration:read-write', 1],
      ['note:read', 1],
    ])
  })

  test('200 lists scopes by area, and read before read-write, for every order in the request', async () => {
    const order = [
      'user_management:read',
      'record_permission:read',
      'record_permission:read-write',
      'object_configuration:read',
      'private_collection:read',
      'note:read-write',
      'webhook:read-write',
      'file:read',
    ] as const
    const dangerous = ['record_permission:read-write', 'private_collection:read', 'webhook:read-write']
    for (const scopes of [order.toReversed(), order.toSorted()]) {
      const own = await makeApp(service, { scopes })
      for (const scope of [undefined, scopes.join(' ')]) {
        const shown: { scope: string; is_dangerous: boolean }[] = (await show({ scope }, own)).scopes
        expect(shown.map((each) => each.scope)).toEqual([...order])
        expect(shown.filter((each) => each.is_dangerous).map((each) => each.scope)).toEqual(dangerous)
      }
    }
  })

  const asked: [scope: string, granted: string[]][] = [
    ['object_configuration:read', ['object_configuration:read']],
    ['record_permission:read', ['record_permission:read']],
    ['object_configuration:read-write record_permission:read-write', ['record_permission:read-write']],
    ['record_permission:read stale:read offline_access', ['record_permission:read']],
    ['note:read', ['record_permission:read-write', 'object_configuration:read']],
    ['nonsense', ['record_permission:read-write', 'object_configuration:read']],
    ['', ['record_permission:read-write', 'object_configuration:read']],
  ]
  test.each(asked)('200 for scope "%s" with %j', async (scope, granted) => {
    expect((await show({ scope })).scopes.map((each: { scope: string }) => each.scope)).toEqual(granted)
  })

  test('200 with the workspaces that the person administers; for an unpublished app, only its own', async () => {
    const second = await service.anotherWorkspace()
    const third = await service.anotherWorkspace()
    const ids = [service.workspaceId, second.workspaceId, third.workspaceId] as const
    const other = await signedIn(service, { [ids[0]]: 'admin', [ids[1]]: 'admin', [ids[2]]: 'member' })
    const idsIn = ({ workspaces }: { workspaces: { id: string }[] }) => workspaces.map(({ id }) => id)
    expect(idsIn(await show({}, app, other))).toEqual([ids[0]])
    const published = await makeApp(service, { is_published: true })
    const offered = await show({ workspace_id: ids[1] }, published, other)
    expect([idsIn(offered), offered.workspace_id]).toEqual([[ids[0], ids[1]], ids[1]])
    expect((await show({ workspace_id: ids[2] }, published, other)).workspace_id).toBe(ids[0])
  })
})

describe('POST /authorize', () => {
  test('303 with code, state and iss; 303 access_denied for a denial', async () => {
    const { status, location } = await answer({ consent_token: (await show()).consent_token })
    expect([status, location?.origin, location?.searchParams.get('iss')]).toEqual([
      303,
      'https://app.example.com',
      'http://localhost:8080',
    ])
    expect(location?.searchParams.get('code')).toMatch(/^[\w-]{43}$/)
    const denied = await answer({ consent_token: (await show()).consent_token, decision: 'deny' })
    expect([
      denied.status,
      denied.location?.searchParams.get('error'),
      denied.location?.searchParams.get('state'),
    ]).toEqual([303, 'access_denied', 'xyz'])
  })

  const failures: [sqlState: string, error: string][] = [
    ['XX000', 'server_error'],
    ['57P03', 'temporarily_unavailable'],
  ]
  test.each(failures)('303 to the app when PostgreSQL fails with %s: %s', async (sqlState, error) => {
    const { consent_token } = await show()
    const { sql } = service.db
    await createTrigger(service.db, {
      name: 'fail_on_purpose',
      when: 'before insert on relata.audit_log',
      body: `raise exception 'on purpose' using errcode = '${sqlState}';`,
    })
    const complaints = spyOn(console, 'error').mockImplementation(() => {})
    const { status, location } = await answer({ consent_token })
    const logged = complaints.mock.calls.map(([line]) => JSON.parse(line))
    complaints.mockRestore()
    await sql.unsafe('drop function fail_on_purpose cascade')
    expect(logged).toMatchObject([{ error: 'on purpose', code: sqlState, path: '/authorize' }])
    expect([status, location?.origin]).toEqual([303, 'https://app.example.com'])
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      error,
      error_description: expect.any(String),
      state: 'xyz',
      iss: 'http://localhost:8080',
    })
  })

  test('400 for a second answer, also for all but one of many at once', async () => {
    const { consent_token } = await show()
    expect((await answer({ consent_token })).status).toBe(303)
    expect(await answer({ consent_token })).toEqual({ status: 400, location: undefined })
    const page = await show()
    const answers = await Promise.all(Array.from({ length: 6 }, () => answer({ consent_token: page.consent_token })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400, 400, 400, 400, 400])
  })

  test('401 when the session ended after the page was shown', async () => {
    const leaving = await signedIn(service)
    const { consent_token } = await show({}, app, leaving)
    expect((await leaving.ask('POST', '/console/api/sign-out')).status).toBe(200)
    expect((await answer({ consent_token }, leaving)).status).toBe(401)
  })

  test('400 after ten minutes, for another session, and for an unknown token', async () => {
    service.setNow(service.appContext.now() - 10 * MINUTE)
    const { consent_token } = await show()
    service.setNow()
    expect((await answer({ consent_token })).status).toBe(400)

    const page = await show()
    expect((await answer({ consent_token: page.consent_token }, await signedIn(service))).status).toBe(400)
    expect((await answer({ consent_token: page.consent_token })).status).toBe(303)
    expect((await answer({ consent_token: 'nonsense' })).status).toBe(400)
    expect((await answer({})).status).toBe(400)
  })

  test('401 without a session, 403 for a page of another site, 400 without a decision', async () => {
    const { consent_token } = await show()
    const { Cookie: _, ...signedOut } = person.headers
    expect((await answer({ consent_token }, { ...person, headers: signedOut })).status).toBe(401)
    const foreign = { ...person, headers: { ...person.headers, 'Sec-Fetch-Site': 'cross-site' } }
    expect((await answer({ consent_token }, foreign)).status).toBe(403)
    expect((await answer({ consent_token, decision: 'maybe' })).status).toBe(400)
    expect((await answer({ consent_token })).status).toBe(303)
  })

  test('303 ignores further parameters of the form', async () => {
    const form = { consent_token: (await show({ scope: 'record_permission:read' })).consent_token }
    const changes = {
      redirect_uri: 'https://evil.example',
      client_id: 'x',
      state: 'other',
      scope: 'record_permission:read-write',
    }
    const { location } = await answer({ ...form, ...changes })
    expect([location?.host, location?.searchParams.get('state')]).toEqual(['app.example.com', 'xyz'])
    const { body } = await redeem(service, app, location?.searchParams.get('code') ?? '')
    const { body: self } = await service.request('GET', '/v2/self', undefined, { key: body.access_token })
    expect(self.scope).toBe('record_permission:read')
  })

  const elsewhere: [string, 'admin' | 'member' | 'suspended' | undefined, boolean][] = [
    ['a member', 'member', true],
    ['a suspended member', 'suspended', true],
    ['not a member', undefined, true],
    ['an admin, for an unpublished app', 'admin', false],
  ]
  test.each(elsewhere)('303 access_denied for a workspace where the person is %s', async (_, level, is_published) => {
    const there = (await service.anotherWorkspace()).workspaceId
    const places = { [service.workspaceId]: 'admin', ...(level === undefined ? {} : { [there]: level }) } as const
    const other = await signedIn(service, places)
    const own = await makeApp(service, { is_published })
    const { consent_token } = await show({}, own, other)
    const { status, location } = await answer({ consent_token, workspace_id: there }, other)
    expect([status, location?.searchParams.get('error')]).toEqual([303, 'access_denied'])
  })

  test('400 when the app was deleted or the redirect URI is no longer registered', async () => {
    const first = await show()
    const path = `/console/api/workspaces/${service.workspaceId}/apps/${app.app.id}`
    await person.ask('PATCH', path, { redirect_uris: ['https://app.example.com/new'] })
    expect((await answer({ consent_token: first.consent_token })).status).toBe(400)
    const second = await show({ redirect_uri: 'https://app.example.com/new' })
    await person.ask('DELETE', path)
    expect((await answer({ consent_token: second.consent_token })).status).toBe(400)
  })
})
