/**
 * Requests of a process that is overloaded: queries wait for a table that the test has locked, and hold their slots meanwhile. The clock of
 * the limiter is stopped. See docs/reference/errors-and-limits.md (Overload).
 */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Sql } from '#db/connect'
import { createMetrics } from '#api/http/monitoring/metrics'
import { getObject } from '#engine/data-model/find'
import type { Answer } from '#testing/client'
import { type Person, signedIn } from '#testing/people'
import { testService, type TestService, type TestWorkspace } from '#testing/service'
import { until } from '#testing/until'
import { createRequestLimiter, type RequestLimiter } from './request-limiter'

/** Eight slots: six of a workspace, of which queries use four and batches three. */
const CONNECTIONS = 2
const OF_QUERIES = 4
const OF_BATCHES = 3
/** Longer than any request may wait. */
const TOO_LONG_MS = 10_000_000

let now = 0
let limiter: RequestLimiter
let service: TestService
let other: TestWorkspace
let admin: Person
let lock: Awaited<ReturnType<Sql['reserve']>>
let recordId: string
const pending: Promise<Answer>[] = []

beforeAll(async () => {
  limiter = createRequestLimiter(CONNECTIONS, () => now)
  service = await testService({}, () => ({
    concurrency: limiter,
    metrics: createMetrics({ concurrency: limiter.state }),
  }))
  other = await service.anotherWorkspace()
  admin = await signedIn(service)
  const things = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' }
  await service.request('POST', '/v2/objects', { data: things })
  const company = { data: { values: { name: 'Analytical Engines' } } }
  recordId = (await service.request('POST', '/v2/objects/companies/records', company)).body.data.id.record_id
  lock = await service.db.sql.reserve()
})
afterAll(async () => {
  lock.release()
  await service.close()
})

/** Ends what the test holds. */
afterEach(async () => {
  await lock`rollback`
  await Promise.all(pending.splice(0))
  expect(running()).toEqual([0, 0, 0])
})

const running = () => Object.values(limiter.state()).map(({ running }) => running)

async function lockThings(): Promise<void> {
  const things = getObject(await service.appContext.models.get(service.workspaceId), 'things')
  await lock`begin`
  await lock.unsafe(`lock table ${things.table} in access exclusive mode`)
}

const send = (path: string, body: unknown, options = {}): Promise<Answer> => {
  const answer = service.request('POST', path, body, options)
  pending.push(answer)
  return answer
}
const queryThings = () => send('/v2/objects/things/records/query', {})

/** Sends queries until those that run have all their slots, and `waiting` more. */
async function flood(waiting: number): Promise<Promise<Answer>[]> {
  await lockThings()
  const answers = Array.from({ length: OF_QUERIES + waiting }, queryThings)
  await until(() => limiter.state().normal.running === OF_QUERIES && limiter.state().normal.waiting === waiting)
  return answers
}

describe('requests beyond the slots', () => {
  test('503 with Retry-After and an error body for those that waited too long', async () => {
    const answers = await flood(3)
    now += TOO_LONG_MS
    const [late] = await Promise.all(answers.slice(-1))
    expect([late?.status, late?.body]).toEqual([
      503,
      {
        status_code: 503,
        type: 'api_error',
        code: 'unavailable',
        message: 'The service has too many requests right now, please try again in a few seconds.',
      },
    ])
    expect(late?.headers.get('Retry-After')).toMatch(/ GMT$/)
    expect(limiter.state().normal.running).toBe(OF_QUERIES)
    expect((await service.request('GET', '/metrics')).body).toContain(
      'relata_requests_overloaded_total{class="normal"} 3\n',
    )
  })

  test('200 for those that wait until a slot is free', async () => {
    const answers = await flood(3)
    await lock`rollback`
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(OF_QUERIES + 3).fill(200))
  })

  test('200 meanwhile for reads of single records, for members at the console, and without a turn for health and metrics', async () => {
    await flood(1)
    const { status } = await service.request('GET', `/v2/objects/companies/records/${recordId}`)
    const ofConsole = await admin.ask('GET', '/console/v2/objects')
    const open = ['/healthz', '/metrics', '/openapi.json'].map((path) => service.request('GET', path))
    expect([status, ofConsole.status, ...(await Promise.all(open)).map((each) => each.status)]).toEqual([
      200, 200, 200, 200, 200,
    ])
  })

  test('200 meanwhile for another workspace', async () => {
    await flood(20)
    const { status } = await service.request('POST', '/v2/objects/companies/records/query', {}, { key: other.key })
    expect(status).toBe(200)
  })

  test('a refused write has no effect, its body is not read, and its idempotency key can be used again', async () => {
    await lockThings()
    const batch = (values: object) => ({ data: { operations: [{ op: 'create', values }] } })
    const held = Array.from({ length: OF_BATCHES }, () => send('/v2/objects/things/records/batch', batch({})))
    await until(() => limiter.state().heavy.running === OF_BATCHES)
    const path = '/v2/objects/companies/records/batch'
    const options = { headers: { 'Idempotency-Key': 'overload' } }
    const refused = send(path, batch({ name: 'Difference Engines' }), options)
    const invalid = send(path, 'not JSON')
    await until(() => limiter.state().heavy.waiting === 2)
    now += TOO_LONG_MS
    expect([(await refused).status, (await invalid).status]).toEqual([503, 503])
    await lock`rollback`
    await Promise.all(held)
    const again = await service.request('POST', path, batch({ name: 'Difference Engines' }), options)
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, null])
    const filter = { name: 'Difference Engines' }
    const found = await service.request('POST', '/v2/objects/companies/records/query', { filter })
    expect(found.body.data).toHaveLength(1)
  })

  test('503 for a body of more than 64 kB and for an upload', async () => {
    await lockThings()
    for (let count = 0; count < OF_BATCHES; count++)
      send('/v2/objects/things/records/batch', { data: { operations: [{ op: 'create', values: {} }] } })
    await until(() => limiter.state().heavy.running === OF_BATCHES)
    const large = { headers: { 'Content-Length': '70000' } }
    const answers = [
      send('/v2/tasks', 'x'.repeat(70_000), large),
      send('/v2/files/upload', new Uint8Array([1]), { headers: { 'Content-Type': 'multipart/form-data; boundary=x' } }),
    ]
    await until(() => limiter.state().heavy.waiting === answers.length)
    now += TOO_LONG_MS
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503])
  })
})

test('503 for SCIM, in its form', async () => {
  await flood(1)
  const refused = service.request('GET', '/scim/v2/Users')
  await until(() => limiter.state().normal.waiting === 2)
  now += TOO_LONG_MS
  const { status, headers, body } = await refused
  expect([status, headers.get('Content-Type')]).toEqual([503, expect.stringContaining('application/scim+json')])
  expect(headers.get('Retry-After')).toMatch(/ GMT$/)
  expect(body).toEqual<unknown>({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '503',
    detail: expect.stringContaining('too many requests'),
  })
})

test('401 and 403 come before 503', async () => {
  const key = await service.keyWith(['note:read'])
  await flood(1)
  expect((await service.request('POST', '/v2/objects/things/records/query', {}, { key: 'wrong' })).status).toBe(401)
  expect((await service.request('POST', '/v2/objects/things/records/query', {}, { key })).status).toBe(403)
})
