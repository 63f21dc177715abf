/**
 * Assistants get their tokens by OAuth: the client of the SDK discovers the server, registers itself and exchanges a code.
 * See docs/reference/assistants.md (Registration, Authorization).
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { authorizationStore } from '#testing/assistants'
import { type AnswerBody } from '#testing/client'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { Server } from 'bun'
import { ASSISTANT_SCOPES } from '#access/oauth/requested-scopes'
import { CHALLENGE, makeApp, post, redeem, consent, sendForm, showConsent } from '#testing/oauth'
import { signedIn, type Person } from '#testing/people'
import { testService, type TestService } from '#testing/service'

const REDIRECT = 'http://127.0.0.1/callback'
const HOUR = 3_600_000_000

let service: TestService
let server: Server<undefined>
let address: string
let person: Person
beforeAll(async () => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => service.app.handle(request) })
  address = `http://127.0.0.1:${server.port}`
  service = await testService({ appUrl: address })
  person = await signedIn(service)
})
afterAll(async () => {
  await server.stop(true)
  await service.close()
})

/** Allows the access that the URL requests, as the browser of an admin does. Returns the parameters of the redirect. */
async function allow(url: URL, workspaceId = service.workspaceId): Promise<URLSearchParams> {
  const screen = await showConsent(person, url.searchParams)
  expect(screen.app.is_registered_by_itself).toBe(true)
  const form = { consent_token: screen.consent_token, workspace_id: workspaceId, decision: 'allow' }
  const answer = await sendForm(service, person, form)
  return new URL(answer.headers.get('location') ?? '').searchParams
}

async function connect(scope?: string) {
  const { stored, provider } = authorizationStore('Test assistant', REDIRECT)
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { authProvider: provider as never }) // the test stores the values without reading them
  const client = () => new Client({ name: 'test', version: '1.0.0' })
  const first = transport()
  await expect(client().connect(first)).rejects.toBeInstanceOf(UnauthorizedError)
  if (stored.url === undefined) throw new Error('The client did not ask for authorization.')
  if (scope !== undefined) stored.url.searchParams.set('scope', scope)
  await first.finishAuth(await allow(stored.url))
  const connected = client()
  await connected.connect(transport())
  return { connected, stored }
}

async function register(body: unknown) {
  const response = await service.app.handle(
    new Request(`${address}/oauth/register`, { method: 'POST', body: JSON.stringify(body) }),
  )
  return { status: response.status, body: (await response.json()) as AnswerBody }
}

const statusAt = async (path: string, key: string) => (await service.request('GET', path, undefined, { key })).status

const rpc = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${address}/mcp`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${service.key}`,
      ...headers,
    },
    body: JSON.stringify(body),
  })

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('/mcp', () => {
  test('401 without a token and for an unknown one, with the address of the metadata', async () => {
    const metadata = `resource_metadata="${address}/.well-known/oauth-protected-resource/mcp"`
    const missing = await rpc(PING, { Authorization: '' })
    expect([missing.status, missing.headers.get('www-authenticate')]).toEqual([401, `Bearer ${metadata}`])
    const unknown = await rpc(PING, { Authorization: `Bearer ${'0'.repeat(64)}` })
    expect([unknown.status, unknown.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer error="invalid_token", ${metadata}`,
    ])
    const { resource, authorization_servers, scopes_supported } = await (
      await fetch(`${address}/.well-known/oauth-protected-resource/mcp`)
    ).json()
    expect([resource, authorization_servers]).toEqual([`${address}/mcp`, [address]])
    expect(scopes_supported).toEqual([...ASSISTANT_SCOPES])
  })

  test('403 for a page of another origin, and for a key without object_configuration:read', async () => {
    for (const origin of ['https://evil.example.com', 'null', 'http://127.0.0.1:1'])
      expect((await rpc(PING, { Origin: origin })).status).toBe(403)
    expect((await rpc(PING, { Origin: address })).status).toBe(200)
    const key = await service.keyWith(['note:read'])
    const { status, headers } = await rpc(PING, { Authorization: `Bearer ${key}` })
    expect([status, headers.get('www-authenticate')]).toEqual([403, expect.stringContaining('insufficient_scope')])
  })

  test('405 for GET and DELETE, because there are no sessions; 400 and 413 for bodies', async () => {
    const headers = { Authorization: `Bearer ${service.key}`, Accept: 'text/event-stream' }
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(`${address}/mcp`, { method, headers })).status).toBe(405)
    expect((await rpc([PING])).status).toBe(400)
    expect((await rpc({ ...PING, params: { a: 'x'.repeat(25_000_001) } })).status).toBe(413)
  })
})

describe('an assistant', () => {
  test('registers itself, asks an admin, and calls tools; its token is for /mcp only and can be refreshed', async () => {
    const { connected, stored } = await connect()
    const { tools } = await connected.listTools()
    expect(tools.length).toBeGreaterThan(15)
    const { access_token, refresh_token, scope, expires_in } = stored.tokens
    expect([scope.split(' ').toSorted(), expires_in]).toEqual([[...ASSISTANT_SCOPES].toSorted(), 3600])
    expect(await statusAt('/v2/objects', access_token)).toBe(401)
    const { status } = await service.app.handle(
      new Request(`${address}/scim/v2/Users`, { headers: { Authorization: `Bearer ${access_token}` } }),
    )
    expect(status).toBe(401)

    const client_id = stored.client.client_id
    const refresh = { grant_type: 'refresh_token', client_id, refresh_token }
    const other = await post(service, '/oauth/token', { ...refresh, resource: address })
    expect([other.status, other.body.error]).toEqual([400, 'invalid_target'])
    const next = await post(service, '/oauth/token', { ...refresh, resource: `${address}/mcp` })
    expect([next.status, await statusAt('/v2/objects', next.body.access_token)]).toEqual([200, 401])

    const page = (await person.ask('GET', `/console/api/workspaces/${service.workspaceId}/grants`)).body.data
    expect(page).toMatchObject([{ app: { name: 'Test assistant' }, resource: 'mcp' }])
    await person.ask('DELETE', `/console/api/workspaces/${service.workspaceId}/grants/${page[0].id}`)
    // The process hears of the revocation after it is committed.
    while (
      await connected.listTools().then(
        () => true,
        () => false,
      )
    );
    await expect(connected.callTool({ name: 'get_data_model', arguments: {} })).rejects.toThrow()
  })

  test('gets only the scopes that it asks for, and only those of assistants', async () => {
    const { connected, stored } = await connect('object_configuration:read record_permission:read webhook:read-write')
    expect(stored.tokens.scope.split(' ').toSorted()).toEqual(['object_configuration:read', 'record_permission:read'])
    const { tools } = await connected.listTools()
    expect(tools.map(({ name }) => name)).not.toContain('create_record')
    const calls = async () =>
      (await person.ask('GET', `/console/api/workspaces/${service.workspaceId}/assistants`)).body.data
    await connected.callTool({ name: 'get_data_model', arguments: {} })
    expect(await calls()).toMatchObject({
      url: `${address}/mcp`,
      calls: [{ client_name: 'Test assistant', tool: 'get_data_model', status: 200 }],
    })
  })

  test('is refused by a person who is no admin', async () => {
    const { body } = await register({ redirect_uris: [REDIRECT] })
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: body.client_id,
      redirect_uri: REDIRECT,
      ...CHALLENGE,
    })
    const { workspaces, consent_token } = await showConsent(member, query)
    expect(workspaces).toEqual([])
    const form = { consent_token, workspace_id: service.workspaceId, decision: 'allow' }
    const answer = await sendForm(service, member, form)
    expect([answer.headers.get('location'), await answer.text()]).toEqual([
      null,
      expect.stringContaining('error=access_denied'),
    ])
  })
})

describe('POST /oauth/register', () => {
  test('201 with a public client, whose name and address cannot deceive', async () => {
    const { status, body } = await register({
      redirect_uris: [REDIRECT, 'cursor://anysphere.cursor-mcp/oauth/callback'],
      client_name: '\u202eEvil\u200b',
      client_uri: 'javascript:alert(1)',
      logo_uri: 'https://tracker.example.com/x.png',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'refresh_token'],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ client_name: 'Evil', token_endpoint_auth_method: 'none' })
    expect(Object.keys(body)).not.toContain('client_secret')
    const [app] = await service.db.sql`select * from relata.apps where id = ${body.client_id}`
    expect(app).toMatchObject({ workspace_id: null, is_public: true, logo_url: null, website_url: null })
  })

  test.each([
    [{}, 'invalid_client_metadata'],
    [{ redirect_uris: [] }, 'invalid_client_metadata'],
    [{ redirect_uris: Array(11).fill(REDIRECT) }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], client_name: 'x'.repeat(101) }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ redirect_uris: [REDIRECT], response_types: ['token'] }, 'invalid_client_metadata'],
    [{ redirect_uris: ['http://example.com/'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['https://example.com/#x'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['cursor://x?code=1'] }, 'invalid_redirect_uri'],
  ])('400 for %j', async (metadata, error) => {
    const { status, body } = await register(metadata)
    expect([status, body.error]).toEqual([400, error])
  })

  test('400 for bodies that are no objects, and 413 for a large one', async () => {
    for (const body of [[], 'x', null, 1]) expect((await register(body)).status).toBe(400)
    expect((await register({ redirect_uris: ['x'.repeat(20_000)] })).status).toBe(413)
  })

  test('429 after thirty registrations of an address within an hour; clients without a grant are deleted after a week', async () => {
    const start = service.appContext.now() + 2 * HOUR
    service.setNow(start)
    const statuses: number[] = []
    let first: string | undefined
    for (let at = 0; at < 31; at++) {
      const { status, body } = await register({ redirect_uris: [REDIRECT] })
      first ??= body.client_id
      statuses.push(status)
    }
    expect(statuses).toEqual([...Array(30).fill(201), 429])
    service.setNow(start + 8 * 24 * HOUR)
    await register({ redirect_uris: [REDIRECT] })
    service.setNow()
    const left = await service.db.sql`select id from relata.apps where id = ${first ?? ''}`
    expect(left.length).toBe(0)
    // Those with a grant stay.
    const [granted] = await service.db
      .sql`select count(*)::int as count from relata.apps where workspace_id is null and name = 'Test assistant'`
    expect(granted?.count).toBeGreaterThan(0)
  })
})

describe('the parameter resource', () => {
  test('makes the token of an app one for /mcp; without it, the token is for the whole service', async () => {
    const app = await makeApp(service)
    const code = async (resource?: string) => {
      const url = await consent(service, person, app, { query: { resource } })
      return url.searchParams.get('code') ?? String(url.searchParams.get('error'))
    }
    const token = async (code: string, parameters = {}) => (await redeem(service, app, code, parameters)).body
    const whole = await token(await code())
    expect(await statusAt('/v2/objects', whole.access_token)).toBe(200)
    const narrow = await token(await code(`${address}/mcp`))
    expect(await statusAt('/v2/objects', narrow.access_token)).toBe(401)
    const narrowed = await token(await code(address), { resource: `${address}/mcp/` })
    expect(await statusAt('/v2/objects', narrowed.access_token)).toBe(401)
    const widened = await token(await code(`${address}/mcp`), { resource: address })
    expect(widened.error).toBe('invalid_target')
    expect((await token(await code(), { resource: 'https://other.example.com' })).error).toBe('invalid_target')
    const refused = await service.app.handle(
      new Request(
        `${address}/authorize?${new URLSearchParams({ response_type: 'code', client_id: app.app.id, redirect_uri: 'https://app.example.com/callback', resource: 'https://other.example.com' })}`,
      ),
    )
    expect(refused.headers.get('location')).toContain('error=invalid_target')
  })
})
