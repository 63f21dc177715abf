/** Registrations of writers, and how other processes find the outboxes of killed ones. See docs/decisions/events.md. */

import { beforeEach, describe, expect, test } from 'bun:test'
import { connect, type Database } from '#db/connect'
import { useTestService } from '#testing/use-service'
import { createAbandonedCheck, deleteEndedWriters } from '#events/feed/publisher'
import { asOutboxWriter, createOutboxWriter, outboxWriterOf } from './outbox'

const service = useTestService()
beforeEach(async () => {
  await service.db.sql`delete from relata.outbox_writers`
})

const registered = async () =>
  (await service.db.sql`select workspace_id, process, is_publishing from relata.outbox_writers order by 1, 2`).map(
    (row) => ({ ...row }),
  )
const end = () => service.db.sql`update relata.outbox_writers set registered_until = now() - interval '1 second'`
const untilOf = async () =>
  (await service.db.sql`select registered_until::text as time from relata.outbox_writers`)[0]?.time

describe('a writer', () => {
  const at = { now: 0 }
  const workspace = crypto.randomUUID()
  const writer = () => createOutboxWriter({ sql: service.db.sql, applicationName: 'relata a' }, () => at.now)

  test('registers before its first write, and the workspace is unpublished after the write', async () => {
    const { run, unpublished } = writer()
    const seen = await run(workspace, async () => [await registered(), unpublished.has(workspace)])
    expect(seen).toEqual([[{ workspace_id: workspace, process: 'relata a', is_publishing: false }], false])
    expect(unpublished.has(workspace)).toBe(true)
  })

  test('does not write when it could not register, and registers again at the next write', async () => {
    const { run } = writer()
    const writes: string[] = []
    await service.db.sql`alter table relata.outbox_writers rename to moved`
    const refused = run(workspace, async () => void writes.push('refused'))
    await expect(refused).rejects.toThrow('does not exist')
    await service.db.sql`alter table relata.moved rename to outbox_writers`
    await run(workspace, async () => void writes.push('written'))
    expect(writes).toEqual(['written'])
  })

  test('uses its registration for 40 seconds, and registers again before a later write', async () => {
    const { run } = writer()
    await run(workspace, async () => {})
    await end()
    const ended = await untilOf()
    at.now += 19_000
    expect(await run(workspace, untilOf)).toBe(ended)
    at.now += 21_000
    expect(await run(workspace, untilOf)).not.toBe(ended)
  })

  test('deletes a registration that it does not use, unless a write runs or is unpublished', async () => {
    const { run, unpublished, releaseUnused } = writer()
    await run(workspace, async () => {})
    await end()
    at.now += 40_000
    await releaseUnused()
    expect(await registered()).toHaveLength(1)
    unpublished.published(unpublished.next(), [])
    await releaseUnused()
    expect(await registered()).toEqual([])
    await run(workspace, async () => {
      await end()
      at.now += 40_000
      await releaseUnused()
      expect(await registered()).toHaveLength(1)
    })
  })

  test('deletes all registrations at its end, except those of workspaces with unpublished events', async () => {
    const { run, unpublished, close } = writer()
    await run(workspace, async () => {})
    unpublished.published(unpublished.next(), [])
    const other = crypto.randomUUID()
    await run(other, async () => {})
    await close()
    expect((await registered()).map(({ workspace_id }) => workspace_id)).toEqual([other])
  })

  test('of an idempotent request registers before the transaction', async () => {
    const Authorization = `Bearer ${service.key}`
    const data = JSON.stringify({ data: { values: {} } })
    const headers = { Authorization, 'Idempotency-Key': 'register' }
    const url = 'http://localhost/v2/objects/people/records'
    const answer = await service.app.handle(new Request(url, { method: 'POST', headers, body: data }))
    expect(answer.status).toBe(200)
    expect((await registered()).map(({ workspace_id }) => workspace_id)).toEqual([service.workspaceId])
    expect((await service.events()).map(({ event_type }) => event_type)).toEqual(['record.created'])
  })
})

describe('the outboxes of another process', () => {
  const workspace = crypto.randomUUID()
  const open = async (isPublishing: boolean): Promise<Database> => {
    const other = connect(service.url, { max: 1, applicationName: 'relata other' })
    if (isPublishing) outboxWriterOf(other).startPublishing()
    await asOutboxWriter(other, workspace, async () => {})
    return other
  }
  /** Resolves when PostgreSQL has noticed that the connections are closed. */
  const disconnect = async (other: Database) => {
    await other.close()
    while ((await service.db.sql`select 1 from pg_stat_activity where application_name = 'relata other'`).length > 0);
  }
  const found = (is_ended: boolean) => [
    expect.objectContaining({ workspace_id: workspace, process: 'relata other', is_ended }),
  ]

  test('that publishes are found once when it is killed, and once more when its registration has ended', async () => {
    const find = createAbandonedCheck(service.db)
    const other = await open(true)
    expect(await find()).toEqual([])
    await disconnect(other)
    expect(await find()).toEqual(found(false))
    expect(await find()).toEqual([])
    await end()
    const ended = await find()
    expect(ended).toEqual(found(true))
    await deleteEndedWriters(service.db, ended)
    expect(await registered()).toEqual([])
  })

  test('are kept registered when it registers again before its old registration is deleted', async () => {
    const find = createAbandonedCheck(service.db)
    await disconnect(await open(true))
    await end()
    const ended = await find()
    const other = await open(true)
    await deleteEndedWriters(service.db, ended)
    expect(await registered()).toHaveLength(1)
    await disconnect(other)
  })

  test('are found each time while it does not publish, or does not renew its registration', async () => {
    const find = createAbandonedCheck(service.db)
    const command = await open(false)
    for (let round = 0; round < 2; round++) expect(await find()).toEqual(found(false))
    await disconnect(command)
    const stuck = await open(true)
    expect(await find()).toEqual([])
    await service.db.sql`update relata.outbox_writers set registered_until = now() - interval '31 seconds'`
    for (let round = 0; round < 2; round++) expect(await find()).toEqual(found(false))
    await disconnect(stuck)
  })

  test('are not found in idle workspaces, which have no registration', async () => {
    const find = createAbandonedCheck(service.db)
    await service.anotherWorkspace()
    expect(await find()).toEqual([])
  })
})
