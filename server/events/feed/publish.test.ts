import { describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'
import { appendToOutbox } from '#engine/outbox/outbox'
import { createEventHub } from '#events/webhooks/stream-hub'
import type { ChangeEvent } from '#vocabulary/event-types'
import { maintainPartitions } from './partitions'
import { publishBatch, type PublishedEvent } from './publish'

const service = useTestService()

const origin = (actor = 0) => ({ workspaceId: service.workspaceId, actor, at: service.appContext.now() })
const listCreated = (list_id: string, actor?: number): ChangeEvent => ({
  event_type: 'list.created',
  id: { list_id },
  ...(actor === undefined ? {} : { actor }),
})

async function publishAll(): Promise<PublishedEvent[]> {
  const published: PublishedEvent[] = []
  const keep = async (_: unknown, events: readonly PublishedEvent[]) => void published.push(...events)
  while ((await publishBatch(service.db, service.appContext.now, keep)) > 0);
  return published
}

const keyActor = async (): Promise<{ number: number; id: string }> => {
  const [row] = await service.db.sql<[{ number: number; id: string }]>`
    select number, id from relata.actors where workspace_id = ${service.workspaceId} and type = 'api-token' limit 1`
  return row
}

describe('publishBatch', () => {
  test('keeps the order, and adds the workspace and the actor', async () => {
    await publishAll()
    const { number, id } = await keyActor()
    await appendToOutbox(service.db.sql, origin(number), [listCreated('a'), listCreated('b', 0)])
    await appendToOutbox(service.db.sql, origin(), [listCreated('c')])
    const published = await publishAll()
    const workspace_id = service.workspaceId
    expect(published.map(({ body }) => body)).toEqual([
      { event_type: 'list.created', id: { workspace_id, list_id: 'a' }, actor: { type: 'api-token', id } },
      { event_type: 'list.created', id: { workspace_id, list_id: 'b' }, actor: { type: 'system', id: null } },
      { event_type: 'list.created', id: { workspace_id, list_id: 'c' }, actor: { type: 'system', id: null } },
    ])
    const kept = await service.db.sql`
      select position, body from relata.events where workspace_id = ${workspace_id} order by position desc limit 3`
    expect(kept.map(({ body }) => body as string).toReversed()).toEqual(published.map(({ text }) => text))
    expect(await publishAll()).toEqual([])
  })

  test('keeps the characters that separate rows and cells in parameters', async () => {
    await publishAll()
    await appendToOutbox(service.db.sql, origin(), [listCreated('a\x1e\x1f\x1db'), listCreated('c')])
    await publishAll()
    const kept = await service.db.sql`
      select body from relata.events where workspace_id = ${service.workspaceId} order by position desc limit 2`
    const ids = kept.map(({ body }) => (JSON.parse(body as string) as { id: { list_id: string } }).id.list_id) // as written
    expect(ids.toReversed()).toEqual(['a\x1e\x1f\x1db', 'c'])
  })

  test('finds a cached actor again, and not that of another workspace', async () => {
    const { number, id } = await keyActor()
    for (let round = 0; round < 2; round++) {
      await appendToOutbox(service.db.sql, origin(number), [listCreated('mine')])
      await appendToOutbox(service.db.sql, { ...origin(number), workspaceId: crypto.randomUUID() }, [
        listCreated('not'),
      ])
      const actors = (await publishAll()).map(({ body }) => body.actor)
      expect(actors).toEqual([
        { type: 'api-token', id },
        { type: 'system', id: null },
      ])
    }
  })

  test('positions have no gaps within a write, within a batch, and from batch to batch', async () => {
    const positions: number[] = []
    for (const writes of [[['a', 'b', 'c'], ['d']], [['e']], [['f', 'g'], ['h']]]) {
      for (const ids of writes)
        await appendToOutbox(
          service.db.sql,
          origin(),
          ids.map((id) => listCreated(id)),
        )
      positions.push(...(await publishAll()).map(({ position }) => Number(position)))
    }
    const [first = 0] = positions
    expect(positions).toEqual(Array.from({ length: 8 }, (_, index) => first + index))
  })

  test('events that were rolled back are never published', async () => {
    const undo = service.db.sql.begin(async (tx) => {
      await appendToOutbox(tx, origin(), [listCreated('never')])
      throw new Error('undone')
    })
    await expect(undo).rejects.toThrow('undone')
    expect(await publishAll()).toEqual([])
  })

  test('events stay in the outbox when matching fails', async () => {
    await appendToOutbox(service.db.sql, origin(), [listCreated('again')])
    const fails = publishBatch(service.db, service.appContext.now, () => Promise.reject(new Error('no')))
    await expect(fails).rejects.toThrow('no')
    expect((await publishAll()).length).toBe(1)
  })

  test('concurrent publishers publish each event once, each with its own position', async () => {
    const events = Array.from({ length: 1200 }, (_, index) => listCreated(String(index)))
    await Promise.all(events.map((event) => appendToOutbox(service.db.sql, origin(), [event])))
    const published = (await Promise.all([publishAll(), publishAll(), publishAll()])).flat()
    expect(published.length).toBe(1200)
    expect(new Set(published.map(({ position }) => position)).size).toBe(1200)
    expect(new Set(published.map(({ body }) => body.id.list_id)).size).toBe(1200)
  })

  test('the listeners of the workspace are notified, and no others', async () => {
    const hub = await createEventHub(service.db)
    const other = await service.anotherWorkspace()
    await publishAll()
    const heard = Promise.withResolvers<void>()
    let others = 0
    hub.subscribe(other.workspaceId, () => others++)
    hub.subscribe(service.workspaceId, heard.resolve)
    await appendToOutbox(service.db.sql, origin(), [listCreated('heard')])
    await publishAll()
    await heard.promise
    expect(others).toBe(0)
    await hub.close()
  })
})

describe('partitions', () => {
  const DAY = 86_400_000_000
  const partitions = async () => {
    const found = await service.db.sql<{ name: string }[]>`
      select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'relata.events'::regclass and c.relname <> 'events_default' order by 1`
    return found.map(({ name }) => name)
  }

  test('are created some days ahead and dropped when they expire', async () => {
    const start = Date.UTC(2030, 0, 30) * 1000
    await maintainPartitions(service.db, () => start, [{ table: 'events', days: 2 }])
    expect(await partitions()).toEqual([
      'events_2030_01_30',
      'events_2030_01_31',
      'events_2030_02_01',
      'events_2030_02_02',
    ])
    await maintainPartitions(service.db, () => start + 4 * DAY, [{ table: 'events', days: 2 }])
    expect(await partitions()).toEqual([
      'events_2030_02_01',
      'events_2030_02_02',
      'events_2030_02_03',
      'events_2030_02_04',
      'events_2030_02_05',
      'events_2030_02_06',
    ])
  })

  test('get the rows that were inserted before the partitions existed', async () => {
    const day = Date.UTC(2031, 0, 1) * 1000
    await publishAll()
    await appendToOutbox(service.db.sql, origin(), [listCreated('early')])
    await publishBatch(
      service.db,
      () => day,
      async () => {},
    )
    await maintainPartitions(service.db, () => day, [{ table: 'events', days: 2 }])
    const rows = await service.db
      .sql`select tableoid::regclass::text as name from relata.events where recorded_at >= '2031-01-01'`
    expect([...rows]).toEqual([{ name: 'relata.events_2031_01_01' }])
  })
})
