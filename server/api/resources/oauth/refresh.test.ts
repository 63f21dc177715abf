import { beforeAll, describe, expect, test } from 'bun:test'
import { ACCESS_SECONDS, REFRESH_SECONDS } from '#access/oauth/tokens/tokens'
import { connect, endTokens, makeApp, post, type Query, type TestApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const person = usePerson(service)
let app: TestApp
beforeAll(async () => {
  app = await makeApp(service, { uses_refresh_tokens: true })
})

const SECOND = 1_000_000

const refresh = (refresh_token: string, parameters: Query = {}, of = app) =>
  post(service, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: of.app.id,
    client_secret: of.secret,
    refresh_token,
    ...parameters,
  })
const self = async (key: string) => (await service.request('GET', '/v2/self', undefined, { key })).body
const isActive = async (key: string) => (await self(key)).active

describe('an app with refresh tokens', () => {
  test('200 with the lifetime of its token, its scopes and a refresh token', async () => {
    const { tokens } = await connect(service, person, app)
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      token_type: 'Bearer',
      expires_in: ACCESS_SECONDS,
      refresh_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      scope: 'record_permission:read-write object_configuration:read',
    })
    const { exp, iat } = await self(tokens.access_token)
    expect(exp - iat).toBe(ACCESS_SECONDS)
  })

  test('200 with a new pair for each refresh token, also after the first access token has expired', async () => {
    service.setNow(service.appContext.now() - ACCESS_SECONDS * SECOND)
    const { tokens } = await connect(service, person, app)
    service.setNow()
    expect((await service.request('GET', '/v2/objects', undefined, { key: tokens.access_token })).status).toBe(401)
    const { status, body } = await refresh(tokens.refresh_token)
    expect([status, body.token_type, body.expires_in]).toEqual([200, 'Bearer', ACCESS_SECONDS])
    expect(body.refresh_token).not.toBe(tokens.refresh_token)
    expect((await service.request('GET', '/v2/objects', undefined, { key: body.access_token })).status).toBe(200)
    expect((await refresh(body.refresh_token)).status).toBe(200)
  })

  test('400 when a refresh token is used again, which ends the grant', async () => {
    const { tokens } = await connect(service, person, app)
    const { body: next } = await refresh(tokens.refresh_token)
    const again = await endTokens(service, () => refresh(tokens.refresh_token))
    expect(again.body.error).toBe('invalid_grant')
    expect([await isActive(tokens.access_token), await isActive(next.access_token)]).toEqual([false, false])
    expect((await refresh(next.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('400 for another app that has a used refresh token, which ends no grant', async () => {
    const { tokens } = await connect(service, person, app)
    const { body: next } = await refresh(tokens.refresh_token)
    const other = await makeApp(service, { uses_refresh_tokens: true })
    expect((await refresh(tokens.refresh_token, {}, other)).body.error).toBe('invalid_grant')
    expect(await isActive(next.access_token)).toBe(true)
  })

  test('400 unauthorized_client when the app no longer uses refresh tokens, and access tokens without expiry instead', async () => {
    const changed = await makeApp(service, { uses_refresh_tokens: true })
    const { tokens } = await connect(service, person, changed)
    const path = `/console/api/workspaces/${service.workspaceId}/apps/${changed.app.id}`
    expect((await person.ask('PATCH', path, { uses_refresh_tokens: false })).status).toBe(200)
    const refused = await refresh(tokens.refresh_token, {}, changed)
    expect([refused.status, refused.body.error]).toEqual([400, 'unauthorized_client'])
    expect(await isActive(tokens.access_token)).toBe(true)
    const later = await connect(service, person, changed)
    expect(Object.keys(later.tokens)).toEqual(['access_token', 'token_type'])
  })

  test('400 for all but one of many concurrent requests with one refresh token, which end the grant', async () => {
    const { tokens } = await connect(service, person, app)
    const many = () => Promise.all(Array.from({ length: 5 }, () => refresh(tokens.refresh_token)))
    const answers = await endTokens(service, many)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const [first] = answers.filter(({ status }) => status === 200)
    expect(await isActive(first?.body.access_token)).toBe(false)
  })

  test('200 with the fewer scopes of the request, and never with more than were granted', async () => {
    const { tokens } = await connect(service, person, app)
    const less = await refresh(tokens.refresh_token, { scope: 'record_permission:read' })
    expect(less.body.scope).toBe('record_permission:read')
    const more = await refresh(less.body.refresh_token, { scope: 'webhook:read-write record_permission:read-write' })
    expect(more.body.scope).toBe('record_permission:read-write')
  })

  test('400 for an expired token, an unknown one, and that of another app', async () => {
    service.setNow(service.appContext.now() - REFRESH_SECONDS * SECOND)
    const { tokens } = await connect(service, await signedIn(service), app)
    service.setNow()
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh('0'.repeat(64))).body.error).toBe('invalid_grant')
    expect((await refresh('')).body.error).toBe('invalid_request')
    const other = await makeApp(service, { uses_refresh_tokens: true })
    const own = await connect(service, person, app)
    expect((await refresh(own.tokens.refresh_token, {}, other)).body.error).toBe('invalid_grant')
    expect((await refresh(own.tokens.refresh_token)).status).toBe(200)
  })
})
