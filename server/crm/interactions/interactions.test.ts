/** Interaction attributes of people and companies. See docs/reference/emails.md (Interaction attributes). */

import { beforeAll, describe, expect, test } from 'bun:test'
import type { ChangeEventBody } from '#vocabulary/event-types'
import { attributeClient, attributeInput } from '#testing/attributes'
import { addEmails, emailFrom } from '#testing/emails'
import { interactionsOf } from '#testing/interactions'
import { meetingInput, participant, times } from '#testing/meetings'
import { rollupsOf } from '#testing/rollups'
import { useTestService } from '#testing/use-service'
import { findObject } from '#engine/data-model/find'
import { refreshInteractions } from './refresh-records'
import { requestAllRefreshes } from './request-refreshes'
import { requestRefreshesFor } from './refresh-queue'

const NOW = Date.parse('2026-11-01T12:00:00Z') * 1000
const MINUTE = 60_000_000
const DAY = 24 * 60 * MINUTE

const service = useTestService()
beforeAll(async () => {
  service.setNow(NOW)
})

const { create, valuesOf, work, interaction } = interactionsOf(service)
const api = attributeClient(service)
const rollups = rollupsOf(service)

async function request(...addresses: string[]): Promise<void> {
  const model = await service.appContext.models.reload(service.workspaceId)
  await requestRefreshesFor(service.db.sql, model, addresses, service.appContext.now())
}

/** A meeting with the member, and with the address as the organizer. Returns its id. */
async function addMeeting(address: string, startsAt: string): Promise<string> {
  const participants = [participant(address, { is_organizer: true }), participant(service.member.email_address)]
  const data = meetingInput({ ...times(startsAt, startsAt.replace(':00:00', ':30:00')), participants })
  const { body } = await service.request('POST', '/v2/meetings', { data })
  return body.data.id.meeting_id
}

const updatesOf = (events: readonly ChangeEventBody[], id: string) =>
  events.filter((event) => event.event_type === 'record.updated' && event.id.record_id === id)

describe('interaction attributes', () => {
  test('come from emails and meetings, of the person and of the company', async () => {
    const company = await create('companies', { domains: ['analytical.dev'] })
    const person = await create('people', { email_addresses: ['ada@analytical.dev', 'ada@home.net'], company })
    await addEmails(service, [
      emailFrom('ada@analytical.dev', '2026-10-01T10:00:00Z'),
      emailFrom('x@y.com', '2026-10-20T10:00:00Z', ['ada@home.net']),
      emailFrom('other@analytical.dev', '2026-09-01T10:00:00Z'),
    ])
    await addMeeting('ada@home.net', '2026-10-25T10:00:00Z')
    await addMeeting('ada@home.net', '2026-11-02T10:00:00Z')
    await request('ada@analytical.dev', 'ada@home.net')
    await service.events()
    await work()
    const ofPerson = {
      first_email_interaction: interaction('email', '2026-10-01T10:00:00'),
      last_email_interaction: interaction('email', '2026-10-20T10:00:00'),
      first_calendar_interaction: interaction('calendar-event', '2026-10-25T10:00:00'),
      last_calendar_interaction: interaction('calendar-event', '2026-10-25T10:00:00'),
      next_calendar_interaction: interaction('calendar-event', '2026-11-02T10:00:00'),
      first_interaction: interaction('email', '2026-10-01T10:00:00'),
      last_interaction: interaction('calendar-event', '2026-10-25T10:00:00'),
      next_interaction: interaction('calendar-event', '2026-11-02T10:00:00'),
      // 4 for the email of October 20, 2 for that of October 1, 12 for the meeting.
      strongest_connection_strength: { option: { title: 'Weak' } },
      strongest_connection_strength_legacy: { value: 0.11 },
      strongest_connection_user: { referenced_actor_id: service.member.id },
    }
    expect(await valuesOf('people', person)).toMatchObject(ofPerson)
    expect(await valuesOf('companies', company)).toMatchObject({
      ...ofPerson,
      first_email_interaction: interaction('email', '2026-09-01T10:00:00'),
      first_interaction: interaction('email', '2026-09-01T10:00:00'),
      strongest_connection_strength_legacy: { value: 0.13 },
    })
  })

  test('are computed at most once a minute, with one event of the system for each attribute', async () => {
    const person = await create('people', { email_addresses: ['often@relata.dev'] })
    await addEmails(service, [emailFrom('often@relata.dev', '2026-10-01T10:00:00Z')])
    await request('often@relata.dev')
    await request('often@relata.dev')
    await work()
    const first = updatesOf(await service.events(), person)
    expect(first.length).toBe(7)
    expect(new Set(first.map(({ actor }) => JSON.stringify(actor)))).toEqual(new Set(['{"type":"system","id":null}']))
    await addEmails(service, [emailFrom('often@relata.dev', '2026-10-02T10:00:00Z')])
    service.setNow(NOW + MINUTE / 2)
    await request('often@relata.dev')
    await work()
    expect(updatesOf(await service.events(), person)).toEqual([])
    service.setNow(NOW + MINUTE)
    await work()
    expect(updatesOf(await service.events(), person)).toHaveLength(3)
    service.setNow(NOW)
  })

  test('leave version and updated_at, so that an If-Match from before holds', async () => {
    const person = await create('people', { email_addresses: ['version@relata.dev'] })
    const path = `/v2/objects/people/records/${person}`
    const stateOf = async () => {
      const { headers } = await service.request('GET', path)
      const model = await service.appContext.models.reload(service.workspaceId)
      const query = `select updated_at, updated_by from ${findObject(model, 'people')?.table} where id = $1`
      return { etag: headers.get('ETag') ?? '', updates: await service.db.sql.unsafe(query, [person]) }
    }
    const before = await stateOf()
    await addEmails(service, [emailFrom('version@relata.dev', '2026-10-01T10:00:00Z')])
    await request('version@relata.dev')
    service.setNow(NOW + MINUTE / 2)
    await work()
    expect((await valuesOf('people', person)).last_interaction).toBeDefined()
    expect(await stateOf()).toEqual(before)
    const change = async (name: string, etag: string) =>
      (await service.request('PATCH', path, { data: { values: { name } } }, { headers: { 'If-Match': etag } })).status
    expect([await change('Ada', before.etag), await change('Eva', before.etag)]).toEqual([200, 412])
    const after = await stateOf()
    expect(after.etag).not.toBe(before.etag)
    await addEmails(service, [emailFrom('version@relata.dev', '2026-10-02T10:00:00Z')])
    await request('version@relata.dev')
    service.setNow(NOW + 2 * MINUTE)
    await work()
    expect((await stateOf()).etag).toBe(after.etag)
    const removed = await service.request('DELETE', path, undefined, { headers: { 'If-Match': after.etag } })
    expect(removed.status).toBe(200)
    service.setNow(NOW)
  })

  test('come for a person and a company that get the address later', async () => {
    await addEmails(service, [emailFrom('later@later.org', '2026-10-01T10:00:00Z')])
    await work()
    const person = await create('people', { name: 'Later' })
    const company = await create('companies', { name: 'Later' })
    await service.request('PATCH', `/v2/objects/people/records/${person}`, {
      data: { values: { email_addresses: ['later@later.org'] } },
    })
    await work()
    expect((await valuesOf('people', person)).first_interaction).toBeDefined()
    expect((await valuesOf('companies', company)).first_interaction).toBeUndefined()
    await service.request('PATCH', `/v2/objects/people/records/${person}`, { data: { values: { company } } })
    await work()
    expect((await valuesOf('companies', company)).first_interaction).toBeDefined()
  })

  test('move with a merge, and end with the address', async () => {
    const [one, other] = [
      await create('people', { email_addresses: ['one@merge.org'] }),
      await create('people', { email_addresses: ['other@merge.org'] }),
    ]
    await addEmails(service, [
      emailFrom('one@merge.org', '2026-10-05T10:00:00Z'),
      emailFrom('other@merge.org', '2026-10-01T10:00:00Z'),
    ])
    await request('one@merge.org', 'other@merge.org')
    await work()
    const { body } = await service.request('POST', '/v2/objects/people/records/merge', {
      data: { primary_record_id: one, secondary_record_id: other },
    })
    const merged = body.data.new_record_id
    await work()
    expect(await valuesOf('people', merged)).toMatchObject({
      first_interaction: interaction('email', '2026-10-01T10:00:00'),
    })
    service.setNow(NOW + 2 * MINUTE)
    await service.request('PUT', `/v2/objects/people/records/${merged}`, { data: { values: { email_addresses: [] } } })
    await work()
    expect(await valuesOf('people', merged)).toEqual({})
    service.setNow(NOW)
  })

  test('follow changes and deletions of meetings', async () => {
    const person = await create('people', { email_addresses: ['meets@relata.dev'] })
    const meeting = await addMeeting('meets@relata.dev', '2026-10-05T10:00:00Z')
    await work()
    expect((await valuesOf('people', person)).last_interaction).toEqual(
      expect.objectContaining(interaction('calendar-event', '2026-10-05T10:00:00')),
    )
    service.setNow(NOW + MINUTE)
    const data = times('2026-10-04T10:00:00Z', '2026-10-04T11:00:00Z')
    await service.request('PATCH', `/v2/meetings/${meeting}`, { data })
    await work()
    expect((await valuesOf('people', person)).first_calendar_interaction).toMatchObject({
      interacted_at: '2026-10-04T10:00:00.000000000Z',
    })
    service.setNow(NOW + 2 * MINUTE)
    await service.request('DELETE', `/v2/meetings/${meeting}`)
    await work()
    expect(await valuesOf('people', person)).toEqual({})
    service.setNow(NOW)
  })

  test('are computed again on request, and are read-only for callers', async () => {
    const person = await create('people', { email_addresses: ['rebuild@relata.dev'] })
    await addEmails(service, [emailFrom('rebuild@relata.dev', '2026-10-01T10:00:00Z')])
    const model = await service.appContext.models.reload(service.workspaceId)
    await requestAllRefreshes(service.db, model, service.appContext.now)
    await refreshInteractions({ db: service.db, now: service.appContext.now })
    expect((await valuesOf('people', person)).last_interaction).toBeDefined()
    const { body } = await service.request('PATCH', `/v2/objects/people/records/${person}`, {
      data: { values: { last_interaction: interaction('email', '2026-10-01T10:00:00') } },
    })
    expect(body.code).toBe('immutable_value')
  })

  test('delay `computed_at` of a look-up over them until it has what follows from the write', async () => {
    // What the tests before requested is due.
    const start = NOW + 5 * MINUTE
    service.setNow(start)
    const company = await create('companies', { domains: ['first.dev'] })
    const person = await create('people', { company })
    await addEmails(service, [
      emailFrom('a@first.dev', '2026-10-01T10:00:00Z'),
      emailFrom('b@second.dev', '2026-10-30T10:00:00Z'),
    ])
    const computed = { lookup: ['company', 'strongest_connection_strength_legacy'] }
    const made = await api.create('people', attributeInput({ type: 'number', computed }))
    const slug = made.body.data.api_slug
    await request('a@first.dev')
    await work()
    await rollups.work()
    const values = async () => (await api.values('people', person))[slug].map(({ value }: { value: number }) => value)
    const before = await values()
    expect(before).toEqual([expect.any(Number)])

    service.setNow(start + 10_000_000)
    await service.request('PATCH', `/v2/objects/companies/records/${company}`, {
      data: { values: { domains: ['second.dev'] } },
    })
    service.setNow(start + 30_000_000)
    const computedAt = async () => Date.parse((await api.get('people', slug)).body.data.computed.computed_at) * 1000
    await work()
    await rollups.work()
    expect([await computedAt(), await values()]).toEqual([start + 10_000_000, before])
    service.setNow(start + 2 * MINUTE)
    await work()
    expect(await computedAt()).toBe(start + 10_000_000)
    await rollups.work()
    expect(await computedAt()).toBe(start + 2 * MINUTE)
    expect(await values()).not.toEqual(before)
    service.setNow(NOW)
  })

  test('change with time: the next meeting becomes the last one', async () => {
    const person = await create('people', { email_addresses: ['grace@navy.mil'] })
    await addMeeting('grace@navy.mil', '2026-11-03T10:00:00Z')
    await work()
    expect(await valuesOf('people', person)).toMatchObject({
      next_interaction: { interacted_at: '2026-11-03T10:00:00.000000000Z' },
    })
    service.setNow(NOW + 2 * DAY)
    await work()
    const values = await valuesOf('people', person)
    expect(values.next_interaction).toBeUndefined()
    expect(values.last_calendar_interaction).toMatchObject({ interacted_at: '2026-11-03T10:00:00.000000000Z' })
    service.setNow(NOW + 400 * DAY)
    await work()
    expect((await valuesOf('people', person)).strongest_connection_strength).toBeUndefined()
    service.setNow(NOW)
  })
})
