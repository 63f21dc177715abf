import { describe, expect, test } from 'bun:test'
import { allOperations } from '#testing/operations'
import { signedIn, type Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)

const list = (name: string, members: object = {}) => ({
  data: {
    name,
    api_slug: name,
    parent_object: 'people',
    workspace_access: null,
    workspace_member_access: [{ workspace_member_id: admin.memberIds[service.workspaceId], level: 'full-access' }],
    ...members,
  },
})

describe('/console/v2', () => {
  test('200 with the response of the API, with the member as the actor', async () => {
    const body = { data: { values: { name: 'Grace Hopper' } } }
    const { status, body: made } = await admin.ask('POST', '/console/v2/objects/people/records', body)
    expect(status).toBe(200)
    const actor = { type: 'workspace-member', id: admin.memberIds[service.workspaceId] }
    expect(made.data.values.name[0].created_by_actor).toEqual(actor)
    const path = `/objects/people/records/${made.data.id.record_id}`
    const [ours, theirs] = [await admin.ask('GET', `/console/v2${path}`), await service.request('GET', `/v2${path}`)]
    expect(ours.body).toEqual(theirs.body)
    expect((await admin.ask('DELETE', `/console/v2${path}`)).status).toBe(200)
    expect((await service.request('GET', `/v2${path}`)).status).toBe(404)
  })

  test('200 with a query string, a large body and a compressed response', async () => {
    const values = { name: 'Long', description: 'x'.repeat(60_000) }
    await admin.ask('POST', '/console/v2/objects/people/records', { data: { values } })
    const headers = { ...admin.headers, 'X-Workspace': service.workspaceId, 'Accept-Encoding': 'gzip' }
    const request = new Request('http://localhost/console/v2/objects/people/attributes?limit=1', { headers })
    expect(((await (await service.app.handle(request)).json()) as { data: object[] }).data).toHaveLength(1)
    const query = new Request('http://localhost/console/v2/objects/people/records/query', {
      method: 'POST',
      headers,
      body: '{}',
    })
    const answer = await service.app.handle(query)
    expect(answer.headers.get('Content-Encoding')).toBe('gzip')
    expect(new TextDecoder().decode(Bun.gunzipSync(await answer.bytes()))).toContain('x'.repeat(60_000))
  })

  const refused: [what: string, headers: Record<string, string>, status: number, words: string][] = [
    ['without a workspace', {}, 400, 'X-Workspace'],
    ['with an unknown workspace', { 'X-Workspace': '11111111-1111-4111-8111-111111111111' }, 404, 'was not found'],
    ['with text that is not an id', { 'X-Workspace': "x'" }, 404, 'was not found'],
  ]
  test.each(refused)('refuses %s', async (_, extra, status, words) => {
    const headers = { ...admin.headers, ...extra }
    const answer = await service.request('GET', '/console/v2/objects', undefined, { key: null, headers })
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(words)])
  })

  test('401, 403 and 404 for callers without access to the workspace', async () => {
    const { workspaceId } = service
    const other = await service.anotherWorkspace()
    const suspended = await signedIn(service, { [workspaceId]: 'suspended' })
    const foreign = await signedIn(service, { [other.workspaceId]: 'admin' })
    expect((await suspended.ask('GET', '/console/v2/objects')).status).toBe(403)
    expect((await foreign.ask('GET', '/console/v2/objects', undefined, workspaceId)).status).toBe(404)
    const key = { key: service.key, headers: { 'X-Workspace': workspaceId } }
    expect((await service.request('GET', '/console/v2/objects', undefined, key)).status).toBe(401)
    expect((await admin.ask('GET', '/console/v2/nothing')).status).toBe(404)
  })

  test('403 for a query without the CSRF token, as for every POST', async () => {
    const headers = { ...admin.headers, 'X-CSRF-Token': '', 'X-Workspace': service.workspaceId }
    const path = '/console/v2/objects/people/records/query'
    expect((await service.request('POST', path, {}, { key: null, headers })).status).toBe(403)
  })

  test('401 for a session at /v2, which needs a token', async () => {
    const answer = await service.request('GET', '/v2/objects', undefined, { key: null, headers: admin.headers })
    expect(answer.status).toBe(401)
  })

  test('403 for a member who changes the data model or webhooks or deletes emails, and for no other request', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const kept: string[] = []
    for (const { id, method, path, scopes } of await allOperations(service)) {
      if (scopes === undefined) continue
      const { status, body } = await member.ask(method, `/console${path}`)
      if (status !== 403) continue
      expect(body.message).toContain('administrator')
      kept.push(id)
    }
    expect(kept.toSorted()).toEqual([
      'createActivity',
      'createActivityAttribute',
      'createActivitySelectOption',
      'createActivityStatus',
      'createObject',
      'createObjectAttribute',
      'createObjectSelectOption',
      'createObjectStatus',
      'createTestEndpoint',
      'createWebhook',
      'deleteActivity',
      'deleteActivityAttribute',
      'deleteEmail',
      'deleteObject',
      'deleteObjectAttribute',
      'deleteTestEndpoint',
      'deleteWebhook',
      'previewActivityFormula',
      'previewObjectFormula',
      'redeliver',
      'replayDeliveries',
      'restoreActivity',
      'restoreObject',
      'rotateWebhookSecret',
      'sendTestEvent',
      'updateActivity',
      'updateActivityAttribute',
      'updateActivitySelectOption',
      'updateActivityStatus',
      'updateObject',
      'updateObjectAttribute',
      'updateObjectSelectOption',
      'updateObjectStatus',
      'updateTestEndpoint',
      'updateWebhook',
    ])
  })

  test('200 for a member who saves views of objects', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const data = { title: 'Mine', type: 'table', filter: {}, sorts: [] }
    const { status, body } = await member.ask('POST', '/console/v2/objects/people/views', { data })
    expect(status).toBe(200)
    const path = `/console/v2/objects/people/views/${body.data.id.view_id}`
    expect((await member.ask('PATCH', path, { data: { title: 'Ours' } })).status).toBe(200)
    expect((await member.ask('DELETE', path)).status).toBe(200)
  })

  test('200 for a member with access to a list and for an admin; a change takes effect immediately', async () => {
    const { workspaceId } = service
    const member = await signedIn(service, { [workspaceId]: 'member' })
    await admin.ask('POST', '/console/v2/lists', list('secret'))
    const path = '/console/v2/lists/secret'
    const statuses = async () => [(await admin.ask('GET', path)).status, (await member.ask('GET', path)).status]
    expect(await statuses()).toEqual([200, 404])
    const change = (access_level: string) =>
      admin.ask('PATCH', `/console/api/workspaces/${workspaceId}/members/${member.memberIds[workspaceId]}`, {
        access_level,
      })
    await change('admin')
    expect(await statuses()).toEqual([200, 200])
    await change('suspended')
    expect(await statuses()).toEqual([200, 401])
  })
})

describe('POST /console/v2/sql', () => {
  const ENDLESS = 'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b where a <> b'

  const post = (sql: string, { accept = 'application/json', signal }: { accept?: string; signal?: AbortSignal } = {}) =>
    service.app.handle(
      new Request('http://localhost/console/v2/sql', {
        method: 'POST',
        headers: { ...admin.headers, 'X-Workspace': service.workspaceId, Accept: accept },
        body: JSON.stringify({ sql }),
        ...(signal === undefined ? {} : { signal }),
      }),
    )

  test.each([
    ['text/csv', 'n\r\n1\r\n2\r\n'],
    ['application/x-ndjson', '{"n":1}\n{"n":2}\n'],
  ])('200 with a stream of %s', async (accept, text) => {
    const answer = await post('select n from generate_series(1, 2) n', { accept })
    expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, expect.stringContaining(accept)])
    expect(await answer.text()).toBe(text)
  })

  test('the query ends when the client disconnects', async () => {
    const running = async () =>
      (
        await service.db.sql`
          select from pg_stat_activity
          where datname = current_database() and starts_with(usename, 'relata_sql_') and state = 'active'`
      ).length
    const until = async (count: number): Promise<void> => {
      if ((await running()) !== count) await until(count)
    }
    const client = new AbortController()
    const answer = post(ENDLESS, { signal: client.signal })
    await until(1)
    client.abort()
    await answer.catch(() => {})
    await until(0)
    expect(await running()).toBe(0)
  })

  test('200 with a plan that names tables and columns by their slugs', async () => {
    const sql = 'select description from companies where description is not null'
    const { body } = await admin.ask('POST', '/console/v2/sql?explain=true', { sql })
    const plan = JSON.stringify(body.data.rows[0]['QUERY PLAN'])
    expect(plan).toContain('"Relation Name":"companies"')
    expect(plan).toMatch(/"Filter":"[^"]*description IS NOT NULL/)
    expect(plan).not.toMatch(/\b[ao]_\d+\b/)
  })

  test('a member sees the tables of lists with access alone', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    await admin.ask('POST', '/console/v2/lists', list('board_only'))
    const sql = "select table_name from information_schema.tables where table_schema = 'lists'"
    const names = async (person: Person) =>
      (await person.ask('POST', '/console/v2/sql', { sql })).body.data.rows.map(
        ({ table_name }: { table_name: string }) => table_name,
      )
    expect(await names(admin)).toContain('board_only')
    expect(await names(member)).toEqual([])
    const { status, body } = await member.ask('POST', '/console/v2/sql', { sql: 'select * from lists.board_only' })
    expect([status, body.code]).toEqual([400, 'filter_error'])
  })
})
