/** See docs/reference/meetings.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createMember } from '#access/members/members'
import { listClient } from '#testing/lists'
import { days, meetingClient, meetingIdOf, participant, times } from '#testing/meetings'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const meetings = meetingClient(service)
const records = listClient(service)
let person: string
let company: string

beforeAll(async () => {
  person = await records.record('people')
  company = await records.record('companies')
})

const link = (object: string, record_id: string) => ({ object, record_id })
const linkedIds = (data: { linked_records: { record_id: string }[] }) =>
  data.linked_records.map(({ record_id }) => record_id)

describe('POST /v2/meetings', () => {
  test('200 with all members, which GET answers too', async () => {
    await service.events()
    const { status, body, headers } = await meetings.create({
      participants: [
        participant(' Grace@Example.com ', { is_organizer: 'true', status: 'tentative', name: 'Grace' }),
        { name: 'Room 4', is_organizer: false, status: 'pending' },
        participant('grace@example.com'),
        participant('b@example.com', { is_organizer: 'false', status: 'declined' }),
      ],
      linked_records: [link('people', person.toUpperCase()), link('companies', company), link('people', person)],
    })
    expect([status, body.message]).toEqual([200, undefined])
    const { id, created_at, created_by_actor, linked_records, ...others } = body.data
    expect(id).toEqual({ workspace_id: service.workspaceId, meeting_id: id.meeting_id })
    expect(created_by_actor.type).toBe('api-token')
    expect(created_at).toMatch(/^\d{4}-.*\.\d{9}Z$/)
    expect(linked_records).toMatchObject([
      { object_slug: 'people', record_id: person },
      { object_slug: 'companies', record_id: company },
    ])
    expect(others).toEqual({
      title: 'Weekly',
      description: 'About the contract',
      is_all_day: false,
      start: { datetime: '2027-11-27T14:00:00.000Z', timezone: null },
      end: { datetime: '2027-11-27T15:00:00.000Z', timezone: null },
      participants: [
        { status: 'tentative', is_organizer: true, email_address: 'grace@example.com', name: null },
        { status: 'pending', is_organizer: false, email_address: null, name: 'Room 4' },
        { status: 'declined', is_organizer: false, email_address: 'b@example.com', name: null },
      ],
    })
    const read = await meetings.get(id.meeting_id.toUpperCase())
    expect([read.body, read.headers.get('etag')]).toEqual([body, headers.get('etag')])
    expect(await service.events()).toEqual([])
  })

  const shown: readonly (readonly [string, object, object])[] = [
    ['an offset without a zone', { datetime: '2027-11-27T14:00:00-04:00' }, { datetime: '2027-11-27T18:00:00.000Z', timezone: null }],
    ['an offset, which the zone does not shift', { datetime: '2027-11-27T14:00:00Z', timezone: 'America/Halifax' }, { datetime: '2027-11-27T10:00:00.000-04:00', timezone: 'America/Halifax' }],
    ['a zone without an offset', { datetime: '2027-11-27T14:00:00', timezone: 'america/halifax' }, { datetime: '2027-11-27T14:00:00.000-04:00', timezone: 'America/Halifax' }],
    ['summer time', { datetime: '2027-07-27 14:00', timezone: 'Europe/Berlin' }, { datetime: '2027-07-27T14:00:00.000+02:00', timezone: 'Europe/Berlin' }],
    ['a time that summer time skips', { datetime: '2027-03-28T02:30:00', timezone: 'Europe/Berlin' }, { datetime: '2027-03-28T03:30:00.000+02:00', timezone: 'Europe/Berlin' }],
    ['a time that occurs twice, the first of both', { datetime: '2027-10-31T02:30:00', timezone: 'Europe/Berlin' }, { datetime: '2027-10-31T02:30:00.000+02:00', timezone: 'Europe/Berlin' }],
    ['a time that occurs twice, the second by its offset', { datetime: '2027-10-31T02:30:00+01:00', timezone: 'Europe/Berlin' }, { datetime: '2027-10-31T02:30:00.000+01:00', timezone: 'Europe/Berlin' }],
    ['an unknown zone, which is UTC', { datetime: '2027-11-27T14:00:00', timezone: 'Mars/Olympus' }, { datetime: '2027-11-27T14:00:00.000+00:00', timezone: 'UTC' }],
    ['an offset as a zone, which is UTC', { datetime: '2027-11-27T14:00:00', timezone: '+02:00' }, { datetime: '2027-11-27T14:00:00.000+00:00', timezone: 'UTC' }],
    ['an offset with seconds, which a timestamp cannot show', { datetime: '1970-01-01T10:00:00', timezone: 'Africa/Monrovia' }, { datetime: '1970-01-01T10:44:30.000Z', timezone: 'Africa/Monrovia' }],
    ['no zone', { datetime: '2027-11-27T14:00:00.1239', timezone: null }, { datetime: '2027-11-27T14:00:00.123Z', timezone: null }],
  ] // prettier-ignore
  test.each(shown)('200 with %s', async (_, start, expected) => {
    const { status, body } = await meetings.create({ start, end: { datetime: '2028-01-01' } })
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.data.start).toEqual(expected)
    expect((await meetings.get(meetingIdOf(body.data))).body).toEqual(body)
  })

  test('200 all day, with dates and no zone', async () => {
    const { body } = await meetings.create(days('2027-11-27', '2027-11-28'))
    const { is_all_day, start, end } = body.data
    expect({ is_all_day, start, end }).toEqual(days('2027-11-27', '2027-11-28'))
  })

  test('200 at the limits', async () => {
    const participants = Array.from({ length: 500 }, (_, index) => participant(`p${index}@example.com`))
    const ids = await Promise.all(Array.from({ length: 50 }, () => records.record()))
    const members = { title: 'é'.repeat(1000), description: '😀'.repeat(5000) }
    const linked_records = ids.map((id) => link('people', id))
    const { status, body } = await meetings.create({ ...members, participants, linked_records })
    expect([status, body.message]).toEqual([200, undefined])
    expect((await meetings.get(meetingIdOf(body.data))).body).toEqual(body)
  })

  test('200 with the address of a member on a host that is not public, by which meetings are listed', async () => {
    const { db, workspaceId, appContext } = service
    const admin = {
      account_id: null,
      first_name: 'Ada',
      last_name: '',
      email_address: 'admin@relata.local',
      access_level: 'admin' as const,
    }
    await createMember(db, workspaceId, admin, appContext.now())
    appContext.models.remove(workspaceId) // does not wait for the notification
    const { status, body } = await meetings.create({ participants: [participant('Admin@Relata.local')] })
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.data.participants).toMatchObject([{ email_address: 'admin@relata.local' }])
    const listed = await meetings.list('?participants=admin@relata.local')
    expect(listed.body.data).toEqual([body.data])
  })

  const refused: readonly (readonly [string, object, string?])[] = [
    ['no title', { title: undefined }],
    ['a title that is too long', { title: 'x'.repeat(1001) }],
    ['a description that is too long', { description: 'x'.repeat(10_001) }],
    ['no participants', { participants: [] }],
    ['501 participants', { participants: Array.from({ length: 501 }, (_, index) => participant(`p${index}@example.com`)) }],
    ['a participant without address and name', { participants: [{ is_organizer: false, status: 'accepted' }] }],
    ['a participant with an empty name', { participants: [{ name: '', is_organizer: false, status: 'accepted' }] }],
    ['a participant with an invalid address', { participants: [participant('nobody')] }],
    ['a participant with an invalid address and a name', { participants: [participant('nobody', { name: 'X' })] }],
    ['a participant on a host that is not public', { participants: [participant('guest@relata.local')] }],
    ['a participant with another status', { participants: [participant('a@example.com', { status: 'maybe' })] }],
    ['an organizer that is no boolean', { participants: [participant('a@example.com', { is_organizer: 'yes' })] }],
    ['51 linked records', { linked_records: Array.from({ length: 51 }, () => link('people', crypto.randomUUID())) }],
    ['a linked record that is no id', { linked_records: [link('people', 'x')] }],
    ['an unknown object', { linked_records: [link('ships', crypto.randomUUID())] }, 'value_not_found'],
    ['an unknown record', { linked_records: [link('people', crypto.randomUUID())] }, 'value_not_found'],
    ['dates that are not all day', { ...days('2027-11-27', '2027-11-28'), is_all_day: false }],
    ['times that are all day', { is_all_day: true }],
    ['a date and a time together', { start: { date: '2027-11-27', datetime: '2027-11-27T10:00:00Z' } }],
    ['neither date nor time', { start: { timezone: 'UTC' } }],
    ['a date that does not exist', days('2027-02-29', '2027-03-01')],
    ['a timestamp as a date', days('2027-02-28T10:00:00Z', '2027-03-01')],
    ['a time that does not exist', times('2027-11-27T25:00:00', '2027-11-28T10:00:00')],
    ['a text that is no time', times('tomorrow', '2027-11-28T10:00:00')],
    ['a time before the year 1 in its zone', times('0001-01-01T00:00:00Z', '2027-11-28T10:00:00Z', 'America/New_York')],
    ['an end at the start', times('2027-11-27T14:00:00Z', '2027-11-27T15:00:00+01:00')],
    ['an end before the start in its zone', times('2027-11-27T14:00:00+05:00', '2027-11-27T09:00:00', 'UTC')],
    ['an all-day end at the start', days('2027-11-27', '2027-11-27')],
    ['an empty external_ref', { external_ref: '' }],
    ['an external_ref without ical_uid', { external_ref: { provider: 'google', is_recurring: false } }],
    ['an external_ref of another provider', { external_ref: { ical_uid: 'x', provider: 'x', is_recurring: false } }],
    ['an original start that is no time', { external_ref: { ical_uid: 'x', provider: 'google', is_recurring: true, original_start_time: 'x' } }],
  ] // prettier-ignore
  test.each(refused)('400 for %s', async (_, members, code = 'validation_type') => {
    const { status, body } = await meetings.create({ ...members })
    expect([status, body.code, body.statusCode]).toEqual([400, code, 400])
  })
})

describe('POST /v2/meetings with external_ref', () => {
  const ical = (members: object = {}) => ({
    external_ref: { ical_uid: 'uid-1', provider: 'google', is_recurring: false, ...members },
  })

  test('200 with the earlier meeting, unchanged, for the same text', async () => {
    const first = await meetings.create({ external_ref: 'crm-1', title: 'First' })
    const again = await meetings.create({
      external_ref: 'crm-1',
      title: 'Second',
      participants: [participant('x@example.com')],
    })
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(meetingIdOf((await meetings.create({ external_ref: 'crm-2' })).body.data)).not.toBe(
      meetingIdOf(first.body.data),
    )
  })

  test('200 by ical_uid, and of a recurring one by its original start too', async () => {
    const single = await meetings.meeting(ical())
    const first = { is_recurring: true, original_start_time: '2027-11-27T14:00:00Z' }
    const later = { is_recurring: true, original_start_time: '2027-12-04T14:00:00Z' }
    const ids = [await meetings.meeting(ical(first)), await meetings.meeting(ical(later))]
    expect(new Set([single, ...ids, await meetings.meeting({ external_ref: 'uid-1' })]).size).toBe(4)
    expect(await meetings.meeting(ical({ provider: 'microsoft', original_start_time: later.original_start_time }))).toBe(single)
    expect(await meetings.meeting(ical({ ...first, provider: 'outlook', original_start_time: '2027-11-27T15:00:00+01:00' }))).toBe(ids[0] ?? '')
    // The start of the meeting is its original start if there is no other.
    expect(await meetings.meeting(ical({ is_recurring: true, original_start_time: null }))).toBe(ids[0] ?? '')
  }) // prettier-ignore

  test('200 with one meeting for ten requests at once, and a new one after its deletion', async () => {
    const requests = Array.from({ length: 10 }, () => meetings.meeting({ external_ref: 'at-once' }))
    const [id = '', ...others] = new Set(await Promise.all(requests))
    expect(others).toEqual([])
    await meetings.remove(id)
    expect(await meetings.meeting({ external_ref: 'at-once' })).not.toBe(id)
  })

  test('200 with another meeting in another workspace', async () => {
    const { key } = await service.anotherWorkspace()
    const own = await meetings.meeting({ external_ref: 'shared' })
    expect(meetingIdOf((await meetings.create({ external_ref: 'shared' }, { key })).body.data)).not.toBe(own)
  })
})

describe('PATCH /v2/meetings/{meeting_id} with linked_records', () => {
  test('200 adds the records; one that is linked already changes nothing', async () => {
    const id = await meetings.meeting({ linked_records: [link('people', person)] })
    const { body, headers } = await meetings.update(id, { linked_records: [link('companies', company)] })
    expect([linkedIds(body.data), headers.get('etag')]).toEqual([[person, company], '"2"'])
    const again = await meetings.update(id, { linked_records: [link('people', person)] })
    expect([again.body, again.headers.get('etag')]).toEqual([body, '"2"'])
    expect((await meetings.update(id, { linked_records: [] })).body).toEqual(body)
    const other = await records.record('companies')
    const both = await meetings.update(id, { title: 'Both', linked_records: [link('company', other)] })
    expect([both.body.data.title, linkedIds(both.body.data)]).toEqual(['Both', [person, company, other]])
  })

  test('200 for many additions at once, of which none is lost', async () => {
    const id = await meetings.meeting()
    const ids = await Promise.all(Array.from({ length: 6 }, () => records.record()))
    const added = await Promise.all(ids.map((each) => meetings.update(id, { linked_records: [link('people', each)] })))
    expect(added.map(({ status }) => status)).toEqual(ids.map(() => 200))
    expect(linkedIds((await meetings.get(id)).body.data).toSorted()).toEqual(ids.toSorted())
  })

  test('400 for more than 1,000 records together, after which those of the meeting stay', async () => {
    const id = await meetings.meeting()
    await service.db.sql`
      insert into relata.meeting_links (workspace_id, meeting_id, object_id, record_id, position, is_given, linked_at,
        linked_by, is_all_day, duration_class, starts_at, ends_at)
      select m.workspace_id, m.id, o.id, gen_random_uuid(), n, true, m.created_at, m.created_by, m.is_all_day,
        m.duration_class, m.starts_at, m.ends_at
      from relata.meetings m join relata.objects o on o.workspace_id = m.workspace_id and o.standard_slug = 'people',
        generate_series(1, 1000) n where m.id = ${id}`
    const { status, body } = await meetings.update(id, { linked_records: [link('people', person)] })
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect((await meetings.get(id)).body.data.linked_records).toHaveLength(1000)
  })
})

describe.each(['PATCH', 'PUT'])('%s /v2/meetings/{meeting_id}', (method) => {
  const send = (id: string, data: unknown, options = {}) =>
    service.request(method, `/v2/meetings/${id}`, { data }, options)

  const refused: readonly (readonly [string, object, string?])[] = [
    ['no members', {}],
    ['an unknown member', { linked_records: [], linked_record: [] }],
    ['a member that cannot change', { linked_records: [], external_ref: 'x' }],
    ['null', { linked_records: null }],
    ['51 records', { linked_records: Array.from({ length: 51 }, () => link('people', crypto.randomUUID())) }],
    ['an id that is no UUID', { linked_records: [link('people', 'x')] }],
    ['an unknown object', { linked_records: [link('ships', crypto.randomUUID())] }, 'value_not_found'],
    ['an unknown record', { linked_records: [link('people', crypto.randomUUID())] }, 'value_not_found'],
  ]
  test.each(refused)('400 for %s', async (_, data, code = 'validation_type') => {
    const id = await meetings.meeting({ linked_records: [link('people', person)] })
    const { status, body } = await send(id, data)
    expect([status, body.code]).toEqual([400, code])
    expect(linkedIds((await meetings.get(id)).body.data)).toEqual([person])
  })

  test('400 for a record of another object', async () => {
    const { status, body } = await send(await meetings.meeting(), { linked_records: [link('people', company)] })
    expect([status, body.code]).toEqual([400, 'value_not_found'])
  })

  test('404 for an unknown meeting and one of another workspace, 412 for another version', async () => {
    const { key } = await service.anotherWorkspace()
    const id = await meetings.meeting()
    const data = { linked_records: [] }
    expect((await send(crypto.randomUUID(), data)).body.code).toBe('not_found')
    expect((await send(id, data, { key })).status).toBe(404)
    expect((await send(id, data, { headers: { 'If-Match': '"7"' } })).body.code).toBe('version_conflict')
  })
})

describe('PUT /v2/meetings/{meeting_id}', () => {
  test('200 replaces the records, and unlinks all with an empty list', async () => {
    const id = await meetings.meeting({ linked_records: [link('people', person)] })
    const { body, headers } = await meetings.replace(id, [link('companies', company), link('companies', company)])
    expect([linkedIds(body.data), headers.get('etag')]).toEqual([[company], '"2"'])
    expect(body.data.title).toBe('Weekly')
    expect((await meetings.get(id)).body).toEqual(body)
    expect((await meetings.replace(id, [link('companies', company)])).headers.get('etag')).toBe('"2"')
    expect(linkedIds((await meetings.replace(id, [])).body.data)).toEqual([])
    const listed = await meetings.list(`?linked_object=companies&linked_record_id=${company}&limit=200`)
    expect(listed.body.data.map(meetingIdOf)).not.toContain(id)
  })

  test('400 for other members of a meeting', async () => {
    const id = await meetings.meeting()
    const { status, body } = await service.request('PUT', `/v2/meetings/${id}`, { data: { title: 'x', linked_records: [] } })
    expect([status, body.code]).toEqual([400, 'validation_type'])
  }) // prettier-ignore
})

describe('PATCH /v2/meetings/{meeting_id} with other members', () => {
  test('200 changes the members of the body, and the version', async () => {
    const id = await meetings.meeting({ linked_records: [link('people', person)] })
    const { body, headers } = await meetings.update(id, {
      title: 'Monthly',
      participants: [participant('c@example.com')],
      linked_records: [link('companies', company)],
    })
    expect(body.data).toMatchObject({ title: 'Monthly', description: 'About the contract' })
    expect(body.data.participants).toMatchObject([{ email_address: 'c@example.com' }])
    expect([linkedIds(body.data), headers.get('etag')]).toEqual([[person, company], '"2"'])
    expect((await meetings.get(id)).body).toEqual(body)
    expect((await meetings.list('?participants=ada@example.com&limit=200')).body.data.map(meetingIdOf)).not.toContain(
      id,
    )
    expect((await meetings.update(id, { title: 'Monthly' })).headers.get('etag')).toBe('"2"')
  })

  test('200 moves one time of a meeting, and makes it all day', async () => {
    const id = await meetings.meeting(times('2027-11-27T14:00:00', '2027-11-27T15:00:00', 'Europe/Berlin'))
    const moved = await meetings.update(id, { end: { datetime: '2027-11-27T16:00:00', timezone: 'Europe/Berlin' } })
    expect(moved.body.data.start.datetime).toBe('2027-11-27T14:00:00.000+01:00')
    expect(moved.body.data.end.datetime).toBe('2027-11-27T16:00:00.000+01:00')
    expect((await meetings.update(id, { end: { datetime: '2027-11-27T12:00:00Z' } })).status).toBe(400)
    expect((await meetings.update(id, { is_all_day: true })).status).toBe(400)
    expect((await meetings.update(id, days('2027-11-27', '2027-11-28'))).body.data).toMatchObject(days('2027-11-27', '2027-11-28'))
  }) // prettier-ignore

  test('200 keeps the start when the end changes, also in a zone whose offset has seconds', async () => {
    const id = await meetings.meeting(times('1970-01-01T10:00:00', '1970-01-01T11:00:00', 'Africa/Monrovia'))
    const { body } = await meetings.update(id, {
      end: { datetime: '1970-01-01T12:00:00', timezone: 'Africa/Monrovia' },
    })
    expect(body.data.start.datetime).toBe('1970-01-01T10:44:30.000Z')
  })

  test('400 without a known member, 404 for an unknown meeting, 412 for another version', async () => {
    const id = await meetings.meeting()
    expect((await meetings.update(id, { external_ref: 'x' })).status).toBe(400)
    expect((await meetings.update(id, { participants: [] })).status).toBe(400)
    expect((await meetings.update(crypto.randomUUID(), { title: 'x' })).body.code).toBe('not_found')
    const old = await meetings.update(id, { title: 'x' }, { headers: { 'If-Match': '"7"' } })
    expect([old.status, old.body.code]).toEqual([412, 'version_conflict'])
  })

  test('200 for many changes at once, of which each has its version', async () => {
    const id = await meetings.meeting()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => meetings.update(id, { title: `Title ${n}` })))
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(8)
  })
})

describe('GET and DELETE /v2/meetings/{meeting_id}', () => {
  test('200, then 404', async () => {
    const id = await meetings.meeting({ linked_records: [link('people', person)] })
    expect((await meetings.remove(id, { headers: { 'If-Match': '"2"' } })).status).toBe(412)
    expect(await meetings.remove(id)).toMatchObject({ status: 200, body: {} })
    const { body } = await meetings.get(id)
    expect([body.code, body.message]).toEqual(['not_found', `Meeting with ID "${id}" was not found.`])
    expect((await meetings.remove(id)).status).toBe(404)
    expect((await service.request('GET', `/v2/objects/people/records/${person}`)).status).toBe(200)
  })

  test('400 for an id that is no UUID, 404 for a meeting of another workspace', async () => {
    const { key } = await service.anotherWorkspace()
    const id = await meetings.meeting()
    expect((await meetings.get('weekly')).status).toBe(400)
    const answers = [await meetings.get(id, { key }), await meetings.update(id, { title: 'x' }, { key }), await meetings.remove(id, { key })]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404])
  }) // prettier-ignore
})

describe('a note of a meeting', () => {
  test('names it, and stays without it when the meeting is deleted', async () => {
    const [first, second] = [await meetings.meeting(), await meetings.meeting()]
    const parent = { parent_object: 'people', parent_record_id: person }
    const data = { ...parent, title: 'Minutes', format: 'plaintext', content: '', meeting_id: first }
    const note = (await service.request('POST', '/v2/notes', { data })).body.data
    const path = `/v2/notes/${note.id.note_id}`
    const moved = await service.request('PATCH', path, { data: { meeting_id: second.toUpperCase() } })
    expect([note.meeting_id, moved.body.data.meeting_id]).toEqual([first, second])
    expect(moved.body.data.title).toBe('Minutes')
    await meetings.remove(second)
    expect((await service.request('GET', path)).body.data.meeting_id).toBeNull()
  })
})

describe('a record of a meeting', () => {
  const merge = async (primary_record_id: string, secondary_record_id: string): Promise<string> => {
    const data = { primary_record_id, secondary_record_id }
    return (await service.request('POST', '/v2/objects/people/records/merge', { data })).body.data.new_record_id
  }

  test('takes its link with it when it is deleted', async () => {
    const gone = await records.record()
    const id = await meetings.meeting({ linked_records: [link('people', gone), link('companies', company)] })
    await service.request('DELETE', `/v2/objects/people/records/${gone}`)
    const { body, headers } = await meetings.get(id)
    expect([linkedIds(body.data), headers.get('etag')]).toEqual([[company], '"2"'])
  })

  test('gives its links to the record of a merge, one for each meeting', async () => {
    const [primary, secondary] = [await records.record(), await records.record()]
    const ofBoth = await meetings.meeting({ linked_records: [secondary, primary].map((id) => link('people', id)) })
    const ofOne = await meetings.meeting({ linked_records: [link('people', secondary)] })
    const merged = await merge(primary, secondary)
    expect(linkedIds((await meetings.get(ofBoth)).body.data)).toEqual([merged])
    const listed = await meetings.list(`?linked_object=people&linked_record_id=${merged}`)
    expect(listed.body.data.map(meetingIdOf).toSorted()).toEqual([ofBoth, ofOne].toSorted())
  })
})
