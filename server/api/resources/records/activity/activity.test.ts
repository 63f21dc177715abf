/** See docs/reference/activity.md. */

import { describe, expect, test } from 'bun:test'
import type { AnswerBody } from '#testing/client'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'

const service = useTestService()
const lists = listClient(service)

type Items = AnswerBody[]

const path = (record: string) => `/v2/objects/people/records/${record}`
const patch = (record: string, values: object) => service.request('PATCH', path(record), { data: { values } })
const page = (record: string, query = '', key?: string) =>
  service.request('GET', `${path(record)}/activity${query}`, undefined, key === undefined ? {} : { key })
async function activity(record: string, query = '', key?: string): Promise<Items> {
  const { status, body } = await page(record, query, key)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data
}
const types = (items: Items): string[] => items.map(({ type }) => type)

describe('GET /v2/objects/{object}/records/{record_id}/activity', () => {
  test('200 with the creation alone for a new record', async () => {
    const record = await lists.record('people', { name: 'Ada Lovelace' })
    const { body } = await page(record)
    expect(body).toEqual({
      data: [
        {
          type: 'record.created',
          at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
          actor: { type: 'api-token', id: expect.any(String) },
        },
      ],
      pagination: { next_cursor: null },
    })
  })

  test('200 with one item for each write, with previous and new values as the values have them', async () => {
    const record = await lists.record('people', { name: 'Ada Lovelace', job_title: 'Poet' })
    await patch(record, { job_title: 'Analyst', description: 'Wrote the first program' })
    await patch(record, { job_title: 'Analyst' })
    const [change, created, ...others] = await activity(record)
    expect([change.type, created.type, others]).toEqual(['values.changed', 'record.created', []])
    const historic = async (slug: string) =>
      (await service.request('GET', `${path(record)}/attributes/${slug}/values?show_historic=true`)).body.data
    const [previous, current] = await historic('job_title')
    expect(change.attributes.map(({ api_slug }: { api_slug: string }) => api_slug).toSorted()).toEqual([
      'description',
      'job_title',
    ])
    expect(change.attributes).toContainEqual({
      attribute_id: expect.any(String),
      api_slug: 'job_title',
      previous_values: [previous],
      new_values: [current],
    })
    expect(change.attributes).toContainEqual(
      expect.objectContaining({
        api_slug: 'description',
        previous_values: [],
        new_values: await historic('description'),
      }),
    )
    expect([change.at, change.actor]).toEqual([current.active_from, created.actor])
  })

  test('200 with who removed a value', async () => {
    const record = await lists.record('people', { job_title: 'Poet', description: 'Text' })
    const other = await service.keyWith(['record_permission:read-write', 'object_configuration:read'])
    await service.request('PUT', path(record), { data: { values: { job_title: [] } } }, { key: other })
    const [removed, created] = await activity(record)
    expect(removed.attributes[0]).toMatchObject({ api_slug: 'job_title', new_values: [] })
    expect(removed.attributes[0].previous_values[0].value).toBe('Poet')
    expect(removed.actor.id).not.toBe(created.actor.id)
  })

  test('200 with the added and the removed ones of several values', async () => {
    const record = await lists.record('people', { email_addresses: ['a@example.com', 'b@example.com'] })
    await service.request('PUT', path(record), {
      data: { values: { email_addresses: ['b@example.com', 'c@example.com'] } },
    })
    const [{ attributes }] = await activity(record)
    const addresses = (values: Items) => values.map(({ email_address }) => email_address)
    expect(addresses(attributes[0].previous_values)).toEqual(['a@example.com'])
    expect(addresses(attributes[0].new_values)).toEqual(['c@example.com'])
  })

  test('200 with entries that were added, moved and removed', async () => {
    const record = await lists.record()
    const list = await lists.list()
    await lists.attribute(list, 'stage', { type: 'status' })
    await lists.attribute(list, 'remark')
    for (const title of ['New', 'Done'])
      await service.request('POST', `/v2/lists/${list}/attributes/stage/statuses`, { data: { title } })
    const entry = await lists.entry(list, record, { stage: 'New' })
    await lists.update('PATCH', list, entry, { stage: 'Done', remark: 'Moved' })
    const items = await activity(record)
    expect(types(items)).toEqual(['entry.moved', 'entry.added', 'record.created'])
    const [moved, added] = items
    expect(moved.entry).toEqual({ list_id: expect.any(String), list_api_slug: list, entry_id: entry })
    expect(added.entry).toEqual(moved.entry)
    expect(moved.attributes.length).toBe(1)
    expect(moved.attributes[0].previous_values[0].status.title).toBe('New')
    expect(moved.attributes[0].new_values[0].status.title).toBe('Done')
    await lists.remove(list, entry)
    const after = await activity(record)
    expect(types(after)).toEqual(['entry.removed', 'entry.added', 'record.created'])
    expect(after[0].entry).toEqual(moved.entry)
    await service.request('DELETE', `/v2/lists/${list}`)
    expect(types(await activity(record))).toEqual(['record.created'])
  })

  test('200 with tasks that were linked and completed', async () => {
    const tasks = taskClient(service)
    const record = await lists.record()
    const task = await tasks.task({ content: 'Later' })
    await tasks.update(task, { linked_records: [record] })
    await tasks.update(task, { is_completed: true })
    await tasks.task({ content: 'At once', linked_records: [record] })
    const items = await activity(record)
    const contents = items.map(({ type, task }) => [type, task?.content_plaintext])
    expect(contents).toEqual([
      ['task.linked', 'At once'],
      ['task.completed', 'Later'],
      ['task.linked', 'Later'],
      ['record.created', undefined],
    ])
    await tasks.update(task, { is_completed: false })
    await tasks.remove(task)
    expect(types(await activity(record))).toEqual(['task.linked', 'record.created'])
  })

  test('200 with the merge and what happened to both originals', async () => {
    const [primary, secondary] = [await lists.record('people', { job_title: 'A' }), await lists.record()]
    await patch(primary, { job_title: 'B' })
    const list = await lists.list()
    await lists.entry(list, secondary)
    const removed = await lists.entry(list, secondary)
    await lists.remove(list, removed)
    const data = { primary_record_id: primary, secondary_record_id: secondary }
    const { body } = await service.request('POST', '/v2/objects/people/records/merge', { data })
    const items = await activity(body.data.new_record_id)
    expect(types(items)).toEqual([
      'record.merged',
      'entry.removed',
      'entry.added',
      'entry.added',
      'values.changed',
      'record.created',
    ])
    expect(items[0].merged_record_ids.toSorted()).toEqual([primary, secondary].toSorted())
    expect(items[0].actor).toEqual(items.at(-1).actor)
    const old = await page(primary)
    expect([old.status, old.body.merged_into]).toEqual([404, body.data.new_record_id])
  })

  test('404 for an unknown object and record, 400 for a wrong id, limit or cursor', async () => {
    const record = await lists.record()
    const statusOf = async (url: string) => (await service.request('GET', url)).status
    expect(await statusOf(`/v2/objects/nothing/records/${record}/activity`)).toBe(404)
    expect(await statusOf(`/v2/objects/companies/records/${record}/activity`)).toBe(404)
    expect(await statusOf('/v2/objects/people/records/x/activity')).toBe(400)
    for (const query of ['limit=0', 'limit=201', 'cursor=x', `cursor=${'x'.repeat(2000)}`])
      expect([query, await statusOf(`${path(record)}/activity?${query}`)]).toEqual([query, 400])
    const { key } = await service.anotherWorkspace()
    expect((await page(record, '', key)).status).toBe(404)
  })
})
