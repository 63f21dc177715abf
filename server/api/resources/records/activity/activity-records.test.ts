/** Records of activities in the activity of a record. See docs/reference/activity.md (Items). */

import { beforeAll, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { ACTIVITY_RECORD_SCOPES } from '#vocabulary/scopes'

const CALLS = '/v2/activities/phone_calls/records'
const TYPES = 'activity.added,activity.changed'

const service = useTestService()
const lists = listClient(service)
let person: string
let company: string
let call: string
beforeAll(async () => {
  person = await lists.record()
  company = await lists.record('companies')
  call = await log({ note: 'Asked for a price', people: [person], companies: [company] })
  await log({ note: 'With another person', people: [await lists.record()] })
  await service.request('PATCH', `${CALLS}/${call}`, { data: { values: { outcome: 'Busy' } } })
})

async function log(values: object): Promise<string> {
  const { status, body } = await service.request('POST', CALLS, { data: { values } })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.id.record_id
}

async function items(object: string, record: string, query = '', key = service.key) {
  const path = `/v2/objects/${object}/records/${record}/activity?type=${TYPES}${query}`
  const { status, body } = await service.request('GET', path, undefined, { key })
  expect([status, body.message]).toEqual([200, undefined])
  return body
}

test.each([
  ['people', () => person],
  ['companies', () => company],
])('records of activities that refer to records of %s, with their changes', async (object, record) => {
  const activity = {
    activity_id: expect.any(String),
    api_slug: 'phone_calls',
    singular_noun: 'Phone call',
    record_id: call,
    record_text: 'Asked for a price',
  }
  const { data } = await items(object, record())
  expect(data).toMatchObject([
    {
      type: 'activity.changed',
      actor: { type: 'api-token' },
      activity,
      attributes: [{ api_slug: 'outcome', previous_values: [], new_values: [{ option: { title: 'Busy' } }] }],
    },
    { type: 'activity.added', actor: { type: 'api-token' }, activity },
  ])
  const first = await items(object, record(), '&limit=1')
  const next = await items(object, record(), `&limit=1&cursor=${encodeURIComponent(first.pagination.next_cursor)}`)
  expect([...first.data, ...next.data]).toEqual(data)
})

test('are in the order of their timestamp', async () => {
  const other = await lists.record()
  const times = ['2025-03-01T10:00:00Z', '2024-01-01T10:00:00Z', '2026-02-01T10:00:00Z']
  for (const timestamp of times) await log({ timestamp, people: [other] })
  const { data } = await items('people', other)
  expect(data.map(({ at }: { at: string }) => at.slice(0, 10))).toEqual(['2026-02-01', '2025-03-01', '2024-01-01'])
  const first = await items('people', other, '&limit=1')
  const next = await items('people', other, `&limit=1&cursor=${encodeURIComponent(first.pagination.next_cursor)}`)
  expect([...first.data, ...next.data]).toEqual(data.slice(0, 2))
})

test('need the scopes of records of activities', async () => {
  const { read } = ACTIVITY_RECORD_SCOPES
  expect((await items('people', person, '', await service.keyWith([...read]))).data).toHaveLength(2)
  for (const scope of ['activity_record:read', 'activity_configuration:read'] as const) {
    const key = await service.keyWith(read.filter((each) => each !== scope))
    expect((await items('people', person, '', key)).data).toEqual([])
  }
})

test('leave out those that refer to the record no more, and those that are deleted', async () => {
  const [one, other] = [await log({ people: [person] }), await log({ people: [person] })]
  expect((await items('people', person)).data).toHaveLength(4)
  await service.request('PUT', `${CALLS}/${one}`, { data: { values: { people: [] } } })
  await service.request('DELETE', `${CALLS}/${other}`)
  expect((await items('people', person)).data).toHaveLength(2)
})
