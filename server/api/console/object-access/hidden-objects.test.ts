/**
 * Everything of a hidden object is absent from every answer that its members get: at the console, with a key, and with a token
 * of an app. An admin sends each request as well and must see it. See docs/access.md (Access to objects).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createToken } from '#access/tokens/tokens'
import { createActor } from '#access/members/actors'
import { publishAll } from '#testing/events'
import { runWorker } from '#testing/workers'
import { digestWorker } from '#crm/email/digests/send-digests'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { attributeInput } from '#testing/attributes'
import { input } from '#testing/comments'
import { fileClient } from '#testing/files'
import { listInput } from '#testing/lists'
import { meetingInput } from '#testing/meetings'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { taskInput } from '#testing/tasks'
import { matchEvents } from '#events/webhooks/match/match-events'
import { runDeliveryWorker } from '#events/webhooks/queue/worker'
import type { Send } from '#events/webhooks/send/send-request'

const SECRET = 'planted zebra'
const OBJECT = 'planted_things'
const LIST = 'planted_list'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let root: string
/** The ids by the name of the path parameter that takes them. */
const ids: Record<string, string[]> = {}
/** Texts that no answer to the member may contain. */
const secrets = [SECRET, OBJECT, LIST, 'planted_link']
let person: string

beforeAll(async () => {
  root = `/console/api/workspaces/${service.workspaceId}`
  await service.appContext.models.reload(service.workspaceId)
  await plant()
  expect((await set('hidden')).status).toBe(200)
})

const set = (members: string) => admin.ask('PUT', `${root}/objects/${OBJECT}/access`, { members, teams: [] })
const memberId = () => member.memberIds[service.workspaceId] ?? ''

async function send(method: string, path: string, data: unknown, by = admin) {
  const { status, body } = await by.ask(method, `/console/v2${path}`, data)
  if (status > 202) throw new Error(`${method} ${path} answered ${status}: ${body.message}`)
  return body.data
}

/** Adds the id to those that the sweep puts into paths. */
const remember = (name: string, id: string, isSecret = true): string => {
  ids[name] = [...(ids[name] ?? []), id]
  if (isSecret) secrets.push(id)
  return id
}

/** Makes a hidden record with everything that refers to it, and a visible person that refers to it. */
async function plant(): Promise<void> {
  const webhook = await webhookOf(member)
  const nouns = { singular_noun: 'Planted thing', plural_noun: 'Planted things' }
  const object = await send('POST', '/objects', { data: { api_slug: OBJECT, ...nouns } })
  remember('object_id', object.id.object_id)
  await send('POST', `/objects/${OBJECT}/attributes`, { data: attributeInput({ api_slug: 'name' }) })
  const record = remember('record_id', await newRecord(OBJECT, { name: SECRET }))
  await send('POST', '/objects/people/attributes', {
    data: {
      ...attributeInput({ api_slug: 'planted_link', type: 'record-reference' }),
      config: { record_reference: { allowed_objects: [OBJECT] } },
      relationship: { object: OBJECT, title: 'People', api_slug: 'people', is_multiselect: true },
    },
  })
  for (const [api_slug, is_multiselect] of [
    ['mixed', true],
    ['mixed_single', false],
  ] as const)
    // prettier-ignore
    await send('POST', '/objects/people/attributes', {
      data: attributeInput({
        api_slug,
        is_multiselect,
        type: 'record-reference',
        config: { record_reference: { allowed_objects: [OBJECT, 'companies'] } },
      }),
    })
  const company = await newRecord('companies', { name: 'Open' })
  const reference = { target_object: OBJECT, target_record_id: record }
  person = await newRecord('people', { planted_link: reference })
  const open = { target_object: 'companies', target_record_id: company }
  await send('PATCH', `/objects/people/records/${person}`, {
    data: { values: { mixed: [reference, open], mixed_single: reference } },
  })
  remember('record_id', person, false)
  remember('webhook_id', webhook, false)
  await attach(record)
  await publishAll(service, matchEvents)
  const rows = await service.db.sql<{ id: string; body: string }[]>`select id, body from relata.deliveries`
  for (const { id } of rows) remember('delivery_id', id, false)
}

const newRecord = async (object: string, values: object): Promise<string> =>
  (await send('POST', `/objects/${object}/records`, { data: { values } })).id.record_id

async function attach(record: string): Promise<void> {
  const of = { object: OBJECT, record_id: record }
  const parent = { parent_object: OBJECT, parent_record_id: record }
  const noted = { ...parent, title: SECRET, format: 'markdown', content: SECRET }
  remember('note_id', (await send('POST', '/notes', { data: noted })).id.note_id)
  const list = listInput({ name: SECRET, api_slug: LIST, parent_object: OBJECT })
  remember('list_id', (await send('POST', '/lists', { data: list })).id.list_id)
  const entry = await send('POST', `/lists/${LIST}/entries`, { data: { ...parent, entry_values: {} } })
  remember('entry_id', entry.id.entry_id)
  const author = input(admin.memberIds[service.workspaceId] ?? '')
  const content = `${SECRET} ${member.email_address}`
  for (const subject of [{ record: of }, { entry: { list: LIST, entry_id: entry.id.entry_id } }]) {
    const comment = await send('POST', '/comments', { data: { ...author, content, ...subject } })
    remember('comment_id', comment.id.comment_id)
    remember('thread_id', comment.thread_id)
  }
  const folder = { ...of, file_type: 'folder', name: SECRET }
  remember('file_id', (await admin.ask('POST', '/console/v2/files', folder)).body.data.id.file_id)
  remember('file_id', await fileClient(service, OBJECT).file(record, { name: `${SECRET}.txt` }))
  const task = await send('POST', '/tasks', { data: taskInput({ linked_records: [of, personOf()].map(asTarget) }) })
  remember('task_id', task.id.task_id, false)
  const meeting = await send('POST', '/meetings', { data: meetingInput({ linked_records: [of, personOf()] }) })
  remember('meeting_id', meeting.id.meeting_id, false)
  const path = [['people', 'planted_link'], [OBJECT, 'name']] // prettier-ignore
  const filter = { path, constraints: { $eq: SECRET } }
  const view = await send('POST', '/objects/people/views', { data: { title: SECRET, type: 'table', filter } })
  remember('view_id', view.id.view_id)
  const job = { data: { filter: {}, operation: { op: 'update', values: { name: SECRET } } } }
  remember('job_id', (await send('POST', `/objects/${OBJECT}/records/bulk`, job, member)).id.job_id)
}

const personOf = () => ({ object: 'people', record_id: person })
const asTarget = ({ object, record_id }: { object: string; record_id: string }) => ({
  target_object: object,
  target_record_id: record_id,
})

/** A webhook for all events with values, which the person saved last. */
async function webhookOf({ memberIds }: Person): Promise<string> {
  const subscriptions = WEBHOOK_EVENT_TYPES.map((event_type) => ({
    event_type,
    filter: null,
    ...(event_type === 'record.updated' && { include: ['values'] }),
  }))
  const { id } = await send('POST', '/webhooks', { data: { target_url: 'https://example.com/x', subscriptions } })
  await service.db.sql`
    update relata.webhooks w set saved_by = a.number from relata.actors a
    where a.workspace_id = w.workspace_id and a.id = ${memberIds[service.workspaceId] ?? ''} and w.id = ${id.webhook_id}`
  return id.webhook_id
}

/** The paths of all routes that read, with every id in the place of each parameter. */
function paths(): string[] {
  const lists: Record<string, readonly string[]> = {
    object: [OBJECT, 'people'],
    list: [LIST],
    attribute: ['name', 'planted_link', 'mixed', 'mixed_single', 'people'],
    workspace_id: [service.workspaceId],
    workspace_member_id: [memberId()],
    ...ids,
  }
  const routes = service.app.routes.filter(
    ({ method, path }) =>
      method === 'GET' && /^\/(?:v2|console\/api\/workspaces)/.test(path) && !path.endsWith('stream'),
  )
  const fill = (path: string): string[] => {
    const name = /:(\w+)/.exec(path)?.[1]
    if (name === undefined) return [path]
    return (lists[name] ?? []).flatMap((id) => fill(path.replace(`:${name}`, id)))
  }
  const [hidden = '', ofPerson = ''] = ids.record_id ?? []
  const ofRecord = (object: string, id: string) => [
    `/v2/files?object=${object}&record_id=${id}`,
    `/v2/threads?object=${object}&record_id=${id}`,
    `/v2/notes?parent_object=${object}&parent_record_id=${id}`,
    `/v2/tasks?linked_object=${object}&linked_record_id=${id}`,
    `/v2/meetings?linked_object=${object}&linked_record_id=${id}`,
    `/v2/objects/${object}/records/${id}/attributes/mixed/values?show_historic=true`,
  ]
  return [
    ...routes.flatMap(({ path }) => fill(path)),
    ...ofRecord(OBJECT, hidden),
    ...ofRecord('people', ofPerson),
    '/v2/notes?search=planted',
    '/v2/notes?sort=created_at:desc&limit=1',
    `/v2/threads?list=${LIST}&entry_id=${ids.entry_id?.[0]}`,
    '/v2/events/stream?cursor=0.0',
  ]
}

const query = (filter: object) => ['POST', '/v2/objects/people/records/query', { filter }] as const

/** Reads by POST. The two sides of a comparison with a hidden value must not differ from an absent value. */
const posts = () => [
  ['POST', `/v2/objects/${OBJECT}/records/query`, {}] as const,
  ['POST', `/v2/lists/${LIST}/entries/query`, {}] as const,
  query({}),
  query({ planted_link: { $not_empty: true } }),
  query({ path: [['people', 'mixed'], [OBJECT, 'name']], constraints: { $eq: SECRET } }), // prettier-ignore
  [
    'POST',
    '/v2/objects/records/search',
    { query: 'planted', objects: ['people'], request_as: { type: 'workspace' } },
  ] as const,
  [
    'POST',
    '/v2/objects/records/search',
    { query: 'planted', objects: [OBJECT], request_as: { type: 'workspace' } },
  ] as const,
  ['POST', '/v2/sql', { sql: 'select * from people' }] as const,
  ['POST', '/v2/sql', { sql: `select * from ${OBJECT}` }] as const,
  ['POST', '/v2/sql', { sql: 'select * from information_schema.columns' }] as const,
]

interface Caller {
  readonly ask: (method: string, path: string, body?: unknown) => Promise<{ status: number; body: unknown }>
  /** The beginnings of the paths that the caller may request. */
  readonly reaches: RegExp
}

const atConsole = (by: Person): Caller => ({
  ask: (method, path, body) => by.ask(method, path.startsWith('/v2') ? `/console${path}` : path, body),
  reaches: /^/,
})

async function withToken(type: 'api-token' | 'app'): Promise<Caller> {
  const { db, workspaceId, appContext } = service
  const granted = { workspaceId, name: 'x', scopes: READ_WRITE_SCOPES, authorizedBy: memberId(), now: appContext.now() }
  const { id, token: key } = await createToken(db, granted)
  if (type === 'app') {
    const actor = await db.sql.begin((tx) => createActor(tx, workspaceId, 'app', crypto.randomUUID()))
    await db.sql`update relata.tokens set actor = ${Number(actor)} where id = ${id}`
  }
  await appContext.models.reload(workspaceId)
  return { ask: (method, path, body) => service.request(method, path, body, { key }), reaches: /^\/v2/ }
}

/** The secrets that answers contain, beside those that the request itself names. */
function givenAway(path: string, body: unknown): string[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return secrets.filter((secret) => text.includes(secret) && !path.includes(secret))
}

const CALLERS: [name: string, () => Promise<Caller>][] = [
  ['a member at the console', async () => atConsole(member)],
  ['a key of a member', () => withToken('api-token')],
  ['an app of a member', () => withToken('app')],
]

describe.each(CALLERS)('%s', (_, caller) => {
  test('sees nothing of a hidden object in any answer', async () => {
    const { ask, reaches } = await caller()
    for (const path of paths().filter((each) => reaches.test(each))) {
      const { status, body } = await ask('GET', path)
      expect([path, status === 500, givenAway(path, body)]).toEqual([path, false, []])
    }
    for (const [method, path, body] of posts()) {
      const answer = await ask(method, path, body)
      const sent = path + JSON.stringify(body)
      expect([sent, answer.status === 500, givenAway(sent, answer.body)]).toEqual([sent, false, []])
    }
  })
})

test('an admin sees it in most answers', async () => {
  const { ask } = atConsole(admin)
  const found = new Set<string>()
  for (const path of paths()) if (givenAway('', (await ask('GET', path)).body).length > 0) found.add(path)
  for (const [method, path, body] of posts())
    if (givenAway('', (await ask(method, path, body)).body).length > 0) found.add(path + JSON.stringify(body))
  expect(found.size).toBeGreaterThan(60)
})

test('404 for the content of a hidden file, and for reading a hidden notification', async () => {
  const content = `${root}/files/${ids.file_id?.[1]}/content`
  expect([(await admin.ask('GET', content)).status, (await member.ask('GET', content)).status]).toEqual([302, 404])
  const [{ id }] = await service.db.sql<[{ id: string }]>`select id from relata.notifications`
  expect((await member.ask('POST', `${root}/inbox/${id}/read`)).status).toBe(404)
})

test('values that refer to hidden records count as absent', async () => {
  const count = async (by: Person, filter: object): Promise<number> =>
    (await by.ask('POST', '/console/v2/objects/people/records/query', { filter })).body.data.length
  const [hidden] = ids.record_id ?? []
  for (const attribute of ['mixed', 'mixed_single']) {
    const filter = { [attribute]: { target_record_id: { $eq: hidden } } }
    expect([await count(admin, filter), await count(member, filter)]).toEqual([1, 0])
    expect(await count(member, { [attribute]: { target_record_id: { $in: [hidden] } } })).toBe(0)
  }
  const present = { mixed_single: { $not_empty: true } }
  expect([await count(admin, present), await count(member, present)]).toEqual([1, 0])
  expect(await count(member, { mixed: { $not_empty: true } })).toBe(1)
})

test('deliveries that waited for a webhook of the member are sent without it, or dropped', async () => {
  const { db, appContext } = service
  const sent: string[] = []
  const send: Send = async ({ body }) => {
    sent.push(body)
    return { status: 200, headers: {}, body: '', problem: undefined, duration: 1, address: undefined }
  }
  const sending = { send, brand: 'relata', docsUrl: 'http://localhost/docs', perSecond: 0 }
  const worker = runDeliveryWorker({ db, now: appContext.now, name: crypto.randomUUID(), sending, lingerMs: 0 })
  await worker.settled()
  await worker.stop()
  expect(sent.some((body) => body.includes(person))).toBe(true)
  expect(sent.flatMap((body) => givenAway('', body))).toEqual([])
  const rows = await db.sql<{ status: string; count: number }[]>`
    select status, count(*)::int as count from relata.deliveries group by 1 order by 1`
  expect([...rows]).toEqual([
    { status: 'dropped', count: expect.any(Number) },
    { status: 'succeeded', count: sent.length },
  ])
})

test('a webhook of the member gets no event of it', async () => {
  const [hidden = '', visible = ''] = ids.record_id ?? []
  await service.db.sql`delete from relata.deliveries`
  await send('PATCH', `/objects/${OBJECT}/records/${hidden}`, { data: { values: { name: `${SECRET} 2` } } })
  const company = await newRecord('companies', { name: 'Another' })
  const mixed = [{ target_object: OBJECT, target_record_id: hidden }, { target_object: 'companies', target_record_id: company }] // prettier-ignore
  await service.request('PUT', `/v2/objects/people/records/${visible}`, { data: { values: { mixed } } })
  await publishAll(service, matchEvents)
  const rows = await service.db.sql<{ body: string }[]>`select body from relata.deliveries`
  const deliveries = rows.map(({ body }) => body)
  expect(deliveries.some((body) => body.includes(company))).toBe(true)
  expect(deliveries.flatMap((body) => givenAway('', body))).toEqual([])
})

test('an email about notifications has none of it', async () => {
  const { db, appContext } = service
  await db.sql`update relata.inboxes set due_at = now() - interval '1 hour'`
  const sent: string[] = []
  const mail = { isDelivered: true, send: async ({ text }: { text: string }) => void sent.push(text), close() {} }
  await runWorker(digestWorker, { ...appContext, mail: mail as never })
  expect(sent.flatMap((text) => givenAway('', text))).toEqual([])
  const inbox = (await member.ask('GET', `${root}/inbox`)).body
  expect([inbox.data, inbox.unread_count]).toEqual([[], 0])
})
