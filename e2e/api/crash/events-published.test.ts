/** Two services on one database are killed while clients write. Every committed write has exactly one event. */

import { afterAll, expect, test } from 'bun:test'
import { startWriters } from '../../support/consistency/acknowledged'
import { openReader } from '../../support/service/database'
import { forThisFile } from '../../support/service/service-per-file'
import { makeRelatedObjects } from '../../support/fixtures/random-writes'
import { startService } from '../../support/service/service'
import { type RunningProcess, startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { createRecord, recordIdOf } from '../../support/fixtures/value-cases'
import { findWholeRecords } from '../../support/consistency/whole-records'

const service = forThisFile(async () => {
  const started = await startService()
  await makeRelatedObjects(started.request)
  return started
})

let other: RunningProcess | undefined
afterAll(async () => {
  await other?.kill()
})

test('each record has one event, although both services are killed several times', async () => {
  const { request, key, crash, databaseUrl } = service()
  const groups = [recordIdOf(await createRecord(request, 'beta', {}))]
  for (let round = 0; round < 2; round++) {
    other = await startProcess({ DATABASE_URL: databaseUrl })
    const writers = [startWriters(service().url, key, groups, 3), startWriters(other.url, key, groups, 3)]
    await until(() => writers.every(({ acknowledged }) => acknowledged.length >= 15))
    await Promise.all([other.kill(), crash()])
    await Promise.all(writers.map((each) => each.stop()))
  }
  const reader = openReader(databaseUrl)
  try {
    // The running service publishes what the killed ones left in the outbox.
    await until(async () => (await reader`select 1 from relata.outbox limit 1`).length === 0)
    const { ids } = await findWholeRecords(reader)
    const { data: alpha } = (await request('GET', '/v2/objects/alpha')).body
    const told = (await readFeed()).filter(({ id }) => id.object_id === alpha.id.object_id)
    expect(told.map(({ id }) => id.record_id).toSorted()).toEqual(ids.toSorted())
  } finally {
    await reader.end()
  }
})

/** Reads every `record.created` of the feed, page by page. */
async function readFeed(): Promise<{ id: { object_id: string; record_id: string } }[]> {
  const events = []
  let next = ''
  for (;;) {
    const { body } = await service().request('GET', `/v2/events?event_type=record.created&limit=50${next}`)
    events.push(...body.data.map(({ event }: { event: unknown }) => event))
    if (!body.pagination.has_more) return events
    next = `&cursor=${body.pagination.next_cursor}`
  }
}
