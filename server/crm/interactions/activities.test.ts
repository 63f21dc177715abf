/** Records of activities in the interaction attributes of people and companies. See docs/reference/emails.md (Interaction attributes). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { interactionsOf } from '#testing/interactions'
import { useTestService } from '#testing/use-service'
import { requestAllRefreshes } from './request-refreshes'
import { refreshInteractions } from './refresh-records'

const NOW = Date.parse('2026-11-01T12:00:00Z') * 1000
const MINUTE = 60_000_000

const service = useTestService()
const { create, valuesOf, work, interaction } = interactionsOf(service)

let time = NOW
beforeAll(async () => {
  service.setNow(NOW)
  for (const [api_slug, schema] of [
    ['visits', 'interactions'],
    ['chats', 'interactions'],
    ['letters', 'emails'],
    ['notices', 'activities'],
  ])
    await service.request('POST', '/v2/activities', {
      data: { api_slug, singular_noun: 'One', plural_noun: 'Many', extends: schema },
    })
})

/** Lets the minute pass after which attributes of a record are computed again. */
async function workLater(): Promise<void> {
  time += 2 * MINUTE
  service.setNow(time)
  await work()
}

/** Returns the path of the record. */
async function add(activity: string, timestamp: string, values: Record<string, unknown>): Promise<string> {
  const path = `/v2/activities/${activity}/records`
  const owner = { referenced_actor_type: 'workspace-member', referenced_actor_id: service.member.id }
  const others = { visits: { owner, interaction_type: 'In-person meeting' }, notices: {} }[activity] ?? { owner }
  const { body } = await service.request('POST', path, {
    data: { values: { timestamp: `${timestamp}Z`, ...others, ...values } },
  })
  return `${path}/${body.data.id.record_id}`
}

const last = async (person: string) => (await valuesOf('people', person)).last_interaction?.interacted_at?.slice(0, 10)

describe('interaction attributes', () => {
  test('come from calls that refer to the person, or to the company and its people', async () => {
    const company = await create('companies', { name: 'Analytical' })
    const person = await create('people', { name: 'Lovelace, Ada', company })
    await add('phone_calls', '2026-10-20T10:00:00', { people: [person] })
    await add('phone_calls', '2026-10-05T10:00:00', { people: [person] })
    await add('phone_calls', '2026-10-25T10:00:00', { companies: [company] })
    await add('phone_calls', '2026-11-05T10:00:00', { people: [person], companies: [company] })
    await work()
    // 12 for a call of the last 30 days.
    expect(await valuesOf('people', person)).toEqual({
      first_interaction: expect.objectContaining(interaction('call', '2026-10-05T10:00:00')),
      last_interaction: expect.objectContaining(interaction('call', '2026-10-20T10:00:00')),
      next_interaction: expect.objectContaining(interaction('call', '2026-11-05T10:00:00')),
      strongest_connection_strength: expect.objectContaining({ option: expect.objectContaining({ title: 'Weak' }) }),
      strongest_connection_strength_legacy: expect.objectContaining({ value: 0.15 }),
      strongest_connection_user: expect.objectContaining({ referenced_actor_id: service.member.id }),
    })
    expect(await valuesOf('companies', company)).toMatchObject({
      first_interaction: interaction('call', '2026-10-05T10:00:00'),
      last_interaction: interaction('call', '2026-10-25T10:00:00'),
      next_interaction: interaction('call', '2026-11-05T10:00:00'),
      strongest_connection_strength_legacy: { value: 0.23 },
    })
  })

  test('say what it is by the schema and the attribute, and leave out activities that are no interactions', async () => {
    const person = await create('people', { name: 'Hopper, Grace' })
    await add('visits', '2026-10-20T10:00:00', { people: [person] })
    await add('chats', '2026-10-05T10:00:00', { people: [person], interaction_type: 'Chat thread' })
    await add('chats', '2026-11-06T10:00:00', { people: [person] })
    await add('letters', '2026-10-06T10:00:00', { people: [person] })
    await add('notices', '2026-10-30T10:00:00', { people: [person] })
    await work()
    const letter = interaction('email', '2026-10-06T10:00:00')
    const values = await valuesOf('people', person)
    expect(values).toMatchObject({
      first_email_interaction: letter,
      last_email_interaction: letter,
      first_interaction: interaction('chat-thread', '2026-10-05T10:00:00'),
      last_interaction: interaction('in-person-meeting', '2026-10-20T10:00:00'),
      next_interaction: interaction('meeting', '2026-11-06T10:00:00'),
    })
    expect([values.last_calendar_interaction, values.next_calendar_interaction]).toEqual([undefined, undefined])
  })

  test('follow changes of the time, of the owner and of the references', async () => {
    const [one, other] = [await create('people', { name: 'One' }), await create('people', { name: 'Other' })]
    const visit = await add('visits', '2026-10-10T10:00:00', { people: [one] })
    await work()
    expect(await last(one)).toBe('2026-10-10')
    const put = (values: object) => service.request('PUT', visit, { data: { values } })
    await put({ timestamp: '2026-10-11T10:00:00Z', owner: null })
    await workLater()
    expect((await valuesOf('people', one)).last_interaction).toMatchObject({
      interacted_at: '2026-10-11T10:00:00.000000000Z',
      owner_actor: { type: 'system', id: null },
    })
    await put({ people: [other] })
    await workLater()
    expect([await valuesOf('people', one), await last(other)]).toEqual([{}, '2026-10-11'])
  })

  test('follow deletion, restoration and deletion for good', async () => {
    const person = await create('people', { name: 'Deleted' })
    const visit = await add('visits', '2026-10-10T10:00:00', { people: [person] })
    await work()
    await service.request('DELETE', visit)
    await workLater()
    expect(await valuesOf('people', person)).toEqual({})
    await service.request('POST', `${visit}/restore`)
    await workLater()
    expect(await last(person)).toBe('2026-10-10')
    await service.request('DELETE', `${visit}?permanent=true`)
    await workLater()
    expect(await valuesOf('people', person)).toEqual({})
  })

  test('follow the deletion and the restoration of an activity, also of a person whom nothing counted meanwhile', async () => {
    const data = { api_slug: 'tours', singular_noun: 'Tour', plural_noun: 'Tours', extends: 'interactions' }
    const { id } = (await service.request('POST', '/v2/activities', { data })).body.data
    const [person, other] = [await create('people', { name: 'Tourist' }), await create('people', { name: 'Guide' })]
    await add('tours', '2026-10-10T10:00:00', { people: [person, other] })
    await work()
    expect([await last(person), await last(other)]).toEqual(['2026-10-10', '2026-10-10'])
    await service.request('DELETE', '/v2/activities/tours')
    await workLater()
    expect([await valuesOf('people', person), await valuesOf('people', other)]).toEqual([{}, {}])
    await service.db.sql`delete from relata.interaction_refreshes where record_id = ${other}`
    await service.request('POST', `/v2/activities/${id.activity_id}/restore`)
    await workLater()
    expect([await last(person), await last(other)]).toEqual(['2026-10-10', '2026-10-10'])
  })

  test('follow the restoration of an activity with more records than one step reads', async () => {
    const data = { api_slug: 'fairs', singular_noun: 'Fair', plural_noun: 'Fairs', extends: 'interactions' }
    const { id } = (await service.request('POST', '/v2/activities', { data })).body.data
    const people = [await create('people', { name: 'First' }), await create('people', { name: 'Last' })]
    await add('fairs', '2026-10-10T10:00:00', { people: [people[0]] })
    const values = { timestamp: '2026-10-11T10:00:00Z' }
    const operations = Array.from({ length: 1000 }, () => ({ op: 'create', values }))
    const batch = await service.request('POST', '/v2/activities/fairs/records/batch', { data: { operations } })
    expect(batch.body.data.succeeded).toBe(1000)
    await add('fairs', '2026-10-12T10:00:00', { people: [people[1]] })
    await workLater()
    await service.request('DELETE', '/v2/activities/fairs')
    await workLater()
    expect(await Promise.all(people.map((one) => last(one!)))).toEqual([undefined, undefined])
    await service.db.sql`delete from relata.interaction_refreshes where record_id = any(${people}::uuid[])`
    await service.request('POST', `/v2/activities/${id.activity_id}/restore`)
    await workLater()
    expect(await Promise.all(people.map((one) => last(one!)))).toEqual(['2026-10-10', '2026-10-12'])
    const rows = await service.db.sql`select 1 from relata.interaction_refreshes where object_id = ${id.activity_id}`
    expect(rows).toHaveLength(0)
  })

  test('follow an attribute of the activity whose references people store', async () => {
    const person = await create('people', { name: 'Guest' })
    const created = await service.request('POST', '/v2/objects/people/attributes', {
      data: {
        title: 'Attended',
        description: null,
        api_slug: 'attended',
        type: 'record-reference',
        is_required: false,
        is_unique: false,
        is_multiselect: true,
        config: { record_reference: { allowed_objects: ['visits'] } },
        relationship: { object: 'visits', title: 'Guests', api_slug: 'guests', is_multiselect: true },
      },
    })
    expect(created.status).toBe(200)
    const visit = await add('visits', '2026-10-12T10:00:00', { guests: [person] })
    await work()
    expect(await last(person)).toBe('2026-10-12')
    await service.request('PUT', visit, { data: { values: { guests: [] } } })
    await workLater()
    expect(await valuesOf('people', person)).toEqual({})
    await service.request('PATCH', `/v2/objects/people/records/${person}`, {
      data: { values: { attended: [{ target_object: 'visits', target_record_id: visit.split('/').at(-1) }] } },
    })
    await workLater()
    expect(await last(person)).toBe('2026-10-12')
    await service.request('DELETE', visit)
    await workLater()
    expect(await valuesOf('people', person)).toEqual({})
  })

  test('move with a merge of people, and with the company of a person', async () => {
    const [one, other] = [await create('people', { name: 'One' }), await create('people', { name: 'Other' })]
    const company = await create('companies', { name: 'Later' })
    await add('visits', '2026-10-13T10:00:00', { people: [one] })
    await add('visits', '2026-10-14T10:00:00', { people: [other] })
    await work()
    const { body } = await service.request('POST', '/v2/objects/people/records/merge', {
      data: { primary_record_id: one, secondary_record_id: other },
    })
    await workLater()
    expect(await valuesOf('people', body.data.new_record_id)).toMatchObject({
      first_interaction: interaction('in-person-meeting', '2026-10-13T10:00:00'),
      last_interaction: interaction('in-person-meeting', '2026-10-14T10:00:00'),
    })
    await service.request('PATCH', `/v2/objects/people/records/${body.data.new_record_id}`, {
      data: { values: { company } },
    })
    await workLater()
    expect((await valuesOf('companies', company)).last_interaction).toBeDefined()
  })

  test('are computed again on request, and end with the activity', async () => {
    const person = await create('people', { name: 'Rebuilt' })
    await add('chats', '2026-10-15T10:00:00', { people: [person] })
    const model = await service.appContext.models.reload(service.workspaceId)
    await requestAllRefreshes(service.db, model, service.appContext.now)
    await refreshInteractions({ db: service.db, now: service.appContext.now })
    expect(await last(person)).toBe('2026-10-15')
    expect((await service.request('DELETE', '/v2/activities/chats')).status).toBe(200)
    await workLater()
    expect(await valuesOf('people', person)).toEqual({})
  })
})
