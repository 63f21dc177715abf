import { beforeAll, describe, expect, test } from 'bun:test'
import { createTokenAuthenticator } from '#access/tokens/authenticate'
import { checkAnswer } from '#testing/contract'
import { connect, endTokens, makeApp, post, type Query, type TestApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { testService } from '#testing/service'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const person = usePerson(service)
let app: TestApp
let other: TestApp
beforeAll(async () => {
  app = await makeApp(service, { uses_refresh_tokens: true })
  other = await makeApp(service)
})

const asks = (path: string, token: string | undefined, of = app, parameters: Query = {}) =>
  post(service, path, { client_id: of.app.id, client_secret: of.secret, token, ...parameters })
const self = async (key: string) => (await service.request('GET', '/v2/self', undefined, { key })).body

describe('POST /oauth/revoke', () => {
  test.each(['access_token', 'refresh_token'] as const)(
    '200 with an empty body, and the whole grant ends with its %s',
    async (kind) => {
      const { tokens, accessToken } = await connect(service, person, app)
      const giveBack = () => asks('/oauth/revoke', tokens[kind], app, { token_type_hint: kind })
      const { status, body, headers } = await endTokens(service, giveBack)
      expect([status, body, headers.get('cache-control')]).toEqual([200, undefined, 'no-store'])
      expect((await self(accessToken)).active).toBe(false)
      const again = { grant_type: 'refresh_token', client_id: app.app.id, client_secret: app.secret }
      const refreshed = await post(service, '/oauth/token', { ...again, refresh_token: tokens.refresh_token })
      expect(refreshed.body.error).toBe('invalid_grant')
    },
  )

  test('200 for an unknown token, and for a token of another app, which stays valid', async () => {
    const { accessToken } = await connect(service, person, app)
    expect((await asks('/oauth/revoke', '0'.repeat(64))).status).toBe(200)
    expect((await asks('/oauth/revoke', accessToken, other)).status).toBe(200)
    expect((await asks('/oauth/revoke', service.key)).status).toBe(200)
    expect((await self(accessToken)).active).toBe(true)
    expect((await self(service.key)).active).toBe(true)
  })

  test('400 without a token, 401 without valid client credentials', async () => {
    expect((await asks('/oauth/revoke', undefined)).body.error).toBe('invalid_request')
    expect((await asks('/oauth/revoke', 'x', app, { client_secret: 'wrong' })).status).toBe(401)
  })

  test('200, and every process on the database refuses the token', async () => {
    const { accessToken } = await connect(service, person, app)
    const elsewhere = createTokenAuthenticator(service.db, service.appContext.now, 3_600_000)
    expect(await elsewhere.find(accessToken)).toMatchObject({ clientId: app.app.id })
    expect(elsewhere.find(accessToken)).not.toBeInstanceOf(Promise)
    await endTokens(service, () => asks('/oauth/revoke', accessToken))
    expect(await elsewhere.find(accessToken)).toBeUndefined()
  })
})

describe('POST /oauth/introspect', () => {
  test('200 with the response of /v2/self', async () => {
    const { accessToken } = await connect(service, person, app)
    const { status, body, headers } = await asks('/oauth/introspect', accessToken)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual(await self(accessToken))
    expect(body).toMatchObject({
      active: true,
      client_id: app.app.id,
      aud: app.app.id,
      sub: service.workspaceId,
      scope: 'record_permission:read-write object_configuration:read',
      authorized_by_workspace_member_id: person.memberIds[service.workspaceId],
    })
  })

  test('200 with only active: false for a token of another app', async () => {
    const { accessToken, tokens } = await connect(service, person, app)
    for (const token of [service.key, '0'.repeat(64), 'x', tokens.refresh_token]) {
      expect((await asks('/oauth/introspect', token)).body).toEqual({ active: false })
    }
    expect((await asks('/oauth/introspect', accessToken, other)).body).toEqual({ active: false })
  })

  const bearer = (Authorization: string, parameters: Query = {}) =>
    post(service, '/oauth/introspect', parameters, { Authorization })

  test('200 for a token that is presented as Bearer, without a body', async () => {
    const { accessToken } = await connect(service, person, app)
    for (const token of [accessToken, service.key]) {
      const headers = { Authorization: `bearer ${token}` }
      const { status, body } = await service.request('POST', '/oauth/introspect', undefined, { key: null, headers })
      expect(status).toBe(200)
      expect(body).toEqual(await self(token))
      checkAnswer('POST', '/oauth/introspect', status, body)
    }
    const named = await bearer(`Bearer ${accessToken}`, { token: accessToken })
    expect([named.body.active, named.headers.get('cache-control')]).toEqual([true, 'no-store'])
  })

  test.each(['0'.repeat(64), 'short', ''])('200 with active: false for %j presented as Bearer', async (token) => {
    const { status, body } = await bearer(`Bearer ${token}`)
    expect([status, body]).toEqual([200, { active: false }])
    checkAnswer('POST', '/oauth/introspect', status, body)
  })

  test('200 with active: false for another token than the presented one', async () => {
    const { accessToken } = await connect(service, person, app)
    expect((await bearer(`Bearer ${service.key}`, { token: accessToken })).body).toEqual({ active: false })
  })

  test('401 for a client that presents a Bearer token beside its id', async () => {
    const { status, body } = await bearer(`Bearer ${service.key}`, { client_id: app.app.id, token: service.key })
    expect([status, body.error]).toEqual([401, 'invalid_client'])
  })

  test('400 for an empty request', async () => {
    expect((await post(service, '/oauth/introspect', {})).body.error).toBe('invalid_request')
  })

  test('401 without valid client credentials', async () => {
    const { status, body } = await asks('/oauth/introspect', 'x', app, { client_secret: undefined })
    expect([status, body.error]).toEqual([401, 'invalid_client'])
  })
})

describe('an app in a workspace', () => {
  test('writes as one actor with all of its tokens', async () => {
    const writer = await makeApp(service, { scopes: ['record_permission:read-write', 'object_configuration:read'] })
    const first = await connect(service, person, writer)
    const second = await connect(service, person, writer)
    for (const key of [first.accessToken, second.accessToken]) {
      const data = { values: { name: 'Ada Lovelace' } }
      const { status, body } = await service.request('POST', '/v2/objects/people/records', { data }, { key })
      expect([status, body.data.values.name[0].created_by_actor]).toEqual([200, { type: 'app', id: writer.app.id }])
    }
    const access = createTokenAuthenticator(service.db, service.appContext.now)
    const keys = [await access.find(first.accessToken), await access.find(second.accessToken)].map(
      (token) => token?.key,
    )
    expect(keys).toEqual(Array(2).fill(`app:${writer.app.id}:${service.workspaceId}`))
  })

  test('403 for a scope that it was not granted', async () => {
    const reader = await makeApp(service, { scopes: ['record_permission:read', 'object_configuration:read'] })
    const { accessToken: key } = await connect(service, person, reader)
    const { status } = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } }, { key })
    expect(status).toBe(403)
  })

  test('keeps its access when the member who authorised it is suspended, and loses it when the app is deleted', async () => {
    const someone = await signedIn(service)
    const { accessToken } = await connect(service, someone, other)
    await service.db.sql`
      update relata.workspace_members set access_level = 'suspended' where id = ${someone.memberIds[service.workspaceId] ?? ''}`
    expect((await self(accessToken)).active).toBe(true)
    const path = `/console/api/workspaces/${service.workspaceId}/apps/${other.app.id}`
    await endTokens(service, () => person.ask('DELETE', path))
    expect((await self(accessToken)).active).toBe(false)
  })
})

test('writes as api-token when the settings say so', async () => {
  const older = await testService({ appActor: 'api-token' })
  const own = await makeApp(older)
  const { accessToken: key } = await connect(older, await signedIn(older), own)
  const data = { values: { name: 'Ada Lovelace' } }
  const { body } = await older.request('POST', '/v2/objects/people/records', { data }, { key })
  expect(body.data.values.name[0].created_by_actor).toEqual({ type: 'api-token', id: own.app.id })
  await older.close()
})
