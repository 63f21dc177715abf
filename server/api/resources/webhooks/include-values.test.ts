/**
 * The events of webhooks whose subscriptions include values.
 * See docs/reference/webhooks-and-events.md (Values in events); docs/decisions/webhooks.md.
 */

import { beforeEach, describe, expect, test } from 'bun:test'
import { matchEvents } from '#events/webhooks/match/match-events'
import type { Scope } from '#vocabulary/scopes'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'

const service = useTestService()
beforeEach(async () => {
  await publish()
  await service.db.sql`delete from relata.webhooks`
})

const publish = async () => {
  await publishAll(service, matchEvents)
}

let made = 0
type Subscription = Readonly<Record<string, unknown>>
const asking = (event_type: string, more: object = {}): Subscription => {
  return { event_type, filter: null, include: ['values'], ...more }
}
const data = (...subscriptions: Subscription[]) => ({
  target_url: `https://example.com/hooks/${++made}`,
  subscriptions,
})

async function webhook(...subscriptions: Subscription[]): Promise<string> {
  const { status, body } = await service.request('POST', '/v2/webhooks', { data: data(...subscriptions) })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.id.webhook_id
}

/** Returns the bodies that the webhook received, the oldest first. */
async function bodiesFor(id: string): Promise<string[]> {
  await publish()
  const { body } = await service.request('GET', `/v2/webhooks/${id}/deliveries`)
  const ids: string[] = body.data.map(({ delivery_id }: { delivery_id: string }) => delivery_id).toReversed()
  const path = `/v2/webhooks/${id}/deliveries/`
  return Promise.all(ids.map(async (each) => (await service.request('GET', path + each)).body.data.body))
}

const eventsIn = async (id: string) => (await bodiesFor(id)).map((body) => JSON.parse(body).events[0])

const ask = async (method: string, path: string, body?: object) => {
  const answer = await service.request(method, path, body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data
}

const person = async (values: object) =>
  (await ask('POST', '/v2/objects/people/records', { data: { values } })).id.record_id as string
const change = (id: string, values: object, method = 'PATCH') =>
  ask(method, `/v2/objects/people/records/${id}`, { data: { values } })
const valuesOf = async (id: string, attribute: string) =>
  (await ask('GET', `/v2/objects/people/records/${id}`)).values[attribute]

describe('POST /v2/webhooks', () => {
  test('200 with include, which an update without it removes', async () => {
    const id = await webhook(asking('record.updated'), { event_type: 'record.created', include: [] })
    const path = `/v2/webhooks/${id}`
    const plain = { event_type: 'record.created', filter: null }
    expect((await ask('GET', path)).subscriptions).toEqual([asking('record.updated'), plain])
    const subscriptions = [{ event_type: 'record.updated', filter: null }]
    expect((await ask('PATCH', path, { data: { subscriptions } })).subscriptions).toEqual(subscriptions)
  })

  test('409 for an equal subscription, also for one that includes less', async () => {
    const input = data(asking('record.updated'))
    expect((await service.request('POST', '/v2/webhooks', { data: input })).status).toBe(200)
    expect((await service.request('POST', '/v2/webhooks', { data: input })).status).toBe(409)
    const less = { ...input, subscriptions: [{ event_type: 'record.updated', filter: null }] }
    expect((await service.request('POST', '/v2/webhooks', { data: less })).status).toBe(409)
  })

  test.each([
    ['events that change no values', asking('record.created'), ['data', 'subscriptions', 0, 'include']],
    ['an unknown part', asking('record.updated', { include: ['names'] }), undefined],
    ['the same twice', asking('record.updated', { include: ['values', 'values'] }), undefined],
    ['no list', asking('record.updated', { include: 'values' }), undefined],
  ])('400 for %s', async (_, subscription, path) => {
    const { status, body } = await service.request('POST', '/v2/webhooks', { data: data(subscription) })
    expect([status, body.code]).toEqual([400, 'validation_type'])
    if (path !== undefined) expect(body.validation_errors[0]).toMatchObject({ code: 'invalid', path })
  })

  const reading: [event: string, scopes: Scope[], status: number][] = [
    ['record.updated', ['webhook:read-write'], 403],
    ['record.updated', ['webhook:read-write', 'record_permission:read'], 403],
    ['record.updated', ['webhook:read-write', 'record_permission:read', 'object_configuration:read'], 200],
    ['list-entry.updated', ['webhook:read-write', 'record_permission:read', 'object_configuration:read'], 403],
    ['list-entry.updated', ['webhook:read-write', 'list_entry:read-write', 'list_configuration:read'], 200],
  ]
  test.each(reading)('values of %s for a key with %j: %d', async (event, scopes, status) => {
    const key = await service.keyWith(scopes)
    const answer = await service.request('POST', '/v2/webhooks', { data: data(asking(event)) }, { key })
    expect(answer.status).toBe(status)
  })
})

describe('record.updated', () => {
  test('has the values that the API returned before and after the write, also after later writes', async () => {
    const id = await webhook(asking('record.updated'))
    const ada = await person({ job_title: 'Analyst', email_addresses: ['a@mail.example.com'] })
    const [title, addresses] = [await valuesOf(ada, 'job_title'), await valuesOf(ada, 'email_addresses')]
    await change(ada, { job_title: 'Head', email_addresses: ['b@mail.example.com'] })
    const after = [await valuesOf(ada, 'job_title'), await valuesOf(ada, 'email_addresses')]
    await change(ada, { job_title: null })
    await ask('DELETE', `/v2/objects/people/records/${ada}`)
    const events = await eventsIn(id)
    expect(events.map(({ previous_values, new_values }) => [previous_values, new_values])).toEqual([
      [title, after[0]],
      [addresses, after[1]],
      [after[0], []],
    ])
    expect(after[1]).toHaveLength(2)
  })

  test('is the same, byte for byte, for subscriptions without values and in the feed', async () => {
    const plain = await webhook({ event_type: 'record.updated', filter: null })
    const object_id = (await ask('GET', '/v2/objects/companies')).id.object_id
    const filter = { $and: [{ field: 'id.object_id', operator: 'equals', value: object_id }] }
    const partly = await webhook(asking('record.updated', { filter }), { event_type: 'record.updated', filter: null })
    const ada = await person({ job_title: 'Analyst' })
    await change(ada, { job_title: 'Head' })
    const [sent = ''] = await bodiesFor(plain)
    const event = JSON.parse(sent).events[0]
    expect(Object.keys(event)).toEqual(['event_type', 'id', 'actor'])
    expect(sent).toBe(JSON.stringify({ webhook_id: plain, events: [event] }))
    expect(await eventsIn(partly)).toEqual([event])
    const [{ body }] = await service.db.sql<[{ body: string }]>`
      select body from relata.events order by position desc limit 1`
    expect(body).toBe(JSON.stringify(event))
  })

  test('is sent once, with values, when it matches one subscription with values and one without', async () => {
    const filter = { $and: [{ field: 'id.workspace_id', operator: 'equals', value: service.workspaceId }] }
    const id = await webhook({ event_type: 'record.updated', filter }, asking('record.updated'))
    const ada = await person({ job_title: 'Analyst' })
    await change(ada, { job_title: 'Head' })
    const events = await eventsIn(id)
    expect(events).toHaveLength(1)
    expect(events[0].new_values[0].value).toBe('Head')
  })

  test('has null for values that the other side of a relationship changed, and for values that are too long', async () => {
    const id = await webhook(asking('record.updated'))
    const company = (await ask('POST', '/v2/objects/companies/records', { data: { values: { name: 'A' } } })).id
      .record_id
    const ada = await person({ name: 'Ada Lovelace' })
    await change(ada, { company })
    await change(ada, { description: 'x'.repeat(70_000) })
    const [own, other, long] = await eventsIn(id)
    expect([own.previous_values, own.new_values[0].target_record_id]).toEqual([[], company])
    expect([other.actor.type, other.previous_values, other.new_values]).toEqual(['system', null, null])
    expect([long.previous_values, long.new_values]).toEqual([null, null])
  })

  test('is not sent when the owner of the webhook may not read records any more', async () => {
    const key = await service.keyWith(['webhook:read-write', 'record_permission:read', 'object_configuration:read'])
    const input = { data: data(asking('record.updated')) }
    const { id } = (await service.request('POST', '/v2/webhooks', input, { key })).body.data
    const ada = await person({ job_title: 'Analyst' })
    await change(ada, { job_title: 'Head' })
    await publish()
    await service.db.sql`update relata.tokens set scopes = '{webhook:read-write}'
      where client_id = (select client_id from relata.webhooks where id = ${id.webhook_id})`
    await change(ada, { job_title: 'Countess' })
    const events = await publish().then(() => bodiesOf(id.webhook_id))
    expect(events).toHaveLength(1)
    expect(events[0].new_values[0].value).toBe('Head')
  })
})

/** Returns the bodies for a webhook that the key of this test cannot see. */
async function bodiesOf(id: string) {
  const rows = await service.db.sql<{ body: string }[]>`
    select body from relata.deliveries where webhook_id = ${id} order by id`
  return rows.map(({ body }) => JSON.parse(body).events[0])
}

describe('list-entry.updated', () => {
  async function list(api_slug: string, workspace_access: string | null) {
    const access = workspace_access === null ? [{ workspace_member_id: service.member.id, level: 'full-access' }] : []
    const workspace_member_access = access
    await ask('POST', '/v2/lists', {
      data: { name: api_slug, api_slug, parent_object: 'people', workspace_access, workspace_member_access },
    })
    const attribute = { title: 'Mark', description: '', api_slug: 'mark', type: 'text', config: {} }
    const rest = { is_required: false, is_unique: false, is_multiselect: false }
    await ask('POST', `/v2/lists/${api_slug}/attributes`, { data: { ...attribute, ...rest } })
    const parent_record_id = await person({})
    const entry = { parent_object: 'people', parent_record_id, entry_values: { mark: 'one' } }
    const { entry_id } = (await ask('POST', `/v2/lists/${api_slug}/entries`, { data: entry })).id
    await ask('PATCH', `/v2/lists/${api_slug}/entries/${entry_id}`, { data: { entry_values: { mark: 'two' } } })
  }

  test('has values for lists that the workspace can see, and null for private lists', async () => {
    const id = await webhook(asking('list-entry.updated'))
    await list('open_one', 'full-access')
    await list('private_one', null)
    const [open, hidden] = await eventsIn(id)
    expect([open.previous_values[0].value, open.new_values[0].value]).toEqual(['one', 'two'])
    expect([hidden.previous_values, hidden.new_values]).toEqual([null, null])
  })
})

describe('POST /v2/webhooks/{webhook_id}/test', () => {
  const test_event = (id: string, event_type: string) =>
    ask('POST', `/v2/webhooks/${id}/test`, { data: { event_type } })

  test('has the current values as new values when a subscription includes values', async () => {
    const id = await webhook(asking('record.updated'), { event_type: 'record.created' })
    const name = { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' }
    const ada = await person({ name: [name] })
    await test_event(id, 'record.updated')
    await test_event(id, 'record.created')
    const [updated, created] = await eventsIn(id)
    const attribute = updated.id.attribute_id
    const { values } = await ask('GET', `/v2/objects/people/records/${ada}`)
    const { api_slug } = await ask('GET', `/v2/objects/people/attributes/${attribute}`)
    expect([updated.previous_values, updated.new_values]).toEqual([[], values[api_slug]])
    expect(Object.keys(created)).toEqual(['event_type', 'id', 'actor'])
  })
})
