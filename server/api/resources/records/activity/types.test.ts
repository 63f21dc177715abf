/** The types of items that a request asks for. See docs/reference/activity.md (Pages). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { meetingClient } from '#testing/meetings'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'

const service = useTestService()
const lists = listClient(service)
let record: string
beforeAll(async () => {
  const list = await lists.list()
  record = await lists.record()
  for (const job_title of ['Poet', 'Analyst']) {
    await service.request('PATCH', `/v2/objects/people/records/${record}`, { data: { values: { job_title } } })
    await lists.remove(list, await lists.entry(list, record))
    await taskClient(service).task({ linked_records: [record], is_completed: true })
  }
  const linked_records = [{ object: 'people', record_id: record }]
  await meetingClient(service).meeting({ title: 'Kick-off', linked_records })
})

const page = (query: string) => service.request('GET', `/v2/objects/people/records/${record}/activity${query}`)

async function typesOf(query: string): Promise<string[]> {
  const { status, body } = await page(query)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.map(({ type }: { type: string }) => type)
}

describe('GET /v2/objects/{object}/records/{record_id}/activity with types', () => {
  test.each([
    ['entry.added', ['entry.added', 'entry.added']],
    ['values.changed,record.created', ['values.changed', 'values.changed', 'record.created']],
    ['task.completed,task.completed', ['task.completed', 'task.completed']],
    ['meeting.linked', ['meeting.linked']],
    ['note.created', []],
  ])('200 with the items of %s alone', async (types, expected) => {
    expect(await typesOf(`?type=${types}`)).toEqual(expected)
  })

  test('200 with the title of a meeting, at its start', async () => {
    const [item] = (await page('?type=meeting.linked')).body.data
    expect([item.at, item.actor.type]).toEqual([item.meeting.starts_at, 'api-token'])
    expect(item.meeting).toMatchObject({
      title: 'Kick-off',
      starts_at: '2027-11-27T14:00:00.000000000Z',
      is_all_day: false,
    })
  })

  test('200 with pages of the same types', async () => {
    const first = await page('?type=entry.added,entry.removed&limit=3')
    const cursor = encodeURIComponent(first.body.pagination.next_cursor)
    const second = await page(`?type=entry.added,entry.removed&limit=3&cursor=${cursor}`)
    const items = [...first.body.data, ...second.body.data].map(({ type }: { type: string }) => type)
    expect(items).toEqual(['entry.removed', 'entry.added', 'entry.removed', 'entry.added'])
    expect((await page(`?type=entry.added&limit=3&cursor=${cursor}`)).status).toBe(400)
  })

  test.each([
    ['no type', ''],
    ['a part of a type', 'entry'],
    ['an empty type', 'entry.added,'],
    ['a member of every object', 'toString'],
    ['a text of 1,001 characters', 'x'.repeat(1001)],
  ])('400 for %s', async (_, types) => {
    const { status, body } = await page(`?type=${types}`)
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })
})
