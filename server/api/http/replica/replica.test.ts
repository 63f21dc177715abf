/** Reads of callers on a replica by streaming replication. docs/scaling.md (A read replica). */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createApp } from '../../../app'
import type { AppContext } from '#context'
import { connect, type Database, ReplicaFailure } from '#db/connect'
import { healthRoutes } from '#api/http/monitoring/health'
import { createAnswers } from '#api/http/response/answer'
import { createIndexWorker } from '#engine/indexes/worker'
import { createSqlRunner } from '#engine/sql/run/sql-runner'
import { createClient } from '#testing/client'
import { startRelay } from '#testing/relay'
import { type ReplicatedServer, startReplicatedServer } from '#testing/replicated-server'
import { type TestService, testService } from '#testing/service'
import { until } from '#testing/until'
import { openReplica, type Replica, type ReplicaTimes } from './replica'

/** No write becomes old, and the replica may be behind for as long as a test takes. */
const PATIENT: ReplicaTimes = { lately: 7_200_000, renewal: 0, lag: 3_600_000, probe: 20, answer: 60_000 }

let servers: ReplicatedServer
let service: TestService
let standby: Database
const replicas: Replica[] = []
const admin = process.env.TEST_ADMIN_URL

beforeAll(async () => {
  servers = await startReplicatedServer()
  process.env.TEST_ADMIN_URL = servers.primaryUrl
  service = await testService()
  standby = connect(servers.onReplica(service.url), { max: 2 })
  await until(() => isThere(service.workspaceId))
})
afterAll(async () => {
  for (const replica of replicas) await replica.close()
  await standby.close()
  await service.close()
  await servers.stop()
  if (admin === undefined) delete process.env.TEST_ADMIN_URL
  else process.env.TEST_ADMIN_URL = admin
})

/** Whether the replica has a workspace. */
async function isThere(id: string): Promise<boolean> {
  const rows = await standby.sql`select 1 from relata.workspaces where id = ${id}`.catch(() => [])
  return rows.length > 0
}

/** A process that uses the replica. */
async function startProcess(
  times: ReplicaTimes = PATIENT,
  url = servers.onReplica(service.url),
  parts: Partial<AppContext> = {},
) {
  const { db } = service.appContext
  const open = (onClose: () => void) => connect(url, { max: 2, onClose })
  const replica = await openReplica({ db, open, times })
  replicas.push(replica)
  const appContext: AppContext = { ...service.appContext, replica, ...parts }
  const request = createClient(createApp(appContext), service.key)
  return {
    replica,
    request,
    /** Waits until the replica has all that the primary has. */
    catchUp: () =>
      until(async () => {
        const [primary] = await db.sql`select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as position`
        const [copy] = await standby.sql`select pg_last_wal_replay_lsn() - '0/0'::pg_lsn as position`.catch(() => [])
        return Number(copy?.position) >= Number(primary?.position) && replica.state().status === 'used'
      }),
    /** The outcomes of the reads during a piece of work. */
    async outcomes<T>(work: () => Promise<T>) {
      const before = replica.state().reads
      const result = await work()
      const counted = Object.entries(replica.state().reads).map(([name, count]) => [
        name,
        count - before[name as keyof typeof before],
      ])
      return { result, outcomes: Object.fromEntries(counted.filter(([, count]) => count !== 0)) }
    },
  }
}

type Process = Awaited<ReturnType<typeof startProcess>>

const create = async ({ request }: Pick<Process, 'request'>, name: string, key = service.key) => {
  const body = { data: { values: { name: { first_name: name, last_name: 'Test', full_name: `${name} Test` } } } }
  const answer = await request('POST', '/v2/objects/people/records', body, { key })
  expect(answer.status).toBe(200)
  return String(answer.body.data.id.record_id)
}
const query = ({ request }: Pick<Process, 'request'>, name: string, key = service.key) =>
  request('POST', '/v2/objects/people/records/query', { filter: { name: { first_name: name } } }, { key })
const found = async (process: Pick<Process, 'request'>, name: string, key = service.key): Promise<number> => {
  const { status, body } = await query(process, name, key)
  expect(status).toBe(200)
  return body.data.length
}
const pause = () => standby.sql`select pg_wal_replay_pause()`
const resume = () => standby.sql`select pg_wal_replay_resume()`

const SCOPES = ['record_permission:read-write', 'object_configuration:read', 'webhook:read', 'note:read-write'] as const

describe('with a replica that is behind', () => {
  let first: Process
  let other: Process
  let reader: string
  beforeAll(async () => {
    first = await startProcess()
    other = await startProcess()
  })
  beforeEach(async () => {
    reader = await service.keyWith(SCOPES)
    await first.catchUp()
    await other.catchUp()
  })

  test('a caller finds its own writes, in the process that wrote and in another one; other callers find them later', async () => {
    const writer = await service.keyWith(SCOPES)
    expect(await first.outcomes(() => found(first, 'Early', reader))).toEqual({ result: 0, outcomes: { replica: 1 } })
    await pause()
    try {
      await create(first, 'Early', writer)
      const own = { result: 1, outcomes: { own_write: 1 } }
      expect(await first.outcomes(() => found(first, 'Early', writer))).toEqual(own)
      expect(await other.outcomes(() => found(other, 'Early', writer))).toEqual(own)
      const others = { result: 0, outcomes: { replica: 1 } }
      expect(await first.outcomes(() => found(first, 'Early', reader))).toEqual(others)
      expect(await other.outcomes(() => found(other, 'Early', reader))).toEqual(others)
    } finally {
      await resume()
    }
    await first.catchUp()
    expect(await first.outcomes(() => found(first, 'Early', writer))).toEqual({ result: 1, outcomes: { replica: 1 } })
    expect(await other.outcomes(() => found(other, 'Early', reader))).toEqual({ result: 1, outcomes: { replica: 1 } })
  })

  test('the record by its id and unique values are read on the primary', async () => {
    const person = { data: { values: { email_addresses: ['late@example.com'] } } }
    await pause()
    try {
      const made = await first.request('POST', '/v2/objects/people/records', person)
      const path = `/v2/objects/people/records/${made.body.data.id.record_id}`
      const filter = { filter: { email_addresses: 'late@example.com' } }
      const { result, outcomes } = await first.outcomes(async () => [
        (await first.request('GET', path, undefined, { key: reader })).status,
        (await first.request('POST', '/v2/objects/people/records/query', filter, { key: reader })).body.data.length,
      ])
      expect([result, outcomes]).toEqual([[200, 1], {}])
    } finally {
      await resume()
    }
  })

  test('the feed, lists of notes and exports of others are behind, and skip nothing', async () => {
    const feed = async (cursor: string, key: string) =>
      (await first.request('GET', `/v2/events?cursor=${cursor}`, undefined, { key })).body
    const record = await create(first, 'Noted')
    await service.events()
    await first.catchUp()
    const end = (await feed('now', reader)).pagination.next_cursor
    await pause()
    let cursor: string
    try {
      const note = { parent_object: 'people', parent_record_id: record, title: 'New', format: 'plaintext', content: '' }
      expect((await first.request('POST', '/v2/notes', { data: note })).status).toBe(200)
      await service.events()
      const behind = await feed(end, reader)
      expect(behind.data).toEqual([])
      cursor = behind.pagination.next_cursor
      const notes = `/v2/notes?parent_object=people&parent_record_id=${record}`
      expect((await first.request('GET', notes, undefined, { key: reader })).body.data).toEqual([])
      expect((await first.request('GET', notes)).body.data.length).toBe(1)
      expect((await feed(end, service.key)).data.length).toBe(1)
      await create(first, 'Exported')
      const exported = async (key: string) => {
        const answer = await first.request('GET', '/v2/objects/people/records/export', undefined, { key })
        return JSON.stringify(answer.body).includes('Exported')
      }
      expect([await exported(reader), await exported(service.key)]).toEqual([false, true])
    } finally {
      await resume()
    }
    await service.events()
    await first.catchUp()
    expect((await feed(cursor, reader)).data.length).toBe(2)
  })

  test('a caller that asks how far its job has come finds what the job wrote', async () => {
    await create(first, 'Worked')
    await first.catchUp()
    await pause()
    try {
      await first.request('GET', '/v2/jobs', undefined, { key: reader })
      expect((await first.outcomes(() => found(first, 'Worked', reader))).outcomes).toEqual({ own_write: 1 })
    } finally {
      await resume()
    }
  })

  test('a table that the replica does not have yet is read on the primary', async () => {
    await pause()
    try {
      const object = { api_slug: 'later', singular_noun: 'Later', plural_noun: 'Laters' }
      expect((await first.request('POST', '/v2/objects', { data: object })).status).toBe(200)
      const asked = () => first.request('POST', '/v2/objects/later/records/query', {}, { key: reader })
      const { result, outcomes } = await first.outcomes(asked)
      expect([result.status, outcomes]).toEqual([200, { failed: 1 }])
    } finally {
      await resume()
    }
  })
})

test('SQL runs on the replica when that has the writes of the caller and the role of the workspace', async () => {
  const sql = createSqlRunner({
    db: service.db,
    url: service.url,
    replicaUrl: servers.onReplica(service.url),
    connections: 2,
    timeoutMs: 60_000,
  })
  const process = await startProcess(PATIENT, servers.onReplica(service.url), { sqlRunner: sql })
  const reader = await service.keyWith(SCOPES)
  await process.catchUp()
  const count = async (key: string) => {
    const { status, body } = await process.request('POST', '/v2/sql', { sql: 'select count(*) from people' }, { key })
    expect([status, body.message]).toEqual([200, undefined])
    return Number(body.data.rows[0][0])
  }
  const before = await count(reader)
  await process.catchUp()
  await pause()
  try {
    await create(process, 'Asked')
    expect(await process.outcomes(() => count(service.key))).toEqual({
      result: before + 1,
      outcomes: { own_write: 1 },
    })
    expect(await process.outcomes(() => count(reader))).toEqual({ result: before, outcomes: { replica: 1 } })
  } finally {
    await resume()
  }
  await sql.close()
})

test('an index that only queries on the replica use is not dropped', async () => {
  const { db, url } = service
  const process = await startProcess()
  const [people] = await db.sql<{ id: string; schema: string; name: string }[]>`
    select t.id, 'w_' || w.number as schema, 'o_' || t.number as name from relata.entity_types t join relata.workspaces w on w.id = t.workspace_id
    where w.id = ${service.workspaceId} and t.api_slug = 'people'`
  const table = `${people?.schema}.${people?.name}`
  await db.sql.unsafe(`create index only_elsewhere on ${table} ((id::text))`)
  await db.sql`
    insert into relata.indexes (workspace_id, entity_type_id, attribute_id, name, kind, definition, state, is_pinned, first_requested_at,
      last_requested_at, built_at)
    select workspace_id, ${String(people?.id)}, id, 'only_elsewhere', 'ordered', '', 'ready', false, now(), now(), now()
    from relata.attributes where workspace_id = ${service.workspaceId} and entity_type_id = ${String(people?.id)} limit 1`
  await process.catchUp()
  const scans = async () => {
    await standby.sql.unsafe(`select 1 from ${table} where id::text = 'x'`)
    await standby.sql`select pg_stat_force_next_flush()`
    const [row] = await standby.sql`select idx_scan from pg_stat_user_indexes where indexrelname = 'only_elsewhere'`
    return Number(row?.idx_scan) > 0
  }
  await until(scans)
  const later = () => service.appContext.now() + 40 * 86_400_000_000
  const worker = { db, url, now: later, unusedDays: 30 }
  expect(await createIndexWorker({ ...worker, replica: process.replica }).dropUnused()).toEqual([])
  const [index] = await db.sql`select last_used_at from relata.indexes where name = 'only_elsewhere'`
  expect(index?.last_used_at).not.toBeNull()
  const failing = { run: () => Promise.reject(new ReplicaFailure('The replica does not answer.')) }
  await expect(createIndexWorker({ ...worker, replica: failing }).dropUnused()).rejects.toBeInstanceOf(ReplicaFailure)
})

test('a replica that is too far behind is not used, until it has caught up', async () => {
  const process = await startProcess({ ...PATIENT, lag: 200 })
  const reader = await service.keyWith(SCOPES)
  await process.catchUp()
  await pause()
  try {
    await create(process, 'Behind')
    await until(async () => process.replica.state().status === 'behind')
    expect(await process.outcomes(() => found(process, 'Behind', reader))).toEqual({
      result: 1,
      outcomes: { not_used: 1 },
    })
  } finally {
    await resume()
  }
  await process.catchUp()
  expect((await process.outcomes(() => found(process, 'Behind', reader))).outcomes).toEqual({ replica: 1 })
})

test('a replica that stops while reads run is left without an error, and used again when it is back', async () => {
  const process = await startProcess()
  const reader = await service.keyWith(SCOPES)
  await create(process, 'Stopped')
  await process.catchUp()
  const stopped = new AbortController()
  const counts: number[] = []
  const reading = (async () => {
    while (!stopped.signal.aborted || counts.length === 0) counts.push(await found(process, 'Stopped', reader))
  })()
  await servers.stopReplica()
  await until(async () => process.replica.state().status !== 'used')
  stopped.abort()
  const health = healthRoutes(createAnswers('relata'), async () => undefined, process)
  const ready = await health.handle(new Request('http://localhost/readyz'))
  expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready', replica: 'unreachable' }])
  await reading
  expect(counts.every((count) => count === 1)).toBe(true)
  await servers.startReplica()
  await process.catchUp()
  expect((await process.outcomes(() => found(process, 'Stopped', reader))).outcomes).toEqual({ replica: 1 })
})

test('a replica that does not answer any more is left, also by the statements that run there', async () => {
  const relay = await startRelay(new URL(servers.onReplica(service.url)))
  const process = await startProcess({ ...PATIENT, answer: 200 }, relay.url)
  const reader = await service.keyWith(SCOPES)
  await create(process, 'Silent')
  await process.catchUp()
  const release = relay.hold()
  expect(await process.outcomes(() => found(process, 'Silent', reader))).toEqual({ result: 1, outcomes: { failed: 1 } })
  expect(process.replica.state().status).toBe('unreachable')
  release()
  await process.catchUp()
  relay.endConnections()
  relay.close()
})

test('a statement that the recovery of the replica ends runs on the primary, and one that reaches its time limit does not', async () => {
  const { replica, catchUp } = await startProcess()
  await catchUp()
  const { run } = replica.accessOf({ workspaceId: service.workspaceId, key: 'key', clientId: 'client' })
  const failing = (code: string) =>
    run(({ queries }) =>
      queries.unsafe(`do $$ begin raise exception 'ended' using errcode = '${code}'; end $$`).then(() => 'ran'),
    )
  for (const code of ['40001', '42P01', '42703', '25006'])
    await expect(failing(code)).rejects.toBeInstanceOf(ReplicaFailure)
  for (const code of ['57014', '22012']) await expect(failing(code)).rejects.toMatchObject({ code })
})

test('a server that is no replica is not used', async () => {
  const { db } = service.appContext
  const replica = await openReplica({
    db,
    open: (onClose) => connect(service.url, { max: 2, onClose }),
    times: PATIENT,
  })
  expect(replica.state().status).toBe('invalid')
  await replica.close()
})
