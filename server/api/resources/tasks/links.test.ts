/** The links of tasks when their records are deleted or merged. See docs/reference/records.md (Delete, Merge). */

import { describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'

const service = useTestService()
const tasks = taskClient(service)
const records = listClient(service)

const linksOf = async (task: string): Promise<string[]> =>
  (await tasks.get(task)).body.data.linked_records.map(
    ({ target_record_id }: { target_record_id: string }) => target_record_id,
  )
const etagOf = async (task: string) => (await tasks.get(task)).headers.get('etag')
const listOf = async (record: string, object = 'people'): Promise<string[]> =>
  (await tasks.list(`?linked_object=${object}&linked_record_id=${record}`)).body.data.map(
    ({ id }: { id: { task_id: string } }) => id.task_id,
  )

describe('DELETE /v2/objects/{object}/records/{record_id}', () => {
  test('200 removes the link alone, and changes the version of the task', async () => {
    const [gone, other] = [await records.record(), await records.record()]
    const task = await tasks.task({ linked_records: [gone, other] })
    const unrelated = await tasks.task({ linked_records: [other] })
    await service.events()
    expect((await service.request('DELETE', `/v2/objects/people/records/${gone}`)).status).toBe(200)
    expect(await linksOf(task)).toEqual([other])
    expect([await etagOf(task), await etagOf(unrelated)]).toEqual(['"2"', '"1"'])
    expect(await listOf(gone)).toEqual([])
    expect((await service.events()).map(({ event_type }) => event_type)).toEqual(['record.deleted'])
  })

  test('200 for the object, whose records lose their links', async () => {
    const object = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' }
    await service.request('POST', '/v2/objects', { data: object })
    const task = await tasks.task({ linked_records: [await records.record('things')] })
    expect((await service.request('DELETE', '/v2/objects/things')).status).toBe(200)
    expect(await linksOf(task)).toEqual([])
  })
})

describe('POST /v2/objects/{object}/records/merge', () => {
  const merge = async (primary_record_id: string, secondary_record_id: string): Promise<string> => {
    const data = { primary_record_id, secondary_record_id }
    return (await service.request('POST', '/v2/objects/people/records/merge', { data })).body.data.new_record_id
  }

  test('200 moves links to the new record, and joins two links of one task', async () => {
    const [primary, secondary, other] = [await records.record(), await records.record(), await records.record()]
    const ofPrimary = await tasks.task({ linked_records: [primary], is_completed: true })
    const ofSecondary = await tasks.task({ linked_records: [other, secondary] })
    const ofBoth = await tasks.task({ linked_records: [secondary, other, primary] })
    await service.events()
    const merged = await merge(primary, secondary)
    expect(await linksOf(ofPrimary)).toEqual([merged])
    expect(await linksOf(ofSecondary)).toEqual([other, merged])
    expect(await linksOf(ofBoth)).toEqual([merged, other])
    expect(await listOf(merged)).toEqual([ofPrimary, ofSecondary, ofBoth])
    expect(await etagOf(ofBoth)).toBe('"2"')
    const types = (await service.events()).map(({ event_type }) => event_type)
    expect(types).toEqual(['record.merged', 'record.merged'])
  })
})

describe('writes of a task and of its record at the same time', () => {
  test('leave no link to a deleted record', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => records.record()))
    const task = await tasks.task({ linked_records: ids.slice(0, 6) })
    await Promise.all([
      ...ids.map((id) => service.request('DELETE', `/v2/objects/people/records/${id}`)),
      ...ids.map((_, index) => tasks.update(task, { is_completed: index % 2 === 0 })),
      ...ids.map((id) => tasks.update(task, { linked_records: [id] })),
      ...ids.map((id) => tasks.create({ linked_records: [id] })),
    ])
    expect(await linksOf(task)).toEqual([])
    const left = await service.db.sql`select 1 from relata.task_links where record_id = any(${ids}::uuid[])`
    expect(left.length).toBe(0)
  })
})
