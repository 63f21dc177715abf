/** Requests for a deleted workspace are refused and its workers pause. After its restoration, all requests are answered as before. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createInvitation } from '#access/members/invitations'
import { digestQueue } from '#crm/email/digests/send-digests'
import { deleteExpiredTrash } from '#engine/entities/trash/delete-expired'
import { readQueueLength, takeDue } from '#engine/queue'
import type { Send } from '#events/webhooks/send/send-request'
import { createLeaseStore } from '#events/webhooks/queue/lease'
import { startEventPipeline } from '#testing/events'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { messagesOf } from '#testing/messages'
import { connect, consent, makeApp, post, redeem, type TestApp } from '#testing/oauth'
import { signedIn, type Person } from '#testing/people'
import { testService, type TestService } from '#testing/service'
import { createClient, type Client } from '#testing/client'
import { deleteWorkspace, restoreWorkspace } from './deletion'

let service: TestService
let admin: Person
let member: Person
let app: TestApp
/** Requests of every kind of caller, by name. Each returns its status, or what stands for it. */
let asks: Record<string, () => Promise<unknown>>
let otherKey: Client

beforeAll(async () => {
  service = await testService()
  const { workspaceId } = service
  await startEventPipeline(service, succeed)
  const other = await service.anotherWorkspace()
  otherKey = createClient(service.app, other.key)
  admin = await signedIn(service)
  member = await signedIn(service, { [workspaceId]: 'member', [other.workspaceId]: 'member' })
  app = await makeApp(service, { uses_refresh_tokens: true, is_published: true })
  asks = await everyWayIn()
})
afterAll(() => service.close())

const succeed: Send = async () => ({
  status: 200,
  headers: {},
  body: '',
  problem: undefined,
  duration: 1,
  address: undefined,
})
const statusOf = async (answer: Promise<{ status: number }>): Promise<number> => (await answer).status
const handle = (path: string, init: RequestInit = {}) =>
  service.app.handle(new Request(`http://localhost${path}`, init))

async function everyWayIn(): Promise<Record<string, () => Promise<unknown>>> {
  const { request, workspaceId, key, appContext, db } = service
  const ada = await listClient(service).record('people', { name: 'Lovelace, Ada' })
  const files = fileClient(service)
  const fileUrl = await files.url(await files.file(ada, { content: 'bytes' }))
  const endpoint = (await request('POST', '/v2/test_endpoints', { data: { name: 'Test' } })).body.data
  const granted = await connect(service, admin, app)
  let refreshToken = String(granted.tokens.refresh_token)
  const scimKey = await service.keyWith(['user_management:read-write'])
  const invited = { email_address: 'grace@example.com', access_level: 'member', invitedBy: memberOf(admin) } as const
  const invitation = await db.sql.begin((tx) => createInvitation(tx, { workspaceId, ...invited }, appContext.now()))
  const mcp = {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  }
  return {
    'API key': () => statusOf(request('GET', '/v2/self')),
    record: () => statusOf(request('GET', `/v2/objects/people/records/${ada}`)),
    write: () => statusOf(request('POST', '/v2/objects/people/records', { data: { values: {} } })),
    SQL: () => statusOf(request('POST', '/v2/sql', { sql: 'select count(*) from objects.people' })),
    feed: () => statusOf(request('GET', '/v2/events')),
    'OAuth token': () => statusOf(request('GET', '/v2/objects', undefined, { key: granted.accessToken })),
    introspection: async () =>
      (
        await post(service, '/oauth/introspect', {
          token: granted.accessToken,
          client_id: app.app.id,
          client_secret: app.secret,
        })
      ).body.active,
    'OAuth refresh': async () => {
      const { status, body } = await post(service, '/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: app.app.id,
        client_secret: app.secret,
      })
      if (status === 200) refreshToken = String(body.refresh_token)
      return status
    },
    SCIM: () => statusOf(request('GET', '/scim/v2/Users', undefined, { key: scimKey })),
    MCP: () => statusOf(handle('/mcp', mcp)),
    'signed address': () => statusOf(handle(fileUrl)),
    'test endpoint': () => statusOf(handle(new URL(endpoint.url).pathname, { method: 'POST', body: '{}' })),
    invitation: () => statusOf(admin.ask('GET', `/console/api/invitations/${invitation.token}`)),
    console: () => statusOf(admin.ask('GET', `/console/api/workspaces/${workspaceId}`)),
    'console, a member': () => statusOf(member.ask('GET', '/console/v2/objects', undefined, workspaceId)),
    'queue length': async () => {
      await takeDigests()
      return (await readQueueLength(db.sql, digestQueue, appContext.now())).waiting
    },
    workspaces: async () => (await admin.ask('GET', '/console/api/session')).body.data.workspaces.length,
    webhook: async () => (await dueWebhooks()).length,
    digest: async () => (await takeDigests()).length,
  }
}

const memberOf = (person: Person): string => person.memberIds[service.workspaceId] ?? ''

/** Takes the lease of a webhook that is due, unless the process of the test takes it each time. */
async function dueWebhooks() {
  const { db, appContext } = service
  const leases = createLeaseStore({ db, name: crypto.randomUUID(), now: appContext.now })
  for (let attempt = 0; attempt < 10; attempt++) {
    await db.sql`update relata.webhooks set leased_by = null, leased_until = null, due_at = now() - interval '1 hour'`
    const taken = await leases.take({ limit: 10, onlyHealthy: false, openIds: [] })
    if (taken.length > 0) return taken
  }
  return []
}

async function takeDigests() {
  const { db, appContext, workspaceId } = service
  await db.sql`
    insert into relata.inboxes (workspace_id, member_id, due_at) values (${workspaceId}, ${memberOf(admin)}, now() - interval '1 hour')
    on conflict (workspace_id, member_id) do update set due_at = excluded.due_at`
  return takeDue(db, digestQueue, { now: appContext.now(), limit: 10 })
}

async function askAll(): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const [name, ask] of Object.entries(asks)) answers[name] = await ask()
  return answers
}

test('nothing answers for a deleted workspace, and everything as before when it is restored', async () => {
  const { db, appContext, workspaceId, request } = service
  await request('POST', '/v2/webhooks', {
    data: { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'record.created', filter: null }] },
  })
  const before = await askAll()
  expect(before).toEqual({
    'API key': 200,
    record: 200,
    write: 200,
    SQL: 200,
    feed: 200,
    'OAuth token': 200,
    introspection: true,
    'OAuth refresh': 200,
    SCIM: 200,
    MCP: 200,
    'signed address': 200,
    'test endpoint': 200,
    invitation: 200,
    console: 200,
    'console, a member': 200,
    'queue length': 0,
    workspaces: 1,
    webhook: 1,
    digest: 1,
  })
  const stream = messagesOf(await handle('/v2/events/stream', { headers: { Authorization: `Bearer ${service.key}` } }))
  const code = (await consent(service, admin, app)).searchParams.get('code') ?? ''
  const ended = stream.next().catch((error: Error) => error.message)
  const answer = await admin.ask('DELETE', `/console/api/workspaces/${workspaceId}`, { name: 'Workspace 1' })
  expect([answer.status, answer.body.data.removed_at.slice(0, 4)]).toEqual([200, expect.stringMatching(/^\d{4}$/)])
  // The process that deletes the workspace gets the same notifications as the other processes.
  while ((await request('GET', '/v2/self')).body.active !== false);
  expect(await ended).toBe('The stream ended.')
  expect(await askAll()).toEqual({
    'API key': 200, // {"active":false}, as for any unknown token
    record: 401,
    write: 401,
    SQL: 401,
    feed: 401,
    'OAuth token': 401,
    introspection: undefined,
    'OAuth refresh': 401,
    SCIM: 401,
    MCP: 401,
    'signed address': 404,
    'test endpoint': 404,
    invitation: 404,
    console: 404,
    'console, a member': 404,
    'queue length': 0,
    workspaces: 0,
    webhook: 0,
    digest: 0,
  })
  expect((await redeem(service, app, code)).status).toBe(401)
  expect((await otherKey('GET', '/v2/self')).body.active).toBe(true)
  expect(
    await deleteExpiredTrash(db, { now: appContext.now(), batchSize: 10, prepareErasure: () => Promise.reject() }),
  ).toBe(false)

  const { body } = await admin.ask('GET', '/console/api/session')
  expect(body.data.deleted_workspaces).toEqual([
    {
      id: workspaceId,
      name: 'Workspace 1',
      slug: 'workspace-1',
      deleted_at: expect.any(String),
      removed_at: answer.body.data.removed_at,
    },
  ])
  expect((await member.ask('GET', '/console/api/session')).body.data.deleted_workspaces).toEqual([])
  expect((await member.ask('POST', `/console/api/workspaces/${workspaceId}/restore`)).status).toBe(404)
  expect((await admin.ask('POST', `/console/api/workspaces/${workspaceId}/restore`)).status).toBe(200)
  while ((await request('GET', '/v2/self')).body.active !== true);
  expect(await askAll()).toEqual(before)
  expect((await redeem(service, app, code)).status).toBe(200)
  expect((await admin.ask('POST', `/console/api/workspaces/${workspaceId}/restore`)).status).toBe(404)
  const log = await db.sql<{ action: string; actor_id: string }[]>`
    select action, actor_id from relata.audit_log where action like 'workspace.%' and workspace_id = ${workspaceId} order by created_at`
  expect(log.map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['workspace.deleted', memberOf(admin)],
    ['workspace.restored', memberOf(admin)],
  ])
})

test('400 without the name, 403 for a member', async () => {
  const path = `/console/api/workspaces/${service.workspaceId}`
  expect((await admin.ask('DELETE', path, { name: 'workspace 1' })).status).toBe(400)
  expect((await admin.ask('DELETE', path, {})).status).toBe(400)
  expect((await member.ask('DELETE', path, { name: 'Workspace 1' }, service.workspaceId)).status).toBe(403)
})

test('a deletion changes the version of the data model, so no process writes with a cached model', async () => {
  const { appContext, db, workspaceId } = service
  const readVersion = async () => (await db.sql<[{ version: number }]>`select version from w_1.model`)[0].version
  const before = await readVersion()
  const commandLine = { actor: null, now: appContext.now() }
  await deleteWorkspace(db, workspaceId, commandLine)
  expect(await readVersion()).toBe(before + 1)
  expect(deleteWorkspace(db, workspaceId, commandLine)).rejects.toThrow('was not found')
  await restoreWorkspace(db, workspaceId, commandLine)
  expect(await readVersion()).toBe(before + 2)
})
