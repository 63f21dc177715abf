/** See docs/decisions/console.md (Home). */

import { afterEach, beforeAll, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { commentClient, onRecord } from '#testing/comments'
import { usePerson, useTestService } from '#testing/use-service'
import { SAMPLE_COMPANIES, SAMPLE_DEALS, SAMPLE_NOTES, SAMPLE_PEOPLE, SAMPLE_TASKS } from './fill'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let path: string
beforeAll(() => {
  path = `/console/api/workspaces/${service.workspaceId}/sample-data`
})

const RECORDS = SAMPLE_COMPANIES.length + SAMPLE_PEOPLE.length + SAMPLE_DEALS.length

const fill = () => admin.ask('POST', path)
const remove = (keeps_changed: boolean) => admin.ask('DELETE', path, { keeps_changed })
afterEach(() => remove(false))

const query = async (object: string, filter: object = {}) =>
  (await service.request('POST', `/v2/objects/${object}/records/query`, { filter })).body.data

const list = async (kind: string) => (await service.request('GET', `/v2/${kind}`)).body.data

test('200 with records, notes, tasks and meetings, which the removal deletes', async () => {
  expect((await admin.ask('GET', path)).body).toEqual({ data: null })
  const { status, body } = await fill()
  expect([status, body]).toEqual([200, { data: { records: RECORDS, changed: [] } }])
  expect(await query('people')).toHaveLength(SAMPLE_PEOPLE.length)
  expect(await list('notes')).toHaveLength(SAMPLE_NOTES.length)
  expect(await list('tasks')).toHaveLength(SAMPLE_TASKS.length)
  const [deal] = await query('deals', { name: SAMPLE_DEALS[0][0].en })
  expect(deal.values.owner[0].referenced_actor_id).toBe(admin.memberIds[service.workspaceId])
  expect(deal.values.associated_people).toHaveLength(2)

  expect((await remove(true)).body.data).toEqual({ removed: RECORDS, kept: 0 })
  for (const object of ['companies', 'people', 'deals']) expect(await query(object)).toEqual([])
  for (const kind of ['notes', 'tasks', 'meetings']) expect(await list(kind)).toEqual([])
  expect((await admin.ask('GET', path)).body).toEqual({ data: null })
})

test('the removal keeps what is no sample data, and on request what somebody has changed', async () => {
  await fill()
  const own = await service.request('POST', '/v2/objects/people/records', { data: { values: { name: 'Own, My' } } })
  const [changed] = await query('deals', { name: SAMPLE_DEALS[1][0].en })
  await service.request('PATCH', `/v2/objects/deals/records/${changed.id.record_id}`, {
    data: { values: { value: 1 } },
  })
  const [commented] = await query('companies', { name: SAMPLE_COMPANIES[3][0] })
  await commentClient(service).comment(onRecord(commented.id.record_id, 'companies'))
  const [referred] = await query('companies', { name: SAMPLE_COMPANIES[4][0] })
  const company = [{ target_object: 'companies', target_record_id: referred.id.record_id }]
  await service.request('PATCH', `/v2/objects/people/records/${own.body.data.id.record_id}`, { data: { values: { company } } }) // prettier-ignore
  const names = [SAMPLE_COMPANIES[3][0], SAMPLE_COMPANIES[4][0], SAMPLE_DEALS[1][0].en]
  const { data } = (await admin.ask('GET', path)).body
  expect(data.changed.map(({ name }: { name: string }) => name)).toEqual(names)

  expect((await remove(true)).body.data).toEqual({ removed: RECORDS - 3, kept: 3 })
  const left = [...(await query('companies')), ...(await query('deals')), ...(await query('people'))]
  expect(left).toHaveLength(4)
  expect((await remove(false)).body.data).toEqual({ removed: 0, kept: 0 })
  for (const { id } of left) {
    for (const object of ['companies', 'deals', 'people'])
      await service.request('DELETE', `/v2/objects/${object}/records/${id.record_id}`)
  }
})

test('200 without records that were deleted before, and with changed ones if they are not to be kept', async () => {
  await fill()
  const [first, second] = await query('deals')
  await service.request('DELETE', `/v2/objects/deals/records/${first.id.record_id}`)
  await service.request('PATCH', `/v2/objects/deals/records/${second.id.record_id}`, { data: { values: { value: 1 } } })
  expect((await admin.ask('GET', path)).body.data).toMatchObject({ records: RECORDS - 1, changed: [{}] })
  expect((await remove(false)).status).toBe(200)
  expect(await query('deals')).toEqual([])
})

test('200 and 409 for two fillings at the same time, and everything is there once', async () => {
  const statuses = (await Promise.all([fill(), fill()])).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([200, 409])
  expect((await admin.ask('GET', path)).body.data).toEqual({ records: RECORDS, changed: [] })
  expect(await query('companies')).toHaveLength(SAMPLE_COMPANIES.length)
})

test('the texts are in the language of the browser', async () => {
  const headers = { ...admin.headers, 'accept-language': 'de' }
  expect((await service.request('POST', path, undefined, { key: null, headers })).status).toBe(200)
  expect(await query('deals', { name: SAMPLE_DEALS[1][0].de })).toHaveLength(1)
  expect((await list('tasks')).map((task: { content_plaintext: string }) => task.content_plaintext)).toContain(
    SAMPLE_TASKS[2][0].de,
  )
})

test('409 for a second filling, and when an object has no place for the data, of which nothing stays', async () => {
  await fill()
  expect((await fill()).status).toBe(409)
  await remove(false)
  const path = '/v2/objects/people/attributes'
  const badge = attributeInput({ api_slug: 'badge', type: 'text', is_required: true })
  expect((await service.request('POST', path, { data: badge })).status).toBe(200)
  const { status, body } = await fill()
  expect([status, body.message]).toEqual([409, expect.stringContaining("doesn't fit")])
  expect(await query('companies')).toEqual([])
  await service.request('DELETE', `${path}/badge`)
})

test('403 for members', async () => {
  for (const [method, body] of [['GET'], ['POST'], ['DELETE', { keeps_changed: true }]] as const)
    expect((await member.ask(method, path, body)).status).toBe(403)
})
