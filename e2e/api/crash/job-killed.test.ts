/** The service is killed twice while it runs jobs. The next process continues them, and changes no record a second time. */

import { expect, test } from 'bun:test'
import { makeObject } from '../../support/fixtures/model'
import { forThisFile } from '../../support/service/service-per-file'
import { startService } from '../../support/service/service'
import { until } from '../../support/until'

const COUNT = 900
const records = '/v2/objects/things/records'

const service = forThisFile(async () => {
  const started = await startService()
  const { request } = started
  await makeObject(request, 'things', [{ api_slug: 'lot', type: 'text' }])
  for (const lot of ['moved', 'deleted']) {
    const operations = Array.from({ length: COUNT }, () => ({ op: 'create', values: { lot } }))
    expect((await request('POST', `${records}/batch?return=ids`, { data: { operations } })).body.data.failed).toBe(0)
  }
  return started
})

const jobOf = async (id: string) => (await service().request('GET', `/v2/jobs/${id}`)).body.data

async function createJob(filter: object, operation: object): Promise<string> {
  const { status, body } = await service().request('POST', `${records}/bulk`, { data: { filter, operation } })
  expect(status).toBe(202)
  return body.data.id.job_id
}

test.each([
  ['record.updated', 'moved', { op: 'update', values: { lot: 'elsewhere' } }],
  ['record.deleted', 'deleted', { op: 'delete' }],
])('each record has one event %s after two kills', async (event_type, lot, operation) => {
  const { request, crash } = service()
  const before = (await request('GET', '/v2/events?cursor=now')).body.pagination.next_cursor
  const id = await createJob({ lot }, operation)
  for (const share of [0.1, 0.5]) {
    await until(async () => (await jobOf(id)).done >= COUNT * share)
    await crash()
  }
  await until(async () => (await jobOf(id)).status === 'completed', { why: () => jobOf(id).then(JSON.stringify) })
  expect(await jobOf(id)).toMatchObject({ total: COUNT, done: COUNT, failed: 0, skipped: 0 })
  const ids = await recordsOfEvents(before, event_type)
  expect(ids).toHaveLength(COUNT)
  expect(new Set(ids).size).toBe(COUNT)
})

/** The records of all events of a type after a cursor of the feed, once as many as expected are published. */
async function recordsOfEvents(after: string, event_type: string): Promise<string[]> {
  const found: string[] = []
  let cursor = after
  await until(async () => {
    const { body } = await service().request('GET', `/v2/events?limit=1000&cursor=${cursor}`)
    cursor = body.pagination.next_cursor ?? cursor
    for (const { event } of body.data) if (event.event_type === event_type) found.push(event.id.record_id)
    return body.data.length === 0 && found.length >= COUNT
  })
  return found
}
