import { beforeAll, describe, expect, test } from 'bun:test'
import { createAccount } from '#access/accounts/accounts'
import { audit } from '#access/audit-log/audit'
import { connect, makeApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

interface Entry {
  id: string
  action: string
  actor: { type: string; id: string; name: string | null } | null
  subject: { type: string; id: string | null; name: string | null }
  details: Record<string, unknown>
  address: string | null
}

const service = useTestService({ trustedProxies: 1 })
const admin = usePerson(service)
const member = usePerson(service, 'member')
let workspace: string
beforeAll(async () => {
  workspace = `/console/api/workspaces/${service.workspaceId}`
})

const read = async (query = ''): Promise<Entry[]> =>
  (await admin.ask('GET', `${workspace}/audit-log${query}`)).body.data
const last = async () => (await read('?limit=1'))[0]
const post = (path: string, body: object) =>
  service.request('POST', path, body, { key: null, headers: { 'X-Forwarded-For': '203.0.113.9' } })
const key = { name: 'Reporting', scopes: ['note:read'] }

describe('the audit log', () => {
  const memberPath = () => `${workspace}/members/${member.memberIds[service.workspaceId]}`
  const done: [action: string, how: () => Promise<unknown>, name: () => string][] = [
    ['api-key.created', () => admin.ask('POST', `${workspace}/keys`, key), () => 'Reporting'],
    ['workspace.updated', () => admin.ask('PATCH', workspace, { name: 'Renamed' }), () => 'Renamed'],
    [
      'member.updated',
      () => admin.ask('PATCH', memberPath(), { access_level: 'suspended' }),
      () => member.email_address,
    ],
    [
      'invitation.created',
      () => admin.ask('POST', `${workspace}/invitations`, { email_address: 'a@b.example', access_level: 'member' }),
      () => 'a@b.example',
    ],
  ]
  test.each(done)('has %s with its actor', async (action, how, name) => {
    await how()
    const id = admin.memberIds[service.workspaceId]
    expect(await last()).toMatchObject({
      action,
      actor: { type: 'workspace-member', id, name: expect.stringMatching(/^Person \d/) },
      subject: { name: name() },
    })
  })

  test('has api-key.updated and api-key.revoked with the earlier values, and never the key', async () => {
    const { id, token } = (await admin.ask('POST', `${workspace}/keys`, key)).body.data
    await admin.ask('PATCH', `${workspace}/keys/${id}`, { scopes: ['task:read'] })
    expect((await last())?.details).toEqual({
      name: 'Reporting',
      scopes: ['task:read'],
      before: { name: 'Reporting', scopes: ['note:read'] },
    })
    await admin.ask('DELETE', `${workspace}/keys/${id}`)
    expect(await last()).toMatchObject({
      action: 'api-key.revoked',
      subject: { type: 'api-key', id, name: 'Reporting' },
    })
    expect(JSON.stringify(await read())).not.toContain(token)
  })

  test('has list.access-changed of every kind of actor, and no entry for a renaming', async () => {
    const access = { workspace_access: 'full-access', workspace_member_access: [] }
    const data = { name: 'Sales', api_slug: 'sales', parent_object: 'people', ...access }
    await service.request('POST', '/v2/lists', { data })
    await service.request('PATCH', '/v2/lists/sales', {
      data: {
        workspace_access: null,
        workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
      },
    })
    const entry = await last()
    expect(entry).toMatchObject({ action: 'list.access-changed', actor: { type: 'api-token', name: 'Test key' } })
    expect(entry?.details.before).toEqual(access)
  })

  test('has list.created and list.deleted with the access to the list', async () => {
    const members = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const access = { workspace_access: null, workspace_member_access: members }
    const data = { name: 'Board', api_slug: 'board', parent_object: 'people', ...access }
    const list = await admin.ask('POST', '/console/v2/lists', { data })
    const subject = { type: 'list', id: list.body.data.id.list_id, name: 'Board' }
    const actor = { id: admin.memberIds[service.workspaceId] }
    expect(await last()).toMatchObject({ action: 'list.created', actor, subject, details: access })
    await admin.ask('DELETE', '/console/v2/lists/board')
    expect(await last()).toMatchObject({ action: 'list.deleted', actor, subject })
  })

  test('has list.deleted for each list of a deleted object', async () => {
    const boats = { api_slug: 'boats', singular_noun: 'Boat', plural_noun: 'Boats' }
    await admin.ask('POST', '/console/v2/objects', { data: boats })
    const members = [{ workspace_member_id: admin.memberIds[service.workspaceId], level: 'full-access' }]
    const access = { workspace_access: 'read-only', workspace_member_access: members }
    for (const name of ['Afloat', 'In dock']) {
      const data = { name, api_slug: name.toLowerCase().replace(' ', '_'), parent_object: 'boats', ...access }
      await admin.ask('POST', '/console/v2/lists', { data })
    }
    expect((await admin.ask('DELETE', '/console/v2/objects/boats')).status).toBe(200)
    const entries = await read('?limit=2')
    expect(entries.map(({ action, subject }) => [action, subject.name]).toSorted()).toEqual([
      ['list.deleted', 'Afloat'],
      ['list.deleted', 'In dock'],
    ])
    const actor = { id: admin.memberIds[service.workspaceId] }
    expect(entries[0]).toMatchObject({ actor, details: access })
  })

  test('has created, updated and deleted webhooks of every kind of actor, and never the secrets in their URLs', async () => {
    const subscription = (event_type: string) => ({ event_type, filter: null })
    const input = (path: string, ...types: string[]) => ({
      data: { target_url: `https://example.com/${path}`, subscriptions: types.map(subscription) },
    })
    const created = await service.request('POST', '/v2/webhooks', input('secret-1', 'record.created'))
    const id = created.body.data.id.webhook_id
    const subject = { type: 'webhook', id, name: 'https://example.com' }
    const before = { target: 'https://example.com', event_types: ['record.created'] }
    const actor = { type: 'api-token', name: 'Test key' }
    expect(await last()).toMatchObject({ action: 'webhook.created', actor, subject, details: before })
    const path = `/v2/webhooks/${id}`
    await service.request('PATCH', path, input('secret-2', 'list.created', 'list-entry.updated'))
    const event_types = ['list.created', 'list-entry.updated']
    expect(await last()).toMatchObject({ action: 'webhook.updated', subject, details: { event_types, before } })
    await service.request('POST', `${path}/rotate-secret`)
    expect((await last())?.action).toBe('webhook.secret-rotated')
    await service.request('DELETE', path)
    expect(await last()).toMatchObject({ action: 'webhook.deleted', actor, subject })
    expect((await read('?action=webhook')).map(({ action }) => action)).toHaveLength(4)
    const refused = await service.request('POST', '/v2/webhooks', { data: {} })
    expect(refused.status).toBe(400)
    expect(await read('?action=webhook')).toHaveLength(4)
    expect(JSON.stringify(await read())).not.toMatch(/secret-\d|[0-9a-f]{64}/)
  })

  test('has the name of an app that wrote', async () => {
    const scopes = ['object_configuration:read', 'list_configuration:read-write'] as const
    const app = await makeApp(service, { name: 'List maker', scopes })
    const { accessToken } = await connect(service, admin, app)
    const data = { name: 'Leads', api_slug: 'leads', parent_object: 'people', workspace_access: 'full-access' }
    const list = { ...data, workspace_member_access: [] }
    const { status } = await service.request('POST', '/v2/lists', { data: list }, { key: accessToken })
    expect(status).toBe(200)
    expect((await last())?.actor).toEqual({ type: 'app', id: app.app.id, name: 'List maker' })
  })

  test('has sign-ins and password changes in every workspace of the account, with the network address', async () => {
    const other = await service.anotherWorkspace()
    const person = await signedIn(service, { [service.workspaceId]: 'member', [other.workspaceId]: 'admin' })
    const sign = (password: string) => post('/console/api/sign-in', { email_address: person.email_address, password })
    await sign('wrong horse battery')
    const subject = { type: 'account', id: person.accountId, name: person.email_address }
    expect(await last()).toMatchObject({ action: 'sign-in.failed', actor: null, subject, address: '203.0.113.9' })
    await sign(person.password)
    expect(await last()).toMatchObject({
      action: 'sign-in.succeeded',
      actor: { id: person.memberIds[service.workspaceId] },
    })
    const passwords = { current_password: person.password, new_password: 'staple battery horse' }
    await person.ask('POST', '/console/api/password', passwords)
    expect(await last()).toMatchObject({ action: 'password.changed', subject })
    const there = await person.ask('GET', `/console/api/workspaces/${other.workspaceId}/audit-log`)
    const actions = there.body.data.map(({ action }: Entry) => action)
    expect(actions).toEqual(['password.changed', 'sign-in.succeeded', 'sign-in.failed'])
  })

  test('has failed sign-ins of an account without workspace, and none of an unknown address', async () => {
    const { db, appContext } = service
    const email_address = 'alone@example.com'
    const { id } = await createAccount(db, { email_address, password: 'correct horse battery' }, appContext.now())
    await post('/console/api/sign-in', { email_address, password: 'wrong' })
    await post('/console/api/sign-in', { email_address: 'nobody@example.com', password: 'wrong' })
    const rows = await db.sql`select account_id, action from relata.audit_log where workspace_id is null`
    expect(rows.map((row) => ({ ...row }))).toEqual([{ account_id: id, action: 'sign-in.failed' }])
  })

  test('cannot be updated or deleted', async () => {
    const { sql } = service.db
    await expect((async () => sql`update relata.audit_log set action = 'x.y'`)()).rejects.toThrow('ever changed')
    await expect((async () => sql`delete from relata.audit_log`)()).rejects.toThrow('ever changed')
    await expect((async () => sql`truncate relata.audit_log`)()).rejects.toThrow('ever changed')
  })
})

describe('GET …/audit-log', () => {
  test('200 page by page with each entry once, and with one action only', async () => {
    const { db, workspaceId, appContext } = service
    const now = appContext.now()
    const subject = { type: 'test', id: null }
    for (let index = 0; index < 7; index++) {
      await audit(db.sql, { workspaceId, actor: null, action: 'test.done', subject, details: { index }, now })
    }
    const found: Entry[] = []
    let query = '?action=test&limit=3'
    for (;;) {
      const { body } = await admin.ask('GET', `${workspace}/audit-log${query}`)
      found.push(...body.data)
      if (body.pagination.next_cursor === null) break
      query = `?action=test&limit=3&cursor=${body.pagination.next_cursor}`
    }
    expect(new Set(found.map(({ id }) => id)).size).toBe(7)
    expect(found).toHaveLength(7)
    expect(await read('?action=test.done')).toHaveLength(7)
    expect(await read('?action=tes')).toHaveLength(0)
  })

  test.each(['?cursor=x', '?cursor=MjAyNg', '?limit=0', '?limit=201', '?action=%25', "?action='"])(
    '400 for %s',
    async (query) => expect((await admin.ask('GET', `${workspace}/audit-log${query}`)).status).toBe(400),
  )
})

describe('GET …/audit-log/export', () => {
  test('200 with all entries as CSV, in which no cell is a formula', async () => {
    const { db, workspaceId, appContext } = service
    const subject = { type: 'export', id: null, name: '=1+1, "x"' }
    await audit(db.sql, { workspaceId, actor: null, action: 'export.done', subject, now: appContext.now() })
    const all = await admin.ask('GET', `${workspace}/audit-log/export`)
    expect(all.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(all.headers.get('Content-Disposition')).toContain('audit-log.csv')
    const [count] = await db.sql`select count(*)::int as n from relata.audit_log where workspace_id = ${workspaceId}`
    expect(all.body.trimEnd().split('\r\n')).toHaveLength(1 + count?.n)
    const one = await admin.ask('GET', `${workspace}/audit-log/export?action=export`)
    expect(one.body.split('\r\n')[1]).toContain(',export,,"\'=1+1, ""x""",{},,')
  })
})
