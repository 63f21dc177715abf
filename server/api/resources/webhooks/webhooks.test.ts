import { beforeAll, describe, expect, test } from 'bun:test'
import { webhookRow } from '#events/webhooks/delivery'
import { createTargetPolicy } from '#events/webhooks/send/target'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'

const HOSTS: Readonly<Record<string, string>> = { 'example.com': '93.184.216.34', 'inside.example.com': '10.0.0.7' }

const resolve = async (host: string) => {
  const address = HOSTS[host]
  if (address === undefined) throw new Error('ENOTFOUND')
  return [{ address, family: 4 }]
}

const service = useTestService({}, () => ({ targets: createTargetPolicy({ allowPrivate: false, resolve }) }))
let people: string
beforeAll(async () => {
  people = (await service.request('GET', '/v2/objects/people')).body.data.id.object_id
})

let made = 0
/** Returns a new URL at each call, because an equal webhook is refused. */
const target = () => `https://example.com/hooks/${++made}`
const all = (event_type: string) => ({ event_type, filter: null })

const create = (data: object, key?: string) => service.request('POST', '/v2/webhooks', { data }, key ? { key } : {})

async function webhook(key?: string) {
  const { status, body } = await create({ target_url: target(), subscriptions: [all('record.created')] }, key)
  expect(status).toBe(200)
  return body.data
}

describe('POST /v2/webhooks', () => {
  test('200 with a secret that no other answer shows', async () => {
    const target_url = target()
    const subscriptions = WEBHOOK_EVENT_TYPES.map(all)
    const { status, body } = await create({ target_url, subscriptions })
    expect(status).toBe(200)
    const { secret, ...rest } = body.data
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(rest).toEqual({
      id: { workspace_id: service.workspaceId, webhook_id: expect.any(String) },
      target_url,
      subscriptions,
      status: 'active',
      created_at: expect.any(String),
    })
    const path = `/v2/webhooks/${rest.id.webhook_id}`
    expect((await service.request('GET', path)).body.data).toEqual(rest)
    const listed = (await service.request('GET', '/v2/webhooks?limit=100')).body.data
    expect(listed).toContainEqual(rest)
    const patched = await service.request('PATCH', path, { data: { subscriptions: [all('note.created')] } })
    expect(patched.body.data).toEqual({ ...rest, subscriptions: [all('note.created')] })
  })

  test('200 with a null filter for no filter, and with one event type twice', async () => {
    const filter = { $and: [{ field: 'actor.type', operator: 'equals', value: 'app' }] }
    const subscriptions = [{ event_type: 'record.created' }, { event_type: 'record.created', filter }]
    const { status, body } = await create({ target_url: target(), subscriptions })
    expect(status).toBe(200)
    expect(body.data.subscriptions).toEqual([all('record.created'), { event_type: 'record.created', filter }])
  })

  test('200 with filters, returned unchanged', async () => {
    const filter = { $and: [{ field: 'id.object_id', operator: 'equals', value: people }] }
    const other = { $or: [{ field: 'actor.type', operator: 'not_equals', value: 'system' }] }
    const subscriptions = [
      { event_type: 'record.created', filter },
      { event_type: 'record.deleted', filter: other },
    ]
    const { status, body } = await create({ target_url: target(), subscriptions })
    expect(status).toBe(200)
    expect(body.data.subscriptions).toEqual(subscriptions)
  })

  test.each(['$and', '$or'])('200 with an empty %s, returned unchanged', async (join) => {
    const subscriptions = [{ event_type: 'record.created', filter: { [join]: [] } }]
    const { status, body } = await create({ target_url: target(), subscriptions })
    expect(status).toBe(200)
    expect(body.data.subscriptions).toEqual(subscriptions)
    const path = `/v2/webhooks/${body.data.id.webhook_id}`
    expect((await service.request('GET', path)).body.data.subscriptions).toEqual(subscriptions)
    const patched = await service.request('PATCH', path, { data: { subscriptions } })
    expect(patched.body.data.subscriptions).toEqual(subscriptions)
    const { target_url } = body.data
    expect((await create({ target_url, subscriptions: [all('record.created')] })).status).toBe(409)
  })

  const condition = { field: 'id.object_id', operator: 'equals', value: 'x' }
  const withFilter = (filter: unknown) => ({
    target_url: 'https://example.com/x',
    subscriptions: [{ event_type: 'record.created', filter }],
  })
  const at = (...path: (string | number)[]) => ['data', ...path]
  const FILTER = at('subscriptions', 0, 'filter')
  const one = [all('record.created')]
  const refused: [name: string, data: object, issues: object[]][] = [
    [
      'an empty body',
      {},
      [
        { code: 'invalid_type', path: at('target_url'), message: 'Required' },
        { code: 'invalid_type', path: at('subscriptions'), message: 'Required' },
      ],
    ],
    ['http', { target_url: 'http://example.com', subscriptions: one }, [{ path: at('target_url') }]],
    ['no URL', { target_url: 'example.com', subscriptions: one }, [{ path: at('target_url') }]],
    ['credentials', { target_url: 'https://a:b@example.com', subscriptions: one }, [{ path: at('target_url') }]],
    ['a fragment', { target_url: 'https://example.com/#a', subscriptions: one }, [{ path: at('target_url') }]],
    [
      'an address inside',
      { target_url: 'https://inside.example.com', subscriptions: one },
      [{ path: at('target_url') }],
    ],
    ['loopback', { target_url: 'https://127.0.0.1/', subscriptions: one }, [{ path: at('target_url') }]],
    [
      'too long a target',
      { target_url: `https://example.com/${'x'.repeat(2048)}`, subscriptions: one },
      [{ path: at('target_url'), code: 'too_big' }],
    ],
    ['no subscription', { target_url: 'https://example.com', subscriptions: [] }, [{ path: at('subscriptions') }]],
    [
      'an unknown kind',
      { target_url: 'https://example.com', subscriptions: [all('object.created')] },
      [{ path: at('subscriptions', 0, 'event_type'), code: 'invalid_option' }],
    ],
    [
      'a kind of version 1',
      { target_url: 'https://example.com', subscriptions: [all('entry.created')] },
      [{ path: at('subscriptions', 0, 'event_type'), code: 'invalid_option' }],
    ],
    ['an empty filter', withFilter({}), [{ path: FILTER, code: 'invalid', message: 'Invalid input' }]],
    ['a filter that is text', withFilter('x'), [{ path: FILTER, code: 'invalid', message: 'Invalid input' }]],
    ['nesting', withFilter({ $and: [{ $or: [condition] }] }), [{ path: FILTER, code: 'invalid' }]],
    ['both', withFilter({ $and: [condition], $or: [condition] }), [{ path: FILTER, code: 'invalid' }]],
    ['an unknown operator', withFilter({ $and: [{ ...condition, operator: 'contains' }] }), [{ path: FILTER }]],
    ['a value that is not text', withFilter({ $and: [{ ...condition, value: 1 }] }), [{ path: FILTER }]],
    ['51 conditions', withFilter({ $or: Array.from({ length: 51 }, () => condition) }), [{ path: FILTER }]],
    [
      'a field the event does not have',
      withFilter({ $and: [{ ...condition, field: 'id.entry_id' }] }),
      [{ path: FILTER, code: 'invalid' }],
    ],
  ]
  test.each(refused)('400 for %s', async (_, data, issues) => {
    const { status, body } = await create(data)
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.validation_errors).toEqual(issues.map((issue) => expect.objectContaining(issue)))
  })

  test('400 for a filter by a slug, naming the id to use', async () => {
    const { status, body } = await create(withFilter({ $and: [{ ...condition, value: 'people' }] }))
    expect(status).toBe(400)
    expect(body.message).toContain(people)
  })

  const unrelated: [kind: string, event_type: string, field: string][] = [
    ['object', 'record.created', 'id.object_id'],
    ['object', 'list-entry.created', 'parent_object_id'],
    ['list', 'list-entry.created', 'id.list_id'],
    ['list', 'comment.created', 'list_id'],
    ['attribute', 'record.updated', 'id.attribute_id'],
  ]
  test.each(unrelated)('400 for an id that is not that of a %s, in %s at %s', async (kind, event_type, field) => {
    const filter = { $and: [{ field, operator: 'equals', value: crypto.randomUUID() }] }
    const { status, body } = await create({ target_url: target(), subscriptions: [{ event_type, filter }] })
    expect([status, body.code, body.message]).toEqual([400, 'validation_type', `Related ${kind} not found.`])
  })

  test('400 for a list that the caller cannot see', async () => {
    const key = await service.keyWith(['webhook:read-write'])
    const member = { workspace_member_id: service.member.id, level: 'full-access' }
    const list = { name: 'Secret', api_slug: 'secret', parent_object: 'people', workspace_access: null }
    const data = { ...list, workspace_member_access: [member] }
    const created = await service.request('POST', '/v2/lists', { data })
    const value = created.body.data.id.list_id
    const filter = { $and: [{ field: 'id.list_id', operator: 'equals', value }] }
    const { status, body } = await create(
      { target_url: target(), subscriptions: [{ event_type: 'list.updated', filter }] },
      key,
    )
    expect([status, body.message]).toEqual([400, 'Related list not found.'])

    const attribute = { title: 'Mark', description: null, api_slug: 'mark_of_secret', type: 'text', config: {} }
    const rest = { is_required: false, is_unique: false, is_multiselect: false }
    const hidden = await service.request('POST', '/v2/lists/secret/attributes', { data: { ...attribute, ...rest } })
    for (const named of ['mark_of_secret', hidden.body.data.id.attribute_id]) {
      const by = { $and: [{ field: 'id.attribute_id', operator: 'equals', value: named }] }
      const data = { target_url: target(), subscriptions: [{ event_type: 'list-entry.updated', filter: by }] }
      const answer = await create(data, key)
      expect([answer.status, answer.body.message]).toEqual([400, 'Related attribute not found.'])
    }
  })

  const where = (join: '$and' | '$or', ...values: string[]) => ({
    [join]: values.map((value) => ({ field: 'actor.type', operator: 'not_equals', value })),
  })
  const reordered = { $and: [{ value: 'app', operator: 'not_equals', field: 'actor.type' }] }
  const created = (filter: object | null) => ({ event_type: 'record.created', filter })
  const equal: [name: string, one: object, other: object][] = [
    ['no filter', created(null), { event_type: 'record.created' }],
    ['a filter without conditions', created(null), created({ $or: [] })],
    ['values', all('record.updated'), { ...all('record.updated'), include: ['values'] }],
    ['another order of keys', created(where('$and', 'app')), created(reordered)],
    ['another order of conditions', created(where('$and', 'app', 'system')), created(where('$and', 'system', 'app'))],
    ['a condition twice', created(where('$or', 'app', 'system')), created(where('$or', 'app', 'system', 'app'))],
    ['one condition', created(where('$and', 'app')), created(where('$or', 'app'))],
  ]
  test.each(equal)('409 for equal subscriptions: %s', async (_, one, other) => {
    const target_url = target()
    const key = await service.keyWith(['webhook:read-write', 'record_permission:read', 'object_configuration:read'])
    expect((await create({ target_url, subscriptions: [one] })).status).toBe(200)
    for (const caller of [undefined, key]) {
      const again = await create({ target_url, subscriptions: [all('note.created'), other] }, caller)
      expect([again.status, again.body.code]).toEqual([409, 'uniqueness_conflict'])
    }
    const twice = await create({ target_url: target(), subscriptions: [one, all('note.created'), other] })
    expect([twice.status, twice.body.code]).toEqual([409, 'uniqueness_conflict'])
  })

  test('200 for subscriptions that differ by target, event type, workspace or the join of conditions', async () => {
    const subscriptions = [created(where('$and', 'app', 'system')), created(where('$or', 'app', 'system')), created(null)]
    const target_url = target()
    expect((await create({ target_url, subscriptions })).status).toBe(200)
    expect((await create({ target_url: target(), subscriptions })).status).toBe(200)
    expect((await create({ target_url, subscriptions: [all('record.deleted')] })).status).toBe(200)
    const { key } = await service.anotherWorkspace()
    expect((await create({ target_url, subscriptions }, key)).status).toBe(200)
  }) // prettier-ignore

  test('409 for a change to a subscription of another webhook, also of an inactive one', async () => {
    const first = { target_url: target(), subscriptions: [all('record.created'), all('note.created')] }
    const { body } = await create(first)
    await service.db.sql`update relata.webhooks set status = 'inactive' where id = ${body.data.id.webhook_id}`
    const second = { target_url: target(), subscriptions: [all('note.created')] }
    const path = `/v2/webhooks/${(await create(second)).body.data.id.webhook_id}`
    for (const data of [{ target_url: first.target_url }, { ...first }]) {
      const refused = await service.request('PATCH', path, { data })
      expect([refused.status, refused.body.code]).toEqual([409, 'uniqueness_conflict'])
    }
    const twice = await service.request('PATCH', path, { data: { subscriptions: [all('note.created'), all('note.created')] } })
    expect([twice.status, (await service.request('GET', path)).body.data]).toMatchObject([409, second])
    const own = { target_url: second.target_url, subscriptions: [all('note.created'), all('note.deleted')] }
    expect((await service.request('PATCH', path, { data: own })).status).toBe(200)
    await service.request('DELETE', `/v2/webhooks/${body.data.id.webhook_id}`)
    expect((await service.request('PATCH', path, { data: first })).status).toBe(200)
  }) // prettier-ignore

  test('200 for a change of a webhook that is equal to another one since an earlier version', async () => {
    const data = { target_url: target(), subscriptions: [all('record.created'), all('note.created')] }
    const [one, other] = [await create(data), await create({ ...data, target_url: target() })]
    await service.db.sql`
      update relata.webhooks set target_url = ${data.target_url}, status = 'inactive' where id = ${other.body.data.id.webhook_id}`
    const path = `/v2/webhooks/${other.body.data.id.webhook_id}`
    expect((await service.request('PATCH', path, { data: { target_url: data.target_url } })).body.data.status).toBe('active')
    expect((await service.request('PATCH', path, { data: { subscriptions: data.subscriptions } })).status).toBe(200)
    expect((await service.request('PATCH', path, { data: { subscriptions: [all('note.created')] } })).status).toBe(200)
    const back = await service.request('PATCH', path, { data: { subscriptions: [all('record.created')] } })
    expect([one.status, back.status]).toEqual([200, 409])
  }) // prettier-ignore

  test('200 for one of several concurrent requests', async () => {
    const data = { target_url: target(), subscriptions: one }
    const keys = await Promise.all(Array.from({ length: 4 }, () => service.keyWith(['webhook:read-write'])))
    const answers = await Promise.all([undefined, ...keys].map((key) => create(data, key)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409])
  })
})

describe('GET /v2/webhooks', () => {
  test('200 with 10 webhooks by default, in the order of creation, only those of the key', async () => {
    const key = await service.keyWith(['webhook:read-write'])
    const made: string[] = []
    for (let count = 0; count < 12; count++) made.push((await webhook(key)).id.webhook_id)
    const page = async (query: string) => {
      const { status, body } = await service.request('GET', `/v2/webhooks${query}`, undefined, { key })
      expect(status).toBe(200)
      return body.data.map(({ id }: { id: { webhook_id: string } }) => id.webhook_id)
    }
    expect(await page('')).toEqual(made.slice(0, 10))
    expect(await page('?limit=1&offset=11')).toEqual(made.slice(11))
    expect(await page('?limit=100&offset=12')).toEqual([])
    for (const query of ['?limit=0', '?limit=101', '?limit=x', '?offset=-1']) {
      const { status, body } = await service.request('GET', `/v2/webhooks${query}`, undefined, { key })
      expect([status, body.code]).toEqual([400, 'validation_type'])
    }
  })
})

describe('/v2/webhooks/{webhook_id}', () => {
  test('404 for another key, another workspace and an unknown id; 400 for an id that is not a UUID', async () => {
    const { id } = await webhook()
    const key = await service.keyWith(['webhook:read-write'])
    const other = await service.anotherWorkspace()
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { data: { target_url: target() } } : undefined
      for (const options of [{ key }, { key: other.key }]) {
        expect((await service.request(method, `/v2/webhooks/${id.webhook_id}`, body, options)).status).toBe(404)
      }
      expect((await service.request(method, `/v2/webhooks/${crypto.randomUUID()}`, body)).status).toBe(404)
      expect((await service.request(method, '/v2/webhooks/first', body)).status).toBe(400)
    }
  })

  test('200 with its owner for members, 403 for a member who changes a webhook of an app', async () => {
    const { body } = await service.request('GET', `/v2/webhooks/${(await webhook()).id.webhook_id}`)
    expect(body.data).not.toHaveProperty('owner')
    const admin = await signedIn(service)
    const path = `/console/v2/webhooks/${body.data.id.webhook_id}`
    const seen = await admin.ask('GET', path)
    expect(seen.body.data).toMatchObject({ owner: { type: 'api-token', name: expect.any(String) }, degraded_at: null })
    expect((await admin.ask('PATCH', path, { data: { target_url: target() } })).status).toBe(403)
    const data = { target_url: target(), subscriptions: [all('record.created')] }
    const own = await admin.ask('POST', '/console/v2/webhooks', { data })
    expect(own.body.data.owner).toEqual({ type: 'workspace', name: null })
    await service.db
      .sql`update relata.webhooks set status = 'degraded', degraded_at = now() where id = ${own.body.data.id.webhook_id}`
    const listed = (await admin.ask('GET', '/console/v2/webhooks?limit=100')).body.data
    expect(listed.at(-1)).toMatchObject({ status: 'degraded', degraded_at: expect.stringContaining('T') })
  })

  test('200 for a key that reads a webhook of the workspace, 403 for one that changes it or sends its deliveries', async () => {
    const admin = await signedIn(service)
    const data = { target_url: target(), subscriptions: [all('record.created')] }
    const created = (await admin.ask('POST', '/console/v2/webhooks', { data })).body.data
    const path = `/v2/webhooks/${created.id.webhook_id}`
    const test = { data: { event_type: 'record.created' } }
    const { delivery_id } = (await admin.ask('POST', `/console${path}/test`, test)).body.data
    for (const read of ['', '/deliveries', `/deliveries/${delivery_id}`, '/statistics'])
      expect([read, (await service.request('GET', path + read)).status]).toEqual([read, 200])
    const changes = [
      ['PATCH', '', { data: { target_url: target() } }],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/test', test],
      ['POST', '/replay', { data: { from: '2020-01-01T00:00:00Z', status: 'any' } }],
      ['POST', `/deliveries/${delivery_id}/redeliver`],
    ] as const
    for (const [method, change, body] of changes) {
      const { status, body: refused } = await service.request(method, path + change, body)
      expect([change, status, refused.code]).toEqual([change, 403, 'unauthorized'])
    }
    expect((await service.request('GET', path)).body.data.target_url).toBe(data.target_url)
    const deliveries = (await admin.ask('GET', `/console${path}/deliveries`)).body.data
    expect(deliveries).toHaveLength(1)
    expect((await admin.ask('PATCH', `/console${path}`, { data: { target_url: target() } })).status).toBe(200)
  })

  test('200 for an admin who tests and replays a webhook of a key', async () => {
    const admin = await signedIn(service)
    const path = `/console/v2/webhooks/${(await webhook()).id.webhook_id}`
    expect((await admin.ask('POST', `${path}/test`, { data: { event_type: 'record.created' } })).status).toBe(200)
    expect((await admin.ask('POST', `${path}/replay`, { data: { from: '2020-01-01T00:00:00Z' } })).status).toBe(200)
  })

  test('200 for a change, which makes an inactive webhook active', async () => {
    const { id } = await webhook()
    await service.db
      .sql`update relata.webhooks set status = 'inactive', degraded_at = now() where id = ${id.webhook_id}`
    const path = `/v2/webhooks/${id.webhook_id}`
    expect((await service.request('GET', path)).body.data.status).toBe('inactive')
    const { body } = await service.request('PATCH', path, { data: { target_url: target() } })
    expect(body.data.status).toBe('active')
  })

  test('200 with a name, which a change of the name alone replaces or removes', async () => {
    const subscriptions = [all('note.created')]
    const { body } = await create({ name: 'Billing', target_url: target(), subscriptions })
    expect(body.data.name).toBe('Billing')
    const path = `/v2/webhooks/${body.data.id.webhook_id}`
    const change = async (data: object) => (await service.request('PATCH', path, { data })).body.data
    expect(await change({ status: 'inactive' })).toMatchObject({ name: 'Billing', status: 'inactive' })
    expect(await change({ name: 'Invoices' })).toMatchObject({ name: 'Invoices', status: 'inactive' })
    const unnamed = await change({ name: null })
    expect([Object.hasOwn(unnamed, 'name'), unnamed.status]).toEqual([false, 'inactive'])
    expect(await change({ subscriptions })).toMatchObject({ status: 'active' })
  })

  test('200 for a paused webhook, whose pending deliveries are dropped', async () => {
    const { id } = await webhook()
    const path = `/v2/webhooks/${id.webhook_id}`
    await service.db.sql`
      insert into relata.deliveries
        (workspace_id, webhook_id, id, position, event_type, kind, idempotency_key, body, attempts, due_at, created_at)
      values
        (${service.workspaceId}, ${id.webhook_id}, ${crypto.randomUUID()}, 0, 'record.created', 'event', ${crypto.randomUUID()}, '{}',
        1, now() + interval '1 hour', now())`
    const paused = await service.request('PATCH', path, { data: { status: 'inactive', target_url: target() } })
    expect([paused.status, paused.body.data.status]).toEqual([200, 'inactive'])
    const [delivery] = await service.db.sql`
      select status, due_at, finished_at from relata.deliveries where webhook_id = ${id.webhook_id}`
    expect(delivery).toEqual({ status: 'dropped', due_at: null, finished_at: expect.anything() })
    expect((await service.request('PATCH', path, { data: { status: 'active' } })).body.data.status).toBe('active')
  })

  test('400 for an empty change and an invalid one', async () => {
    const { id } = await webhook()
    const invalid = [{ name: ' ' }, { name: 'x'.repeat(256) }, { name: 7 }, { status: 'degraded' }, { status: null }]
    for (const data of [{}, { target_url: 'ftp://x' }, { subscriptions: [] }, ...invalid]) {
      const { status, body } = await service.request('PATCH', `/v2/webhooks/${id.webhook_id}`, { data })
      expect([status, body.code]).toEqual([400, 'validation_type'])
    }
  })

  test('200 deletes it, then 404', async () => {
    const { id } = await webhook()
    const path = `/v2/webhooks/${id.webhook_id}`
    const deleted = await service.request('DELETE', path)
    expect([deleted.status, deleted.body]).toEqual([200, {}])
    expect((await service.request('GET', path)).status).toBe(404)
  })

  test('200 with a new secret, which is shown once; the old one signs for a day', async () => {
    const { id, secret } = await webhook()
    const { status, body } = await service.request('POST', `/v2/webhooks/${id.webhook_id}/rotate-secret`)
    expect(status).toBe(200)
    expect(body.data.secret).toMatch(/^[0-9a-f]{64}$/)
    expect(body.data.secret).not.toBe(secret)
    const [row] = await service.db.sql`select * from relata.webhooks where id = ${id.webhook_id}`
    const secretRow = webhookRow(service.workspaceId, id.webhook_id)
    const stored = [row?.secret, row?.previous_secret].map((text) => service.db.secrets.decrypt(secretRow, text))
    expect(stored).toEqual([body.data.secret, secret])
  })
})
