/**
 * The events of changes of lists, their entries, attributes and members, and their actors.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */

import { beforeEach, describe, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { connect, makeApp } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { useTestService } from '#testing/use-service'
import { eventLines } from '#testing/events'

const service = useTestService()
const lists = listClient(service)
const names: Record<string, string> = {}
beforeEach(async () => {
  await service.events()
})

const toldNow = () => eventLines(service, names)
async function ask(method: string, path: string, data?: unknown) {
  const { status, body } = await service.request(method, path, data === undefined ? undefined : { data })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data
}

describe('lists and entries', () => {
  test('events for a list that is created, changed and deleted, and none for a write that changes nothing', async () => {
    const { id } = await ask('POST', '/v2/lists', {
      name: 'Hires',
      api_slug: 'hires',
      parent_object: 'people',
      workspace_access: 'full-access',
      workspace_member_access: [],
    })
    names[id.list_id] = 'hires'
    expect(await toldNow()).toEqual(['list.created hires by api-token'])
    await ask('PATCH', '/v2/lists/hires', { name: 'New people' })
    await ask('PATCH', '/v2/lists/hires', { name: 'New people', workspace_access: 'full-access' })
    await ask('PATCH', '/v2/lists/hires', {
      workspace_access: 'read-and-write',
      workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
    })
    expect(await toldNow()).toEqual(['list.updated hires by api-token', 'list.updated hires by api-token'])
  })

  test('events for entries that are created, asserted, changed and deleted', async () => {
    const list = await lists.list()
    await lists.attribute(list, 'note', { type: 'text' })
    const ada = await lists.record()
    names[ada] = 'ada'
    await service.events()
    const entry = await lists.entry(list, ada, { note: 'first' })
    names[entry] = 'entry'
    await lists.update('PATCH', list, entry, { note: 'second' })
    await lists.update('PATCH', list, entry, { note: 'second' })
    await lists.upsert(list, ada, { note: 'third' })
    await lists.remove(list, entry)
    const { body } = await lists.upsert(list, ada)
    names[body.data.id.entry_id] = 'asserted'
    expect(await toldNow()).toEqual([
      'list-entry.created entry of ada by api-token',
      'list-entry.updated entry.note of ada by api-token',
      'list-entry.updated entry.note of ada by api-token',
      'list-entry.deleted entry of ada by api-token',
      'list-entry.created asserted of ada by api-token',
    ])
  })

  test('no events for the entries of a deleted list', async () => {
    const list = await lists.list()
    await lists.entry(list, await lists.record())
    await service.events()
    const { id } = await ask('GET', `/v2/lists/${list}`)
    names[id.list_id] = 'gone'
    await ask('DELETE', `/v2/lists/${list}`)
    expect(await toldNow()).toEqual(['list.deleted gone by api-token'])
  })
})

test('events for the lists of a deleted object', async () => {
  const noun = { api_slug: 'ships', singular_noun: 'Ship', plural_noun: 'Ships' }
  await ask('POST', '/v2/objects', noun)
  const list = await lists.list({ parent_object: 'ships' })
  const { id } = await ask('GET', `/v2/lists/${list}`)
  names[id.list_id] = 'fleet'
  const config = { record_reference: { allowed_objects: ['ships', 'people'] } }
  const input = { ...attributeInput({ api_slug: 'owned', type: 'record-reference' }), config }
  await ask('POST', '/v2/objects/companies/attributes', input)
  await service.events()
  await service.request('DELETE', '/v2/objects/ships')
  expect(await toldNow()).toEqual([
    'list.deleted fleet by api-token',
    'object-attribute.updated companies.owned by api-token',
  ])
})

describe('attributes', () => {
  test('events for an attribute that is created, changed, archived and restored, and for its options', async () => {
    const path = '/v2/objects/people/attributes'
    await ask('POST', path, attributeInput({ api_slug: 'colour', type: 'select' }))
    expect(await toldNow()).toEqual(['object-attribute.created people.colour by api-token'])
    await ask('PATCH', `${path}/colour`, { title: 'Favourite colour' })
    await ask('PATCH', `${path}/colour`, { title: 'Favourite colour' })
    await ask('PATCH', `${path}/colour`, { is_archived: true })
    await ask('PATCH', `${path}/colour`, { is_archived: false })
    const options = `${path}/colour/options`
    await ask('POST', options, { title: 'Red' })
    await ask('PATCH', `${options}/Red`, { title: 'Crimson' })
    await ask('PATCH', `${options}/Crimson`, { title: 'Crimson' })
    await ask('PATCH', `${options}/Crimson`, { is_archived: true })
    const updated = 'object-attribute.updated people.colour by api-token'
    expect(await toldNow()).toEqual(Array.from({ length: 6 }, () => updated))
  })

  test('events for an attribute of a list, and for its statuses', async () => {
    const list = await lists.list()
    await service.events()
    await lists.attribute(list, 'stage', { type: 'status' })
    await ask('POST', `/v2/lists/${list}/attributes/stage/statuses`, { title: 'Offer' })
    expect(await toldNow()).toEqual([
      `list-attribute.created ${list}.stage by api-token`,
      `list-attribute.updated ${list}.stage by api-token`,
    ])
  })

  test('events for both sides of a relationship', async () => {
    const path = '/v2/objects/people/attributes'
    await ask('POST', path, {
      ...attributeInput({ api_slug: 'mentor', type: 'record-reference' }),
      config: { record_reference: { allowed_objects: ['companies'] } },
      relationship: { object: 'companies', title: 'Mentees', api_slug: 'mentees', is_multiselect: true },
    })
    await ask('PATCH', `${path}/mentor`, { is_archived: true })
    expect(await toldNow()).toEqual([
      'object-attribute.created people.mentor by api-token',
      'object-attribute.created companies.mentees by api-token',
      'object-attribute.updated people.mentor by api-token',
      'object-attribute.updated companies.mentees by api-token',
    ])
  })
})

describe('the actor of an event', () => {
  test('a member who joins and writes at the console', async () => {
    const person = await signedIn(service)
    const member = person.memberIds[service.workspaceId] ?? ''
    const { body } = await person.ask('POST', '/console/v2/objects/people/records', { data: { values: {} } })
    names[member] = 'member'
    names[body.data.id.record_id] = 'ada'
    expect(await toldNow()).toEqual([
      'workspace-member.created member by workspace-member',
      'record.created ada by workspace-member',
    ])
    const actor = { type: 'workspace-member', id: member }
    const feed = await service.request('GET', '/v2/events?event_type=record.created,workspace-member.created')
    const last = feed.body.data.slice(-2)
    expect(last.map(({ event }: { event: { actor: unknown } }) => event.actor)).toEqual([actor, actor])
  })

  test('the event for a member is caused by accepting the invitation, not by inviting', async () => {
    const admin = await signedIn(service)
    await service.events()
    const path = `/console/api/workspaces/${service.workspaceId}/invitations`
    const invited = await admin.ask('POST', path, { email_address: 'new@example.com', access_level: 'member' })
    expect(await toldNow()).toEqual([])
    const [, token] = /invitations\/([\w-]+)/.exec(invited.body.data.invite_url) ?? []
    const accepting = { first_name: 'New', last_name: 'Person', password: 'correct horse battery' }
    const { status, body } = await service.request('POST', `/console/api/invitations/${token}/accept`, accepting, {
      key: null,
      headers: { 'Sec-Fetch-Site': 'same-origin' },
    })
    expect([status, body.message]).toEqual([200, undefined])
    expect((await service.events()).map(({ event_type }) => event_type)).toEqual(['workspace-member.created'])
  })

  test('an app that writes', async () => {
    const person = await signedIn(service)
    const app = await makeApp(service)
    const { accessToken } = await connect(service, person, app)
    await service.events()
    await service.request('POST', '/v2/objects/people/records', { data: { values: {} } }, { key: accessToken })
    const [event] = await service.events()
    expect(event?.actor).toEqual({ type: 'app', id: app.app.id })
  })
})
