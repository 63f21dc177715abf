/** SQL through a listening service: streams, clients that go away, limits, and requests beside it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createSqlRunner, type SqlRunner } from '#engine/sql/run/sql-runner'
import { captureLog } from '#testing/captured-log'
import { testService, type TestService } from '#testing/service'

/** It would take hours. The name finds it among the running statements. */
const endless = (name: string) =>
  `select count(*) as ${name} from generate_series(1, 1000000) a, generate_series(1, 1000000) b where a <> b`
const MANY_ROWS = "select n, 'row ' || n as name from generate_series(1, 100000) n"
const twoGigabytes = (name: string) =>
  `select n, m, repeat('x', 1000) as ${name} from generate_series(1, 2000) n, generate_series(1, 1000) m`
/** A machine that runs other tests as well may be slow. */
const PATIENCE_MS = 60_000
const TIMEOUT_MS = 500
const CONNECTIONS = 2
/** How many statements wait, as the runner allows. */
const WAITING = 32

let service: TestService
let address: string
/** The runner of the service. Tests of the time limit replace it. */
let runner: SqlRunner
let quickRunner: SqlRunner
const stopping = new AbortController()

beforeAll(async () => {
  service = await testService({}, (db, _, url) => {
    const runnerWith = (timeoutMs: number) =>
      createSqlRunner({ db, url, connections: CONNECTIONS, timeoutMs, shutdown: stopping.signal })
    runner = runnerWith(PATIENCE_MS)
    quickRunner = runnerWith(TIMEOUT_MS)
    return { sqlRunner: runner }
  })
  service.app.listen({ port: 0, hostname: '127.0.0.1' })
  address = `http://127.0.0.1:${service.app.server?.port}`
})
afterAll(async () => {
  await service.app.stop(true)
  await quickRunner.close()
  await service.close()
})

const post = (sql: string, { accept = 'application/json', signal }: { accept?: string; signal?: AbortSignal } = {}) =>
  fetch(`${address}/v2/sql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify({ sql }),
    ...(signal === undefined ? {} : { signal }),
  })

/** Runs work while the service has the short time limit. */
async function withTimeLimit(work: () => Promise<void>): Promise<void> {
  const before = { ...runner }
  Object.assign(runner, quickRunner)
  try {
    await work()
  } finally {
    Object.assign(runner, before)
  }
}

/** The number of running statements that contain this name. */
async function running(name: string): Promise<number> {
  const rows = await service.db.sql`
    select from pg_stat_activity
    where datname = current_database() and starts_with(usename, 'relata_sql_') and state = 'active'
      and query like ${`% as ${name} %`}`
  return rows.length
}

async function untilRunning(name: string, count: number): Promise<void> {
  if ((await running(name)) !== count) return untilRunning(name, count)
}

describe('a statement', () => {
  test('is cancelled when its client disconnects', async () => {
    const client = new AbortController()
    const asked = post(endless('test_1'), { signal: client.signal }).catch((error: unknown) => error)
    await untilRunning('test_1', 1)
    client.abort()
    expect(await asked).toMatchObject({ name: 'AbortError' })
    await untilRunning('test_1', 0)
  })

  test('400 after the time limit, with the message of PostgreSQL', () =>
    withTimeLimit(async () => {
      const response = await post(endless('test_2'))
      const { code, message } = (await response.json()) as { code: string; message: string }
      expect([response.status, code]).toEqual([400, 'filter_error'])
      expect(message).toStartWith('canceling statement due to statement timeout')
      expect(quickRunner.state()).toMatchObject({ refused: 0, timedOut: 1 })
      await untilRunning('test_2', 0)
    }))

  test('200 for requests to the API, and 503 for more SQL, while the queue is full', async () => {
    const clients = new AbortController()
    const asked = Array.from({ length: CONNECTIONS + WAITING }, () =>
      post(endless('test_3'), { signal: clients.signal }).catch(() => undefined),
    )
    await untilRunning('test_3', CONNECTIONS)
    const refused = await untilRefused()
    expect([refused.status, refused.headers.get('retry-after') !== null]).toEqual([503, true])
    expect(((await refused.json()) as { code: string }).code).toBe('unavailable')
    const query = await service.request('POST', '/v2/objects/people/records/query', {})
    expect(query.status).toBe(200)
    clients.abort()
    await Promise.all(asked)
    await untilRunning('test_3', 0)
    expect((await post('select 1')).status).toBe(200)
  })

  test('503 when its connection is lost, and the next one is answered', async () => {
    const asked = post(endless('test_4'))
    await untilRunning('test_4', 1)
    const lines: string[] = []
    const response = await captureLog(async () => {
      await service.db.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like '% as test_4 %' and pid <> pg_backend_pid()`
      return asked
    }, lines)
    expect(response.status).toBe(503)
    expect(lines).toHaveLength(1)
    expect((await post('select 1')).status).toBe(200)
  })
})

/** Sends SQL until the queue is full. Each refused client waits no longer. */
async function untilRefused(): Promise<Response> {
  const client = new AbortController()
  const response = await Promise.race([post('select 1', { signal: client.signal }), Bun.sleep(20)])
  if (response !== undefined) return response
  client.abort()
  return untilRefused()
}

describe('a stream', () => {
  test.each([
    ['text/csv', 'n,name\r\n1,row 1\r\n', 100_001],
    ['application/x-ndjson', '{"n":1,"name":"row 1"}\n', 100_000],
  ])('200 with 100,000 rows as %s', async (accept, start, lines) => {
    const response = await post(MANY_ROWS, { accept })
    const text = await response.text()
    expect([response.status, response.headers.get('content-type')?.startsWith(accept)]).toEqual([200, true])
    expect(text).toStartWith(start)
    expect(text.trimEnd().split('\n')).toHaveLength(lines)
  })

  test('is read no faster than its client reads it, and ends with its client', async () => {
    const client = new AbortController()
    const before = process.memoryUsage().rss
    const response = await post(twoGigabytes('test_6'), {
      accept: 'text/csv',
      signal: client.signal,
    })
    const reader = response.body?.getReader()
    await reader?.read()
    expect(await running('test_6')).toBe(1)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    client.abort()
    await reader?.read().catch(() => undefined)
    await untilRunning('test_6', 0)
  })

  test('400 for an error in its first page, a broken connection for one later', async () => {
    const early = await post('select 1 / (n - 1) from generate_series(1, 100000) n', { accept: 'text/csv' })
    expect([early.status, ((await early.json()) as { message: string }).message]).toEqual([400, 'division by zero'])
    const late = await post('select 1 / (n - 90000) from generate_series(1, 100000) n', { accept: 'text/csv' })
    expect(late.status).toBe(200)
    expect(
      await late.text().then(
        () => 'whole',
        () => 'broken',
      ),
    ).toBe('broken')
  })

  test('is broken at the time limit, although its client reads nothing', () =>
    withTimeLimit(async () => {
      const response = await post(twoGigabytes('test_8'), {
        accept: 'application/x-ndjson',
      })
      await untilRunning('test_8', 0)
      expect(
        await response.text().then(
          () => 'whole',
          () => 'broken',
        ),
      ).toBe('broken')
      expect((await post('select 1')).status).toBe(200)
    }))
})

test('503 for statements that run when the service stops', async () => {
  const asked = post(endless('test_9'))
  await untilRunning('test_9', 1)
  stopping.abort()
  expect((await asked).status).toBe(503)
  await untilRunning('test_9', 0)
})
