/** Pages of the activity of a record. See docs/reference/activity.md (Pages). */

import { describe, expect, test } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import { listClient } from '#testing/lists'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'

const CHANGES = 10_000

const service = useTestService()
const lists = listClient(service)

const path = (record: string) => `/v2/objects/people/records/${record}`

/** All items, page by page. */
async function readPages(record: string, limit: number): Promise<string[]> {
  const items: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await service.request('GET', `${path(record)}/activity?limit=${limit}${after}`)
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.data.length).toBeLessThanOrEqual(limit)
    items.push(...body.data.map((item: unknown) => JSON.stringify(item)))
    cursor = body.pagination.next_cursor
  }
  return items
}

describe('pages', () => {
  test('have each item once and in one order, also items with the same time', async () => {
    const tasks = taskClient(service)
    const list = await lists.list()
    service.setNow(1_900_000_000_000_000)
    const record = await lists.record()
    for (let time = 1; time <= 3; time++) {
      service.setNow(1_900_000_000_000_000 + time * 1_000_000)
      await service.request('PATCH', path(record), { data: { values: { job_title: `Title ${time}` } } })
      for (let each = 0; each < 3; each++) {
        await lists.entry(list, record)
        await lists.remove(list, await lists.entry(list, record))
        await tasks.task({ linked_records: [record], is_completed: each > 0 })
      }
    }
    service.setNow()
    const all = await readPages(record, 200)
    expect(all.length).toBe(1 + 3 * (1 + 3 * (3 + 1) + 2))
    expect(new Set(all).size).toBe(all.length)
    const times = all.map((item) => (JSON.parse(item) as { at: string }).at) // an item has a time
    expect(times).toEqual(times.toSorted().toReversed())
    for (const limit of [1, 2, 3, 7]) expect(await readPages(record, limit)).toEqual(all)
  })

  test('of many changes of one record read its ranges of the indexes only', async () => {
    const record = await lists.record()
    const model = await service.appContext.models.reload(service.workspaceId)
    const { number } = getAttribute(getObject(model, 'people'), 'job_title')
    await service.db.sql.unsafe(`
      insert into ${model.schema}.history (entity_id, attribute, active_from, active_until, actor, value, ended_by)
      select '${record}', ${number}, timestamptz '2020-01-01' + n * interval '1 minute',
        timestamptz '2020-01-01' + (n + 1) * interval '1 minute', 0, jsonb_build_object('value', n::text), 0
      from generate_series(1, ${CHANGES}) n`)
    await service.db.sql.unsafe(`analyze ${model.schema}.history`)
    const items = await readPages(record, 200)
    expect(items.length).toBe(CHANGES + 2)
    expect(new Set(items).size).toBe(items.length)
    const plans = await plansOf(service, () => service.request('GET', `${path(record)}/activity`))
    const ofHistory = plans.filter((plan) => plan.includes('history'))
    expect(ofHistory.length).toBe(2)
    for (const plan of ofHistory) {
      expect(plan).toContain('history_active_until')
      expect(plan).toContain('history_entity_id')
      expect(plan).not.toContain('Seq Scan')
    }
  })
})
