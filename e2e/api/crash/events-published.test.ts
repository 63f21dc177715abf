/**
 * Two services on one database are killed while clients write, before events are published and while they are. Every
 * committed write has exactly one event.
 */

import { afterAll, expect, test } from 'bun:test'
import { startWriters } from '../../support/consistency/acknowledged'
import { openReader, type Reader } from '../../support/service/database'
import { forThisFile } from '../../support/service/service-per-file'
import { makeRelatedObjects } from '../../support/fixtures/random-writes'
import { createRequest } from '../../support/http/client'
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
    await expectOneEventEach(reader)
  } finally {
    await reader.end()
  }
})

/** The numbers of the advisory locks that publishers hold, one for each group of workspaces. */
const [PUBLISHER_LOCK, LAST_GROUP] = [0x72_65_6c_65, 15]

test('a service publishes what another one committed and could not publish before it was killed', async () => {
  const reader = openReader(service().databaseUrl)
  other = await startProcess({ DATABASE_URL: service().databaseUrl })
  const lock = await reader.reserve()
  try {
    await lock`select pg_advisory_lock(${PUBLISHER_LOCK}, id) from generate_series(0, ${LAST_GROUP}::int) id`
    const request = createRequest(other.url, service().key)
    const id = recordIdOf(await createRecord(request, 'alpha', { code: 'unpublished' }))
    await other.kill()
    expect(await recordsWithEvent()).not.toContain(id)
    await lock`select pg_advisory_unlock(${PUBLISHER_LOCK}, id) from generate_series(0, ${LAST_GROUP}::int) id`
    await expectOneEventEach(reader)
  } finally {
    lock.release()
    await reader.end()
  }
})

test('a service publishes what another one was publishing when it was killed', async () => {
  const { databaseUrl, key, crash } = service()
  const reader = openReader(databaseUrl)
  const killed = await startProcess({ DATABASE_URL: databaseUrl })
  other = killed
  const created: string[] = []
  try {
    await reader.begin(async (tx) => {
      await tx`lock table relata.events in exclusive mode`
      const request = createRequest(killed.url, key)
      created.push(recordIdOf(await createRecord(request, 'alpha', { code: 'published-once' })))
      await until(() => isPublisherWaiting(reader))
      await Promise.all([killed.kill(), crash()])
    })
    await expectOneEventEach(reader)
    expect(await recordsWithEvent()).toEqual(expect.arrayContaining(created))
  } finally {
    await reader.end()
  }
})

/** Whether a publisher waits for the lock of the table of events. */
async function isPublisherWaiting(reader: Reader): Promise<boolean> {
  const waiting = await reader`
    select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into relata.events%'`
  return waiting.length > 0
}

/** The running service publishes what the killed ones left in the outboxes. */
async function expectOneEventEach(reader: Reader): Promise<void> {
  await until(async () => (await readOutboxes(reader)) === 0)
  const { ids } = await findWholeRecords(reader)
  expect((await recordsWithEvent()).toSorted()).toEqual(ids.toSorted())
}

/** The number of writes that are not published. */
async function readOutboxes(reader: Reader): Promise<number> {
  const [workspace] = await reader<{ number: number }[]>`select number from relata.workspaces`
  const [row] = await reader.unsafe<{ count: number }[]>(
    `select (select count(*) from relata.outbox)::int + (select count(*) from w_${workspace?.number}.outbox)::int as count`,
  )
  return row?.count ?? 0
}

/** The records of `alpha` in the feed, one for each event. */
async function recordsWithEvent(): Promise<string[]> {
  const { data: alpha } = (await service().request('GET', '/v2/objects/alpha')).body
  const events = await readFeed()
  return events.filter(({ id }) => id.object_id === alpha.id.object_id).map(({ id }) => id.record_id)
}

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
