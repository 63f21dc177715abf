/** Conditions that are relative to the time and to the caller. See docs/reference/query.md (Relative conditions). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { jobsOf } from '#testing/jobs'
import { usePerson, useTestService } from '#testing/use-service'
import { createThing, createThings } from './testing/things'

/** A Wednesday. In Berlin it is 23:30, in Tokyo the day after. */
const NOW = Date.UTC(2026, 10, 25, 22, 30) * 1000

const DAYS = [
  '2025-11-25',
  '2026-07-01',
  '2026-08-25',
  '2026-08-26',
  '2026-10-01',
  '2026-10-25',
  '2026-10-26',
  '2026-10-27',
  '2026-11-01',
  '2026-11-11',
  '2026-11-12',
  '2026-11-16',
  '2026-11-22',
  '2026-11-23',
  '2026-11-24',
  '2026-11-25',
  '2026-11-26',
  '2026-11-29',
  '2026-11-30',
  '2026-12-01',
  '2026-12-02',
  '2026-12-03',
  '2027-01-01',
  '2027-12-31',
]
const MOMENTS = [
  '2026-11-24T22:59:59.999Z',
  '2026-11-24T23:00:00Z',
  '2026-11-25T14:59:59Z',
  '2026-11-25T15:00:00Z',
  '2026-11-25T22:30:00Z',
  '2026-11-25T22:59:59Z',
  '2026-11-25T23:00:00Z',
  '2026-11-26T15:00:00Z',
]

const service = useTestService()
const { request } = service
const ada = usePerson(service)
const bob = usePerson(service)
const carl = usePerson(service, 'member')

beforeAll(async () => {
  service.setNow(NOW)
  await createThings(request)
  for (const day of DAYS) await createThing(request, 'things', { name: day, day })
  for (const moment of MOMENTS) await createThing(request, 'things', { name: moment, moment })
  for (const [name, person] of Object.entries({ ada, bob, carl }))
    await createThing(request, 'things', { name, actor: person.email_address })
  const teams = `/console/api/workspaces/${service.workspaceId}/teams`
  const { body } = await ada.ask('POST', teams, { name: 'Engines' })
  for (const person of [ada, bob])
    await ada.ask('PUT', `${teams}/${body.data.id}/members/${person.memberIds[service.workspaceId]}`)
})

const QUERY = '/v2/objects/things/records/query'
interface Body {
  readonly filter?: object
  readonly [member: string]: unknown
}
const send = (body: Body) => request('POST', QUERY, { sorts: [{ attribute: 'name', direction: 'asc' }], ...body })
const namesOf = ({ body }: Awaited<ReturnType<typeof send>>): string[] =>
  // The form of a query's response.
  body.data.map((each: { values: { name: { value: string }[] } }) => each.values.name[0]?.value)

describe('periods of days', () => {
  test.each<[period: string, first: string, last: string]>([
    ['today', '2026-11-25', '2026-11-25'],
    ['yesterday', '2026-11-24', '2026-11-24'],
    ['tomorrow', '2026-11-26', '2026-11-26'],
    ['overdue', '', '2026-11-24'],
    ['this_week', '2026-11-23', '2026-11-29'],
    ['last_week', '2026-11-16', '2026-11-22'],
    ['next_week', '2026-11-30', '2026-12-06'],
    ['this_month', '2026-11-01', '2026-11-30'],
    ['last_month', '2026-10-01', '2026-10-31'],
    ['next_month', '2026-12-01', '2026-12-31'],
    ['this_quarter', '2026-10-01', '2026-12-31'],
    ['last_quarter', '2026-07-01', '2026-09-30'],
    ['next_quarter', '2027-01-01', '2027-03-31'],
    ['this_year', '2026-01-01', '2026-12-31'],
    ['last_year', '2025-01-01', '2025-12-31'],
    ['next_year', '2027-01-01', '2027-12-31'],
    ['last_1_day', '2026-11-25', '2026-11-25'],
    ['last_30_days', '2026-10-27', '2026-11-25'],
    ['last_2_weeks', '2026-11-12', '2026-11-25'],
    ['last_3_months', '2026-08-26', '2026-11-25'],
    ['last_1_quarter', '2026-08-26', '2026-11-25'],
    ['next_7_days', '2026-11-25', '2026-12-01'],
    ['next_999_years', '2026-11-25', '9999-12-31'],
    ['more_than_30_days_ago', '', '2026-10-25'],
    ['in_more_than_7_days', '2026-12-03', '9999-12-31'],
  ])('%s', async (period, first, last) => {
    const found = namesOf(await send({ filter: { day: { $relative: period } } }))
    expect(found).toEqual(DAYS.filter((day) => first <= day && day <= last).toSorted())
  })
})

describe('periods of instants', () => {
  test.each<[period: string, timeZone: string | undefined, found: number[]]>([
    ['today', undefined, [2, 3, 4, 5, 6]],
    ['today', 'Europe/Berlin', [1, 2, 3, 4, 5]],
    ['tomorrow', 'Europe/Berlin', [6, 7]],
    ['today', 'Asia/Tokyo', [3, 4, 5, 6]],
    ['overdue', 'Asia/Tokyo', [0, 1, 2, 3]],
  ])('%s in %s', async (period, time_zone, found) => {
    const answer = await send({ filter: { moment: { $relative: period } }, time_zone })
    expect(namesOf(answer)).toEqual(found.map((index) => MOMENTS[index] ?? '').toSorted())
  })

  test('a day is a day in each time zone', async () => {
    const found = namesOf(await send({ filter: { day: { $relative: 'today' } }, time_zone: 'Asia/Tokyo' }))
    expect(found).toEqual(['2026-11-26'])
  })

  test('beside other operators, in paths, and for the time of a value', async () => {
    const both = { $relative: 'this_month', $gt: '2026-11-23' }
    expect(namesOf(await send({ filter: { day: both } }))).toEqual(DAYS.filter((day) => day > '2026-11-23' && day < '2026-12').toSorted()) // prettier-ignore
    const path = { path: [['things', 'day']], constraints: { $relative: 'today' } }
    expect(namesOf(await send({ filter: path }))).toEqual(['2026-11-25'])
    expect((await send({ filter: { color: { active_from: { $relative: 'last_7_days' } } } })).status).toBe(200)
    expect((await send({ filter: { $not: { day: { $relative: 'last_999_years' } }, day: { $not_empty: true } } })).body.data).toHaveLength(8) // prettier-ignore
  })
})

describe('members', () => {
  const asPerson = async (person: typeof ada, operand: string) =>
    namesOf(await person.ask('POST', `/console${QUERY}`, { filter: { actor: { $relative: operand } } })).toSorted()

  test('me, and the members of my teams', async () => {
    expect(await asPerson(ada, 'me')).toEqual(['ada'])
    expect(await asPerson(ada, 'my_teams')).toEqual(['ada', 'bob'])
    expect(await asPerson(carl, 'my_teams')).toEqual(['carl'])
    const token = await service.memberKeyWith(['record_permission:read', 'object_configuration:read'])
    expect((await request('POST', QUERY, { filter: { actor: { $relative: 'me' } } }, { key: token })).status).toBe(200)
  })

  test('400 for a key, which is no member', async () => {
    const { status, body } = await send({ filter: { actor: { $relative: 'me' } } })
    expect([status, body.code, body.path]).toEqual([400, 'filter_error', ['actor', '$relative']])
    expect(body.message).toBe('Error in filter: "me" needs a request of a member.')
  })
})

test.each<[body: Body, code: string]>([
  [{ filter: { day: { $relative: 'last_0_days' } } }, 'filter_error'],
  [{ filter: { day: { $relative: 'last_1000_days' } } }, 'filter_error'],
  [{ filter: { day: { $relative: 'constructor' } } }, 'filter_error'],
  [{ filter: { day: { $relative: 'me' } } }, 'filter_error'],
  [{ filter: { day: { $relative: 7 } } }, 'filter_error'],
  [{ filter: { day: { $relative: null } } }, 'filter_error'],
  [{ filter: { day: { $relative: 'today'.repeat(100_000) } } }, 'filter_error'],
  [{ filter: { actor: { $relative: 'today' } } }, 'filter_error'],
  [{ filter: { name: { $relative: 'today' } } }, 'invalid_filter_operator'],
  [{ filter: { actor: { referenced_actor_type: { $relative: 'me' } } } }, 'invalid_filter_operator'],
  [{ filter: {}, time_zone: 'Europe/Atlantis' }, 'validation_type'],
  [{ filter: {}, time_zone: '+01:00' }, 'validation_type'],
])('400 for %j', async (body, code) => {
  const answer = await send(body)
  expect([answer.status, answer.body.code]).toEqual([400, code])
})

describe('other readers of filters', () => {
  const filter = { day: { $relative: 'today' } }
  const time_zone = 'Asia/Tokyo'

  test('a view keeps the condition, and queries of the view answer it anew', async () => {
    const view = { title: 'Today', type: 'table', filter }
    const { body } = await request('POST', '/v2/objects/things/views', { data: view })
    expect(Object.values(body.data.filter)).toEqual([{ $relative: 'today' }])
    const filter_view_id = body.data.id.view_id
    expect(namesOf(await send({ filter_view_id }))).toEqual(['2026-11-25'])
    expect(namesOf(await send({ filter_view_id, time_zone }))).toEqual(['2026-11-26'])
    const own = await request('POST', '/v2/objects/things/views', { data: { title: 'Mine', type: 'table', filter: { actor: { $relative: 'me' } } } }) // prettier-ignore
    expect(own.status).toBe(200)
  })

  test('counts, aggregates and exports', async () => {
    const counted = await send({ filter: { day: { $relative: 'this_month' } }, include_count: true, limit: 1 })
    expect(counted.body.pagination.total).toBe(11)
    const { body } = await request('POST', '/v2/objects/things/records/aggregate', { filter, time_zone })
    expect(body.data.total).toBe(1)
    const parameters = new URLSearchParams({ filter: JSON.stringify(filter), time_zone, format: 'csv', attributes: 'name' }) // prettier-ignore
    const exported = await request('GET', `/v2/objects/things/records/export?${parameters}`)
    expect(exported.body).toContain('2026-11-26')
    expect(exported.body).not.toContain('2026-11-25')
  })

  test('a job of a member keeps the member', async () => {
    const jobs = jobsOf(service)
    const data = { filter: { actor: { $relative: 'my_teams' } }, operation: { op: 'update', values: { amount: 8 } } }
    const { body } = await bob.ask('POST', '/console/v2/objects/things/records/bulk', { data })
    expect(body.data).toMatchObject({ total: 2 })
    await jobs.runAll()
    expect(namesOf(await send({ filter: { amount: 8 } }))).toEqual(['ada', 'bob'])
  })

  test('a job keeps the time and the time zone of its creation', async () => {
    const jobs = jobsOf(service)
    const operation = { op: 'update', values: { amount: 7 } }
    const { body } = await request('POST', '/v2/objects/things/records/bulk', { data: { filter, time_zone, operation } }) // prettier-ignore
    expect(body.data).toMatchObject({ total: 1 })
    service.setNow(NOW + 3 * 86_400_000_000)
    await jobs.runAll()
    service.setNow(NOW)
    expect(namesOf(await send({ filter: { amount: 7 } }))).toEqual(['2026-11-26'])
  })
})
