/** Lists of meetings against the same lists made in memory. See docs/reference/meetings.md (Lists of meetings). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { days, meetingClient, meetingIdOf, participant, times } from '#testing/meetings'
import { useTestService } from '#testing/use-service'
import type { MeetingOutput } from '#api/resources/meetings/schemas'

const COUNT = 36
const HOUR_MS = 3_600_000
/** The hour of the first start. Summer time ends in Berlin on 31 October 2027 at 01:00 in UTC, in Havana on 7 November at 05:00. */
const FIRST = Date.parse('2027-10-29T00:00:00Z')

const service = useTestService()
const meetings = meetingClient(service)
let all: MeetingOutput[]
let person: string

beforeAll(async () => {
  person = await listClient(service).record()
  const ids: string[] = []
  for (let number = 0; number < COUNT; number++) ids.push(await meetings.meeting(membersOf(number)))
  all = await Promise.all(ids.map(async (id) => (await meetings.get(id)).body.data))
})

/** Every third meeting is all day, several begin at the same instant, and durations are from half an hour to twenty years. */
function membersOf(number: number): Record<string, unknown> {
  const start = FIRST + ((number * 7) % 24) * 12 * HOUR_MS
  const hours = [0.5, 6, 26, 400, 7000, 175_000][number % 6] ?? 1
  const linked_records = number % 4 === 1 ? [{ object: 'people', record_id: person }] : []
  const participants = ['a', 'b', 'c']
    .filter((_, index) => (number >> index) % 2 === 0)
    .map((name) => participant(`${name}@example.com`))
  const members = { linked_records, participants: [...participants, participant('all@example.com')] }
  const date = (at: number) => new Date(at).toISOString().slice(0, 10)
  return number % 3 === 0
    ? { ...members, ...days(date(start), date(start + Math.max(hours, 24) * HOUR_MS)) }
    : { ...members, ...times(new Date(start).toISOString(), new Date(start + hours * HOUR_MS).toISOString()) }
}

const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0)

function instantOf(time: MeetingOutput['start'], timezone: string): number {
  return 'date' in time
    ? Temporal.PlainDate.from(time.date).toZonedDateTime(timezone).epochMilliseconds
    : Date.parse(time.datetime)
}

interface Filters {
  readonly sort?: string
  readonly timezone?: string
  readonly linked_record_id?: string
  readonly participants?: string
  readonly ends_from?: string
  readonly starts_before?: string
}

function expected({ sort, timezone = 'UTC', linked_record_id, participants, ends_from, starts_before }: Filters) {
  const isOfLink = (meeting: MeetingOutput) =>
    meeting.linked_records.some(({ record_id }) => record_id === linked_record_id)
  const isOfParticipants = (meeting: MeetingOutput) =>
    meeting.participants.some(({ email_address }) => participants?.split(',').includes(email_address ?? ''))
  const isOfEither = (meeting: MeetingOutput) =>
    (linked_record_id === undefined && participants === undefined) || isOfLink(meeting) || isOfParticipants(meeting)
  const found = all.filter(
    (meeting) =>
      isOfEither(meeting) &&
      (ends_from === undefined || instantOf(meeting.end, timezone) >= Date.parse(ends_from)) &&
      (starts_before === undefined || instantOf(meeting.start, timezone) < Date.parse(starts_before)),
  )
  const keyOf = (meeting: MeetingOutput) => instantOf(meeting.start, timezone)
  const ascending = found.toSorted((a, b) => compare(keyOf(a), keyOf(b)) || compare(a.id.meeting_id, b.id.meeting_id))
  return (sort === 'start_desc' ? ascending.toReversed() : ascending).map(meetingIdOf)
}

/** The ids of all pages. */
async function listed(filters: Filters, limit: number): Promise<string[]> {
  const query = new URLSearchParams({ ...filters, limit: String(limit) })
  if (filters.linked_record_id !== undefined) query.set('linked_object', 'people')
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    if (cursor !== '') query.set('cursor', cursor)
    const { status, body } = await meetings.list(`?${query}`)
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.data.length).toBeLessThanOrEqual(limit)
    ids.push(...body.data.map(meetingIdOf))
    cursor = body.pagination.next_cursor
  }
  return ids
}

const LINKS = [{}, { link: true }]
const PARTICIPANTS = [{}, { participants: 'b@example.com' }, { participants: 'a@example.com,c@example.com' }]
const RANGES = [
  {},
  { ends_from: '2027-10-31T00:00:00Z' },
  { starts_before: '2027-10-31T22:00:00Z' },
  { ends_from: '2027-10-31T01:00:00Z', starts_before: '2027-11-07T05:00:00Z' },
  { ends_from: '2030-01-01T00:00:00Z' },
]

describe('GET /v2/meetings', () => {
  describe.each(['Europe/Berlin', 'America/Havana'])('in the time zone %s', (timezone) => {
    test.each(['start_asc', 'start_desc'])('200 with %s and every combination of filters, page by page', async (sort) => {
      for (const { link } of LINKS.map((each) => ({ link: 'link' in each })))
        for (const participants of PARTICIPANTS)
          for (const range of RANGES) {
            const filters = { sort, timezone, ...participants, ...range, ...(link && { linked_record_id: person }) }
            for (const limit of [200, 9])
              expect([filters, await listed(filters, limit)]).toEqual([filters, expected(filters)])
          }
    }, 10_000)
  }) // prettier-ignore

  test('200 with 50 by start, and no further page, without parameters', async () => {
    const { body } = await meetings.list('')
    expect(body).toMatchObject({ pagination: { next_cursor: null } })
    expect(body.data.map(meetingIdOf)).toEqual(expected({}))
  })

  test('200 with addresses in any case, with empty filters, and in an unknown zone', async () => {
    const upper = await meetings.list('?participants=%20B%40EXAMPLE.com%20,nobody&limit=200')
    expect(upper.body.data.map(meetingIdOf)).toEqual(expected({ participants: 'b@example.com' }))
    const unfiltered = await meetings.list('?participants=&timezone=Mars&limit=200')
    expect(unfiltered.body.data.map(meetingIdOf)).toEqual(expected({}))
    expect((await meetings.list('?participants=nobody')).body.data).toEqual([])
    const other = `?linked_object=companies&linked_record_id=${person}`
    expect((await meetings.list(other)).body.data).toEqual([])
  })

  test('200 with 500 addresses', async () => {
    const addresses = Array.from({ length: 500 }, (_, index) => `p${index}@example.com`)
    const { body } = await meetings.list(`?participants=${[...addresses, 'c@example.com'].join(',')}&limit=200`)
    expect(body.data.map(meetingIdOf)).toEqual(expected({ participants: 'c@example.com' }))
  })

  test('200 with bounds at the ends of time', async () => {
    const { status, body } = await meetings.list(
      '?ends_from=0001-01-01&starts_before=9999-12-31T23:59:59Z&timezone=Pacific/Kiritimati&limit=200',
    )
    expect([status, body.data.length]).toEqual([200, COUNT])
    const last = '9999-12-31T23:59:59.9999Z'
    expect((await meetings.list(`?starts_before=${last}&limit=200`)).body.data).toHaveLength(COUNT)
    expect((await meetings.list(`?ends_from=${last}`)).body.data).toEqual([])
  })

  test.each(['start_asc', 'start_desc'])('200 with %s after a date that begins before the year 1', async (sort) => {
    const { key } = await service.anotherWorkspace()
    const create = async (end: string) =>
      meetingIdOf((await meetings.create(days('0001-01-01', end), { key })).body.data)
    const ids = [await create('0001-01-02'), await create('0001-01-03')]
    const query = `?limit=1&timezone=Etc/GMT-14&sort=${sort}`
    const first = (await meetings.list(query, { key })).body
    const second = (await meetings.list(`${query}&cursor=${first.pagination.next_cursor}`, { key })).body
    const listed = [...first.data, ...second.data].map(meetingIdOf)
    expect([listed.toSorted(), second.pagination.next_cursor]).toEqual([ids.toSorted(), null])
  })

  const refused: readonly (readonly [string, string, string])[] = [
    ['an object alone', 'linked_object=people', 'validation_type'],
    ['a record alone', 'linked_record_id=11111111-1111-4111-8111-111111111111', 'validation_type'],
    ['a record id that is no id', 'linked_object=people&linked_record_id=x', 'validation_type'],
    ['an unknown object', 'linked_object=x&linked_record_id=11111111-1111-4111-8111-111111111111', 'value_not_found'],
    ['an unknown sort', 'sort=end_asc', 'validation_type'],
    ['a bound that is no timestamp', 'ends_from=soon', 'validation_type'],
    ['no limit', 'limit=0', 'validation_type'],
    ['a limit above 200', 'limit=201', 'validation_type'],
    ['a cursor that is none', 'cursor=x', 'validation_type'],
  ]
  test.each(refused)('400 for %s', async (_, query, code) => {
    const { status, body } = await meetings.list(`?${query}`)
    expect([status, body.code]).toEqual([400, code])
  })

  test('400 for the cursor of another list', async () => {
    const { next_cursor } = (await meetings.list('?limit=5')).body.pagination
    expect((await meetings.list(`?limit=5&sort=start_desc&cursor=${next_cursor}`)).status).toBe(400)
    expect((await meetings.list(`?limit=5&cursor=${next_cursor}`)).status).toBe(200)
  })
})

test('200 with null for no bound', async () => {
  const [plain, nulls] = [
    await meetings.list('?limit=5'),
    await meetings.list('?limit=5&ends_from=null&starts_before=null'),
  ]
  expect([nulls.status, nulls.body.data]).toEqual([200, plain.body.data])
})
