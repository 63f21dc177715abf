/** Batches of several workspaces: which are published, by which process, and in which order. See docs/decisions/events.md. */

import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { groupOf, lockPublishers, outboxWriterOf } from '#engine/outbox/outbox'
import { publishBatch, type PublishedEvent } from '#events/feed/publish'
import { until } from '#testing/until'
import { useTestService } from '#testing/use-service'

const service = useTestService()

interface TestWorkspace {
  readonly id: string
  readonly schema: string
}
/** More than are read by a statement each. */
let workspaces: readonly TestWorkspace[]
beforeAll(async () => {
  const { db, appContext } = service
  for (let index = 0; index < 22; index++)
    await createWorkspace(db, { name: `Batch ${index}`, slug: `batch-${index}`, now: appContext.now() })
  workspaces = await db.sql<TestWorkspace[]>`
    select id, 'w_' || number as schema from relata.workspaces where slug like 'batch-%' order by number`
})
beforeEach(async () => void (await service.events()))

/** Appends a write for each time, in seconds, without publishing it. Its event names its list by the time. */
async function append(
  { id, schema }: TestWorkspace,
  times: readonly number[],
  table = `${schema}.outbox`,
): Promise<void> {
  const isControl = table === 'relata.outbox'
  await service.db.sql.unsafe(
    `insert into ${table} (${isControl ? 'workspace_id, ' : ''}occurred_at, actor, events)
     select ${isControl ? `'${id}', ` : ''}to_timestamp(t), 0, json_build_array(json_build_object(
       'event_type', 'list.created', 'id', json_build_object('list_id', t::text), 'text', $2::text))
     from unnest($1::text::int[]) with ordinality as u(t, nth) order by nth`,
    [`{${times.join(',')}}`, text],
  )
  outboxWriterOf(service.db).unpublished.add(id)
}
let text = ''

/** The times of the events by workspace, in the order in which they were published. */
const published = new Map<string, number[]>()
const positions: bigint[] = []
async function keep(_: unknown, events: readonly PublishedEvent[]): Promise<void> {
  for (const { workspaceId, body, position } of events) {
    published.set(workspaceId, [...(published.get(workspaceId) ?? []), Number(body.id.list_id)])
    positions.push(BigInt(position))
  }
}
const publish = () => publishBatch(service.db, service.appContext.now, keep)
async function publishAll(): Promise<ReadonlyMap<string, number[]>> {
  published.clear()
  while ((await publish()) > 0);
  return published
}

const first = (): TestWorkspace => workspaces[0] ?? { id: '', schema: '' }
const lengthOf = async ({ schema }: TestWorkspace) =>
  (await service.db.sql.unsafe(`select from ${schema}.outbox`)).length

describe('writes of many workspaces', () => {
  const TIMES = [1, 2, 3, 4, 5, 6, 7]

  test('are published in their order, also those beyond what a batch takes of each', async () => {
    for (const workspace of workspaces) await append(workspace, TIMES)
    positions.length = 0
    const found = await publishAll()
    expect([...found.values()]).toEqual(workspaces.map(() => TIMES))
    expect(positions).toEqual(positions.toSorted((a, b) => Number(a - b)))
    for (const workspace of workspaces) expect(await lengthOf(workspace)).toBe(0)
  })

  test('are merged by time with those of the control tables', async () => {
    for (const workspace of workspaces) await append(workspace, [10, 30])
    await append(first(), [20, 40], 'relata.outbox')
    const found = await publishAll()
    expect(found.get(first().id)).toEqual([10, 20, 30, 40])
    expect(found.size).toBe(workspaces.length)
  })

  test('that are large are published in several batches', async () => {
    text = 'x'.repeat(100_000)
    for (const workspace of workspaces) await append(workspace, [1])
    text = ''
    expect(await publish()).toBeLessThan(workspaces.length)
    await publishAll()
    for (const workspace of workspaces) expect(await lengthOf(workspace)).toBe(0)
  })

  test('wait for a write of the control tables that came while they were read', async () => {
    for (const workspace of workspaces) await append(workspace, [20])
    published.clear()
    let publishing: Promise<unknown> | undefined
    await service.db.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${workspaces.at(-1)?.schema}.outbox in access exclusive mode`)
      publishing = publish()
      await until(() => isWaiting('relation'))
      await append(first(), [10], 'relata.outbox')
    })
    await publishing
    while ((await publish()) > 0);
    expect(published.get(first().id)).toEqual([10, 20])
    expect(published.size).toBe(workspaces.length)
  })

  test('stay where they are when the batch fails', async () => {
    for (const workspace of workspaces) await append(workspace, [1])
    const fails = publishBatch(service.db, service.appContext.now, () => Promise.reject(new Error('no')))
    await expect(fails).rejects.toThrow('no')
    expect(await lengthOf(first())).toBe(1)
    expect((await publishAll()).size).toBe(workspaces.length)
  })
})

/** Whether a transaction of this database waits for such a lock. */
async function isWaiting(type: 'relation' | 'advisory'): Promise<boolean> {
  const rows = await service.db.sql`
    select 1 from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = ${type} and not l.granted and d.datname = current_database()`
  return rows.length > 0
}

describe('while another process publishes a group', () => {
  const isInGroup = ({ id }: TestWorkspace) => groupOf(id) === groupOf(first().id)
  const few = () => [...workspaces.filter((each) => !isInGroup(each)).slice(0, 1), first()]

  test.each([
    ['two', few],
    ['many', () => workspaces],
  ])('the others of %s workspaces are published, and its own afterwards', async (_, chosen) => {
    const some = chosen()
    for (const workspace of some) await append(workspace, [1])
    published.clear()
    await service.db.sql.begin(async (tx) => {
      await lockPublishers(tx, first().id)
      await publish()
      const others = some.filter((each) => !isInGroup(each))
      expect(new Set(published.keys())).toEqual(new Set(others.map(({ id }) => id)))
    })
    while ((await publish()) > 0);
    expect(published.size).toBe(some.length)
  })

  test('a publisher with nothing else waits for it', async () => {
    await append(first(), [1])
    published.clear()
    let publishing: Promise<unknown> | undefined
    await service.db.sql.begin(async (tx) => {
      await lockPublishers(tx, first().id)
      publishing = publish()
      await until(() => isWaiting('advisory'))
      expect(published.size).toBe(0)
    })
    await publishing
    expect(published.get(first().id)).toEqual([1])
  })
})

describe('while a process of a version without groups publishes', () => {
  const LOCK = 0x72_65_6c_65

  test.each([
    ['a publisher', () => publish()],
    ['an erasure', () => service.db.sql.begin((tx) => lockPublishers(tx, first().id))],
  ])('%s waits for it', async (_, run) => {
    await append(first(), [1])
    let running: Promise<unknown> | undefined
    await service.db.sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${LOCK})`
      running = run()
      await until(() => isWaiting('advisory'))
      expect(await lengthOf(first())).toBe(1)
    })
    await running
    while ((await publish()) > 0);
    expect(await lengthOf(first())).toBe(0)
  })
})
