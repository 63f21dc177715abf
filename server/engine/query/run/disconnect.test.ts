/** A long query is cancelled when its caller disconnects, and does not delay other queries. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '#db/connect'
import { getObject } from '#engine/data-model/find'
import { testService, type TestService } from '#testing/service'
import { until } from '#testing/until'

let service: TestService
let address: string
/** Locks the table of people, so that queries of it wait until the test unlocks it. */
let entity: Awaited<ReturnType<Sql['reserve']>>

beforeAll(async () => {
  service = await testService()
  service.app.listen({ port: 0, hostname: '127.0.0.1' })
  address = `http://127.0.0.1:${service.app.server?.port}`
  // Responses for companies contain people, so they would wait as well.
  const things = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' }
  await service.request('POST', '/v2/objects', { data: things })
  const people = getObject(await service.appContext.models.get(service.workspaceId), 'people')
  entity = await service.db.sql.reserve()
  await entity`begin`
  await entity.unsafe(`lock table ${people.table} in access exclusive mode`)
})
afterAll(async () => {
  await entity`rollback`
  entity.release()
  await service.app.stop(true)
  await service.close()
})

const queryPeople = (signal: AbortSignal) =>
  fetch(`${address}/v2/objects/people/records/query`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' },
    body: '{}',
    signal,
  })

/** The concurrency limiter decides how many queries wait for the table at the same time. */
const untilSomeWait = () => until(async () => (await waiting()) > 0)

const untilNoneWaits = () => until(async () => (await waiting()) === 0)

async function waiting(): Promise<number> {
  const rows = await service.db.sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'select h.%'`
  return rows.length
}

test('a query is cancelled when its client disconnects, also one that has not begun', async () => {
  const callers = new AbortController()
  // More queries than connections for queries.
  const asking = Array.from({ length: 6 }, () => queryPeople(callers.signal).catch((error: unknown) => error))
  await untilSomeWait()
  callers.abort()
  for (const answer of await Promise.all(asking)) expect(answer).toMatchObject({ name: 'AbortError' })
  await untilNoneWaits()
})

test('200 for other requests while queries take long', async () => {
  const callers = new AbortController()
  const asking = Array.from({ length: 6 }, () => queryPeople(callers.signal).catch(() => undefined))
  await untilSomeWait()
  const created = await service.request('POST', '/v2/objects/things/records', { data: { values: {} } })
  const { record_id } = created.body.data.id
  expect((await service.request('GET', `/v2/objects/things/records/${record_id}`)).status).toBe(200)
  callers.abort()
  await Promise.all(asking)
  await untilNoneWaits()
})
