/** The service is killed after a write and before its response. A retry with the same key gets the response, and the write is done once. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openReader } from '../../support/service/database'
import { forThisFile } from '../../support/service/service-per-file'
import { startService } from '../../support/service/service'
import { until } from '../../support/until'

const service = forThisFile(() => startService())
const PEOPLE = '/v2/objects/people/records'

let admin: ReturnType<typeof openReader>
beforeAll(async () => {
  admin = openReader(service().databaseUrl)
  // Blocks every commit of a stored response while the test holds the lock.
  await admin.unsafe(`
    create function public.wait_at_commit() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(4711); return null; end $$;
    create constraint trigger wait_at_commit after insert on relata.idempotent_answers
      deferrable initially deferred for each row execute function public.wait_at_commit();`)
})
afterAll(() => admin.end())

const body = (email: string) => ({ data: { values: { email_addresses: [email] } } })
const create = (email: string) =>
  service().request('POST', PEOPLE, body(email), { headers: { 'Idempotency-Key': email } })

async function countOf(email: string): Promise<number> {
  const filter = { email_addresses: { email_address: { $eq: email } } }
  const answer = await service().request('POST', `${PEOPLE}/query`, { filter })
  return answer.body.data.length
}

/** Waits until the commit of a connection is blocked. Returns the process id of the connection. */
async function waiting(): Promise<number> {
  let pid: number | undefined
  await until(async () => {
    const [row] = await admin<[{ pid: number }?]>`
      select pid from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`
    pid = row?.pid
    return pid !== undefined
  })
  return pid ?? 0
}

/** Kills the service while the commit of a write is blocked. `then` lets the commit succeed or fail. */
async function crashAtCommit(email: string, then: (pid: number) => Promise<unknown>): Promise<void> {
  const committing = await admin.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(4711)`
    const unanswered = create(email).catch(() => undefined)
    const pid = await waiting()
    await service().crash()
    expect(await unanswered).toBeUndefined()
    await then(pid)
    return pid
  })
  await until(async () => (await admin`select 1 from pg_stat_activity where pid = ${committing}`).length === 0)
}

describe('a service that is killed between a write and its response', () => {
  test('200 for a retry of a committed write, which is not repeated', async () => {
    const email = 'committed@relata.dev'
    await crashAtCommit(email, async () => {})
    expect(await countOf(email)).toBe(1)
    const again = await create(email)
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, 'true'])
    const record = await service().request('GET', `${PEOPLE}/${again.body.data.id.record_id}`)
    expect(record.body.data.values).toEqual(again.body.data.values)
    expect(await countOf(email)).toBe(1)
  })

  test('200 for a retry of an uncommitted write, which is done then', async () => {
    const email = 'undone@relata.dev'
    await crashAtCommit(email, (pid) => admin`select pg_terminate_backend(${pid})`)
    expect(await countOf(email)).toBe(0)
    const again = await create(email)
    expect([again.status, again.headers.get('Idempotent-Replayed')]).toEqual([200, null])
    expect(await countOf(email)).toBe(1)
  })
})
