/** How work is taken, leased, retried and run, on a queue of the service. See docs/decisions/queues.md. */

import { beforeEach, describe, expect, test } from 'bun:test'
import { connect, connectionName } from '#db/connect'
import { captureLog } from '#testing/captured-log'
import { useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { contactQueue } from '#crm/contacts/job-store'
import { jobQueue } from '#api/jobs/run/leases'
import { QUEUES } from '#run/startup/workers'
import { createWorkerStatistics } from '#base/timing/worker-statistics'
import {
  deleteTaken,
  endLeasesOf,
  inTurn,
  queueWorker,
  readQueueLength,
  released,
  renewed,
  takeDue,
  updateLeased,
} from './queue'

const MINUTE = 60_000_000

const service = useTestService()
let now: number
beforeEach(async () => {
  await service.db.sql`delete from relata.contact_jobs`
  await service.db.sql`delete from relata.jobs`
  now = service.appContext.now() + MINUTE
})

/** Queues so many jobs of contacts. Returns their ids, the one due first before the others. */
async function fill(count: number): Promise<string[]> {
  const rows = await service.db.sql<{ id: string }[]>`
    insert into relata.contact_jobs (workspace_id, id, record_ids, is_bulk, created_at, due_at)
    select ${service.workspaceId}, gen_random_uuid(), array[gen_random_uuid()], false, now(), now() - interval '1 hour' + n * interval '1 second'
    from generate_series(1, ${count}::int) n returning id`
  return rows.map(({ id }) => id)
}

async function fillLeased(): Promise<string> {
  const id = crypto.randomUUID()
  const { number } = (
    await service.db.sql<{ number: number }[]>`
    select number from relata.actors where workspace_id = ${service.workspaceId} limit 1`
  )[0] ?? { number: 0 }
  await service.db.sql`
    insert into relata.jobs (workspace_id, id, entity_type_id, kind, actor, member_id, scopes, filter, operation, status, total, created_at, due_at)
    values (${service.workspaceId}, ${id}, ${crypto.randomUUID()}, 'object', ${number}, ${service.member.id}, '{}', '{}', '{}', 'running', 0,
      now(), now())`
  return id
}

const take = (limit = 10, at = now) => takeDue(service.db, contactQueue, { now: at, limit })
const takeJob = async (at = now) => (await takeDue(service.db, jobQueue, { now: at, limit: 1 }))[0]

describe('taking work', () => {
  test('several processes at once never get the same row, and get all', async () => {
    const ids = await fill(60)
    const others = Array.from({ length: 4 }, () => connect(service.url, { max: 1 }))
    const taken = await Promise.all(others.map((db) => takeDue(db, contactQueue, { now, limit: 20 })))
    await Promise.all(others.map((db) => db.close()))
    const rest = await take(60)
    const all = [...taken.flat(), ...rest].map(({ id }) => id)
    expect(all).toHaveLength(60)
    expect(new Set(all)).toEqual(new Set(ids))
  })

  test('gives what is due longest, at most as much as was asked for, and nothing that is not due', async () => {
    const ids = await fill(3)
    expect((await take(2)).map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 2).toSorted())
    expect((await take(10, now - 120 * MINUTE)).map(({ id }) => id)).toEqual([])
    expect((await take()).map(({ id }) => id)).toEqual(ids.slice(2))
    expect(await take()).toEqual([])
  })

  test('skips a row that another transaction has locked', async () => {
    const [locked = '', free = ''] = await fill(2)
    await service.db.sql.begin(async (tx) => {
      await tx`select 1 from relata.contact_jobs where id = ${locked} for update`
      expect((await take()).map(({ id }) => id)).toEqual([free])
    })
    expect((await take()).map(({ id }) => id)).toEqual([locked])
  })

  test('of a workspace leaves the work of others', async () => {
    await fill(1)
    const other = { now, limit: 1, workspaceId: crypto.randomUUID() }
    expect(await takeDue(service.db, contactQueue, other)).toEqual([])
    expect(await takeDue(service.db, contactQueue, { ...other, workspaceId: service.workspaceId })).toHaveLength(1)
  })
})

describe('an attempt', () => {
  test('that does not end its work is followed by another one after a back-off, which doubles', async () => {
    const [id = ''] = await fill(1)
    let at = now
    for (const [attempts, minutes] of [
      [1, 5],
      [2, 10],
      [3, 20],
    ] as const) {
      expect((await take(1, at)).map((row) => [row.id, row.attempts])).toEqual([[id, attempts]])
      // The back-off is up to a tenth shorter.
      expect(await take(1, at + 0.9 * minutes * MINUTE - 1)).toEqual([])
      at += minutes * MINUTE
    }
    expect(await take(1, at)).toHaveLength(1)
  })

  test('that ends its work leaves nothing', async () => {
    const taken = await take((await fill(2)).length)
    await deleteTaken(
      service.db.sql,
      contactQueue,
      service.workspaceId,
      taken.map(({ id }) => id),
    )
    expect(await service.db.sql`select 1 from relata.contact_jobs`).toHaveLength(0)
  })
})

describe('a lease', () => {
  test('that is not renewed ends, and the process that had it changes nothing any more', async () => {
    const id = await fillLeased()
    const first = await takeJob()
    const lost = { workspaceId: service.workspaceId, id, leaseId: first?.leased_by ?? '' }
    expect(await takeJob(now + MINUTE - 1)).toBeUndefined()
    const second = await takeJob(now + MINUTE)
    expect(second?.id).toBe(id)
    expect(await updateLeased(service.db.sql, jobQueue, lost, { done: 7 }, 'done')).toBeUndefined()
    const held = { ...lost, leaseId: second?.leased_by ?? '' }
    expect(await updateLeased(service.db.sql, jobQueue, held, { done: 8 }, 'done')).toBe(8)
  })

  test('that is renewed lasts, and one that is released is due at its new time, without attempts', async () => {
    const id = await fillLeased()
    const lease = { workspaceId: service.workspaceId, id, leaseId: (await takeJob())?.leased_by ?? '' }
    await updateLeased(service.db.sql, jobQueue, lease, renewed(jobQueue, now + MINUTE / 2), 'id')
    expect(await takeJob(now + MINUTE)).toBeUndefined()
    await updateLeased(service.db.sql, jobQueue, lease, released(now + 3 * MINUTE), 'id')
    expect(await takeJob(now + 2 * MINUTE)).toBeUndefined()
    expect(await takeJob(now + 3 * MINUTE)).toMatchObject({ id, attempts: 1 })
  })

  test('of a dead worker ends at once, in all tables with the columns of a queue', async () => {
    const tables = await service.db.sql<{ name: string }[]>`
      select 'relata.' || table_name as name from information_schema.columns
      where table_schema = 'relata' and column_name in ('due_at', 'attempts', 'leased_by', 'worker')
      group by table_name having count(*) = 4`
    expect(QUEUES.map(({ table }) => table).toSorted()).toEqual(tables.map(({ name }) => name).toSorted() as never[])
    await fill(1)
    const name = connectionName(crypto.randomUUID())
    const dead = connect(service.url, { max: 1, applicationName: name })
    expect(await takeDue(dead, contactQueue, { now, limit: 1 })).toHaveLength(1)
    await dead.close()
    expect(await take()).toEqual([])
    for (const queue of QUEUES) await endLeasesOf(service.db.sql, queue, [name], now)
    expect(await take()).toHaveLength(1)
  })

  test('that was released belongs to no worker, so a later death does not make the work due', async () => {
    const id = await fillLeased()
    const lease = { workspaceId: service.workspaceId, id, leaseId: (await takeJob())?.leased_by ?? '' }
    await updateLeased(service.db.sql, jobQueue, lease, released(now + MINUTE), 'id')
    await endLeasesOf(service.db.sql, jobQueue, [service.db.pools.applicationName], now)
    expect(await takeJob()).toBeUndefined()
  })
})

describe('the length of a queue', () => {
  const length = (at = now) => readQueueLength(service.db.sql, contactQueue, at)

  test('counts what is due, since its first row, and not what a process has', async () => {
    expect(await length()).toEqual({ waiting: 0, since: undefined })
    await fill(3)
    const [first] = await service.db.sql<{ micros: string }[]>`
      select (extract(epoch from min(due_at)) * 1000000)::bigint::text as micros from relata.contact_jobs`
    expect(await length()).toEqual({ waiting: 3, since: Number(first?.micros) })
    expect(await length(Number(first?.micros) - 1)).toEqual({ waiting: 0, since: undefined })
    await take(2)
    expect((await length()).waiting).toBe(1)
  })
})

describe('a worker', () => {
  /** Takes numbers from a list. Work on one of them calls `run`. */
  const workerOn = (list: number[], run: (item: number) => Promise<unknown>, slots = 1) =>
    queueWorker<object>({
      name: 'test',
      does: 'tests',
      queue: contactQueue,
      everyMs: 3_600_000,
      slots,
      async take() {
        const item = list.shift()
        return item === undefined ? undefined : () => run(item)
      },
    })

  test('works through its queue at its start, and after a wake signal', async () => {
    const list = [1, 2, 3]
    const done: number[] = []
    const worker = workerOn(list, async (item) => done.push(item)).start({})
    await worker.settled()
    list.push(4)
    worker.wake()
    await worker.settled()
    await worker.stop()
    expect(done).toEqual([1, 2, 3, 4])
  })

  test('runs as many pieces at the same time as it has slots', async () => {
    const areTwoRunning = Promise.withResolvers<void>()
    let most = 0
    let running = 0
    const work = async () => {
      most = Math.max(most, ++running)
      if (running === 2) areTwoRunning.resolve()
      await areTwoRunning.promise
      running--
    }
    await runWorker(workerOn([1, 2, 3, 4], work, 2), {})
    expect([most, running]).toEqual([2, 0])
  })

  test('logs failed work, and looks for more at the next wake signal', async () => {
    const done: number[] = []
    const list = [1, 2]
    const definition = workerOn(list, async (item) => {
      if (item === 1) throw new Error('no disk')
      done.push(item)
    })
    const lines: string[] = []
    await captureLog(() => runWorker(definition, {}), lines)
    expect(lines.join()).toContain('The worker that tests failed.')
    await runWorker(definition, {})
    expect(done).toEqual([2])
  })

  test('counts its runs, its failures, and what it logs of work that goes on', async () => {
    const list = [1, 2, 3]
    const statistics = createWorkerStatistics()
    const worker = queueWorker<object>({
      name: 'test',
      does: 'tests',
      queue: contactQueue,
      everyMs: 3_600_000,
      async take(_, stopping, logFailure) {
        const item = list.shift()
        if (item === 3) return async () => logFailure('A part failed.', new Error('refused'))
        if (item === 2) return () => Promise.reject(new Error('no disk'))
        return item === undefined ? undefined : async () => expect(statistics.state().running).toBe(1)
      },
    })
    const lines: string[] = []
    await captureLog(async () => {
      const running = worker.start({}, statistics)
      await running.settled()
      running.wake()
      await running.settled()
      await running.stop()
    }, lines)
    expect(statistics.state()).toMatchObject({ running: 0, runs: 3, failures: 2 })
    expect(statistics.state().seconds).toBeGreaterThan(0)
    expect(lines.join()).toContain('A part failed.')
  })

  test('that is stopped finishes the piece that runs and begins no other', async () => {
    const list = [1, 2]
    const isRunning = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const worker = workerOn(list, async () => {
      isRunning.resolve()
      await end.promise
    }).start({})
    await isRunning.promise
    const stopped = worker.stop()
    end.resolve()
    await stopped
    worker.wake()
    await worker.settled()
    expect(list).toEqual([2])
  })

  test('leaves the rest of a batch when it is stopped', async () => {
    const stopping = new AbortController()
    const done: number[] = []
    await inTurn([1, 2, 3], stopping.signal, async (item) => {
      done.push(item)
      if (item === 2) stopping.abort()
    })()
    expect(done).toEqual([1, 2])
  })
})
