/**
 * No response shows a private list to a key without `private_collection`, or to a member without access. A caller with access
 * sends each request as well and must get the list, so that no request passes because it never shows anything.
 * See docs/reference/lists-and-entries.md (Access to lists); docs/decisions/event-access.md.
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { matchEvents } from '#events/webhooks/match/match-events'
import { WEBHOOK_EVENT_TYPES } from '#vocabulary/event-types'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import { publishAll } from '#testing/events'
import type { Answer } from '#testing/client'
import { commentClient, input, onEntry } from '#testing/comments'
import { listClient } from '#testing/lists'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const VALUE = 'value nobody else reads'
const NAME = 'Name nobody else reads'
const SLUG = 'slug_nobody_reads'

interface Caller {
  ask(method: string, path: string, body?: unknown): Promise<Answer>
  /** The id of a webhook of this caller. */
  webhook: string
}

type Kind = 'key' | 'member'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let callers: Record<Kind, { seeing: Caller; other: Caller }>
/** Texts of the list that no response to the other caller may contain. */
let secrets: Record<'list' | 'entry' | 'attribute' | 'comment' | 'thread', string>
let ids: { record: string; webhook: string; delivery: string; endpoint: string }

beforeAll(async () => {
  const key = await service.keyWith(READ_WRITE_SCOPES.filter((scope) => !scope.startsWith('private_collection')))
  callers = {
    key: { seeing: await ofKey(service.key), other: await ofKey(key) },
    member: { seeing: await ofPerson(admin), other: await ofPerson(member) },
  }
  // The webhook was created while the member was an admin. Its events depend on the present access of the member.
  await fill()
})

async function ofKey(key: string): Promise<Caller> {
  const ask: Caller['ask'] = (method, path, body) => service.request(method, `/v2${path}`, body, { key })
  return { ask, webhook: await makeWebhook(ask) }
}

async function ofPerson(person: Person): Promise<Caller> {
  const ask: Caller['ask'] = (method, path, body) => person.ask(method, `/console/v2${path}`, body)
  const memberId = person.memberIds[service.workspaceId] ?? ''
  const setRole = async (role: string) => {
    await service.db.sql`update relata.workspace_members set access_level = ${role} where id = ${memberId}`
    await service.appContext.models.reload(service.workspaceId)
  }
  const role = person === admin ? 'admin' : 'member'
  await setRole('admin')
  const webhook = await makeWebhook(ask)
  await setRole(role)
  return { ask, webhook }
}

let made = 0
async function makeWebhook(ask: Caller['ask']): Promise<string> {
  const subscriptions = WEBHOOK_EVENT_TYPES.map((event_type) => ({
    event_type,
    filter: null,
    ...(event_type === 'list-entry.updated' && { include: ['values'] }),
  }))
  const data = { target_url: `https://example.com/${++made}`, subscriptions }
  const { status, body } = await ask('POST', '/webhooks', { data })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.id.webhook_id
}

/** Creates the list with everything that it can have, publishes its events and delivers them. */
async function fill(): Promise<void> {
  const lists = listClient(service)
  const record = await lists.record('people', { name: 'Ada Lovelace' })
  const members = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  await lists.list({ name: NAME, api_slug: SLUG, workspace_access: null, workspace_member_access: members })
  const { id: attributeId } = await lists.attribute(SLUG, 'note_nobody_reads')
  const entry = await lists.entry(SLUG, record, { note_nobody_reads: 'before' })
  await lists.update('PATCH', SLUG, entry, { note_nobody_reads: VALUE })
  const { id } = (await service.request('GET', `/v2/lists/${SLUG}`)).body.data
  await service.request('PATCH', `/v2/lists/${SLUG}`, { data: { workspace_access: 'read-only' } })
  await service.request('PATCH', `/v2/lists/${SLUG}`, { data: { workspace_access: null } })
  const comments = commentClient(service)
  const { id: commentId, thread_id } = await comments.comment(onEntry(SLUG, entry))
  for (const isResolved of [true, false]) await comments.resolve(commentId.comment_id, isResolved)
  const reply = await comments.comment({ thread_id })
  await comments.remove(reply.id.comment_id)
  const { comment_id: comment } = commentId
  secrets = { list: id.list_id, entry, attribute: attributeId.attribute_id, comment, thread: thread_id }
  await publishAll(service, matchEvents)
  await receive(record)
}

async function receive(record: string): Promise<void> {
  const { seeing } = callers.member
  const data = (await seeing.ask('POST', '/test_endpoints', { data: {} })).body.data
  const target_url = 'https://example.com/signed'
  const subscriptions = [{ event_type: 'list-entry.created', filter: null }]
  const webhook = (await seeing.ask('POST', '/webhooks', { data: { target_url, subscriptions } })).body.data
  const event = { event_type: 'list-entry.created', id: { list_id: secrets.list, entry_id: secrets.entry } }
  const body = JSON.stringify({ webhook_id: webhook.id.webhook_id, events: [event] })
  const signature = createHmac('sha256', webhook.secret).update(body).digest('hex')
  const url = data.url.replace('http://localhost:8080', 'http://localhost')
  for (const headers of [{ 'Relata-Signature': signature }, undefined]) {
    await service.app.handle(new Request(url, { method: 'POST', body, ...(headers && { headers }) }))
  }
  const path = `/webhooks/${seeing.webhook}/deliveries?event_type=list-entry.created`
  const [{ delivery_id }] = (await seeing.ask('GET', path)).body.data
  ids = { record, webhook: seeing.webhook, delivery: delivery_id, endpoint: data.test_endpoint_id }
}

const givesAway = ({ body }: Answer): boolean => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return [...Object.values(secrets), VALUE, NAME, SLUG].some((secret) => text.includes(secret))
}

type Read = readonly [name: string, method: string, path: (caller: Caller) => string, body?: object]

/** Requests that name the list. For a caller without access, the response is that of an unknown list. */
const NAMED: Read[] = [
  ['the list by its slug', 'GET', () => `/lists/${SLUG}`],
  ['the list by its id', 'GET', () => `/lists/${secrets.list}`],
  ['its attributes', 'GET', () => `/lists/${SLUG}/attributes`],
  ['one attribute', 'GET', () => `/lists/${secrets.list}/attributes/${secrets.attribute}`],
  ['its views', 'GET', () => `/lists/${SLUG}/views`],
  ['its entries', 'POST', () => `/lists/${SLUG}/entries/query`, {}],
  ['an entry', 'GET', () => `/lists/${SLUG}/entries/${secrets.entry}`],
  ['values of an entry', 'GET', () => `/lists/${SLUG}/entries/${secrets.entry}/attributes/note_nobody_reads/values`],
  ['a comment on an entry', 'GET', () => `/comments/${secrets.comment}`],
  ['its thread', 'GET', () => `/threads/${secrets.thread}`],
  ['the threads of an entry', 'GET', () => `/threads?list=${SLUG}&entry_id=${secrets.entry}`],
  ['resolving a comment', 'PATCH', () => `/comments/${secrets.comment}`, { data: { is_resolved: false } }],
  ['a delivery', 'GET', () => `/webhooks/${ids.webhook}/deliveries/${ids.delivery}`],
]

/** Requests whose responses contain only what the caller may see. */
const LISTED: Read[] = [
  ['the lists', 'GET', () => '/lists'],
  ['the suggestion for a wrong slug', 'GET', () => `/lists/${SLUG.slice(0, -1)}`],
  ['the entries of a record', 'GET', () => `/objects/people/records/${ids.record}/entries`],
  ['the activity of a record', 'GET', () => `/objects/people/records/${ids.record}/activity`],
  ['the feed', 'GET', () => '/events?limit=1000'],
  ['the feed of entries', 'GET', () => '/events?event_type=list-entry.created,list-entry.updated'],
  ['the feed of comments', 'GET', () => '/events?event_type=comment.created,comment.deleted,comment.resolved'],
  ['the stream', 'GET', () => '/events/stream?cursor=0.0'],
  ['requests at a test endpoint', 'GET', () => `/test_endpoints/${ids.endpoint}/requests`],
]

const deliveryIds = ({ body }: Answer): string[] => body.data.map((item: { delivery_id: string }) => item.delivery_id)
const kinds: Kind[] = ['key', 'member']

describe.each(kinds)('a %s that cannot see the list', (kind) => {
  test.each(NAMED)('404 for %s', async (...[, method, path, body]: Read) => {
    const { seeing, other } = callers[kind]
    expect((await seeing.ask(method, path(seeing), body)).status).toBe(200)
    expect((await other.ask(method, path(other), body)).status).toBe(404)
  })

  test.each(LISTED)('200 without the list in %s', async (...[, method, path, body]: Read) => {
    const { seeing, other } = callers[kind]
    expect(givesAway(await seeing.ask(method, path(seeing), body))).toBe(true)
    expect(givesAway(await other.ask(method, path(other), body))).toBe(false)
  })

  test('its own webhook gets no event of the list', async () => {
    const { seeing, other } = callers[kind]
    const sent = async ({ webhook }: Caller) => {
      const rows = await service.db.sql<{ body: string }[]>`
        select body from relata.deliveries where webhook_id = ${webhook}`
      return rows.map(({ body }) => body)
    }
    expect(givesAway({ ...(await seeing.ask('GET', '/lists')), body: await sent(seeing) })).toBe(true)
    const received = await sent(other)
    expect(received.length).toBeGreaterThan(0)
    expect(givesAway({ ...(await other.ask('GET', '/lists')), body: received })).toBe(false)
  })

  test('writing about the list is refused as for a list that does not exist', async () => {
    const { other } = callers[kind]
    const author = kind === 'member' ? (member.memberIds[service.workspaceId] ?? '') : service.member.id
    const comment = (of: object) => other.ask('POST', '/comments', { data: { ...input(author), ...of } })
    for (const of of [onEntry(SLUG, secrets.entry), { thread_id: secrets.thread }]) {
      const { status, body } = await comment(of)
      expect([status, body.code]).toEqual([400, 'value_not_found'])
    }
    expect((await other.ask('DELETE', `/comments/${secrets.comment}`)).status).toBe(404)
  })

  test('deliveries of the list are neither listed nor found by their content', async () => {
    const { seeing, other } = callers[kind]
    for (const query of ['event_type=list-entry.created', `record_id=${ids.record}`, `search=${secrets.entry}`]) {
      const path = `/webhooks/${ids.webhook}/deliveries?limit=200&${query}`
      expect(deliveryIds(await seeing.ask('GET', path))).toContain(ids.delivery)
      expect(deliveryIds(await other.ask('GET', path))).not.toContain(ids.delivery)
    }
  })

  test('200 without the list in searches', async () => {
    const { other } = callers[kind]
    for (const query of [NAME, VALUE, SLUG, secrets.entry]) {
      const body = { query, objects: ['people'], request_as: { type: 'workspace' } }
      expect((await other.ask('POST', '/objects/records/search', body)).body.data).toEqual([])
    }
  })
})

test('403 for a member who reads the audit log', async () => {
  const path = `/console/api/workspaces/${service.workspaceId}/audit-log`
  for (const each of [path, `${path}/export`]) {
    expect((await admin.ask('GET', each)).status).toBe(200)
    expect((await member.ask('GET', each)).status).toBe(403)
  }
})

describe('sending again', () => {
  test('404 for a delivery that the caller cannot see, and a replay leaves it out', async () => {
    const { seeing, other } = callers.member
    await admin.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { member_permissions: ['webhooks'] })
    const path = `/webhooks/${ids.webhook}/deliveries/${ids.delivery}/redeliver`
    expect((await other.ask('POST', path)).status).toBe(404)
    const count = async ({ ask }: Caller) => {
      const data = { from: '2020-01-01T00:00:00Z', status: 'any' }
      await service.db.sql`update relata.deliveries set status = 'failed', due_at = null`
      return (await ask('POST', `/webhooks/${ids.webhook}/replay`, { data })).body.data.redelivered
    }
    expect(await count(other)).toBeLessThan(await count(seeing))
  })
})
