import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type IndexTest, startIndexTest } from '#testing/indexes'
import { runIndexWorker } from './worker'

// A build waits for all transactions of the server, also those of other tests.

let indexes: IndexTest
beforeAll(async () => {
  indexes = await startIndexTest()
})
afterAll(() => indexes.service.close())

describe('the worker', () => {
  const wantName = async () => {
    await indexes.forget()
    await indexes.ask({ filter: { name: 'x' } })
    const [index] = await indexes.rows()
    return String(index?.name)
  }

  test('replaces the invalid index of an interrupted build', async () => {
    const name = await wantName()
    // A build whose connection was lost leaves an invalid index.
    await indexes.service.db.sql`update relata.indexes set state = 'building'`
    await indexes.service.db.sql.unsafe(`create index ${name} on ${indexes.table} (version)`)
    await indexes.service.db.sql`update pg_index set indisvalid = false where indexrelid = ${`w_1.${name}`}::regclass`
    expect(await indexes.buildAll()).toEqual([name])
    expect(await indexes.rows()).toMatchObject([{ state: 'ready', error: null }])
    const [index] = await indexes.service.db.sql`
      select pg_get_indexdef(indexrelid) as definition, indisvalid from pg_index where indexrelid = ${`w_1.${name}`}::regclass`
    expect(index).toMatchObject({
      indisvalid: true,
      definition: expect.stringContaining('USING btree (hashtextextended('),
    })
  })

  test('keeps an index that was built but not recorded', async () => {
    const name = await wantName()
    await indexes.buildAll()
    await indexes.service.db.sql`update relata.indexes set state = 'building'`
    expect(await indexes.buildAll()).toEqual([name])
    expect(await indexes.rows()).toMatchObject([{ state: 'ready' }])
  })

  test('stops after three failures, and stores the reason', async () => {
    const name = await wantName()
    await indexes.service.db.sql`update relata.indexes set definition = 'using btree (nonsense)'`
    for (let n = 1; n <= 3; n++) {
      expect(await indexes.buildAll()).toEqual([name])
      expect(await indexes.rows()).toMatchObject([{ state: n < 3 ? 'wanted' : 'failed', failures: n }])
      indexes.service.setNow(indexes.service.appContext.now() + n * 61_000_000)
    }
    indexes.service.setNow()
    expect(await indexes.rows()).toMatchObject([{ error: 'column "nonsense" does not exist' }])
    await indexes.ask({ filter: { name: 'x' } })
    expect(await indexes.buildAll()).toEqual([])
  })

  test('does nothing while another worker has the lock', async () => {
    await wantName()
    const other = await indexes.service.db.sql.reserve()
    await other`select pg_advisory_lock(hashtextextended('relata indexes', 0))`
    expect(await indexes.worker.buildNext()).toBeUndefined()
    await other`select pg_advisory_unlock_all()`
    other.release()
    expect(await indexes.buildAll()).toHaveLength(1)
  })

  test('is interrupted by a change of the same table', async () => {
    const name = await wantName()
    const { db } = indexes.service
    const other = await db.sql.reserve()
    // The build waits for this transaction, and has the table's lock meanwhile.
    await other`begin`
    await other.unsafe(`insert into ${indexes.table} (id, created_at, created_by, updated_at, updated_by)
      values (gen_random_uuid(), now(), 0, now(), 0)`)
    const building = indexes.worker.buildNext()
    const isWaiting = () => db.sql`select from pg_stat_activity where application_name = 'relata indexes'
      and wait_event_type = 'Lock' and query like 'create index%' and datname = current_database()`
    while ((await isWaiting()).length === 0);
    await indexes.worker.interrupt('01a1fb94-6742-779e-819c-cc037755ba08')
    expect(await isWaiting()).toHaveLength(1)
    await indexes.worker.interrupt(indexes.service.workspaceId)
    expect(await building).toBe(name)
    await other`rollback`
    other.release()
    expect(await indexes.rows()).toMatchObject([
      { state: 'wanted', failures: 0, error: expect.stringContaining('canceling') },
    ])
    indexes.service.setNow(indexes.service.appContext.now() + 20_000_000)
    expect(await indexes.buildAll()).toEqual([name])
    indexes.service.setNow()
    expect(await indexes.rows()).toMatchObject([{ state: 'ready', error: null }])
  })

  test('drops unused indexes, and keeps used and pinned ones', async () => {
    const later = (days: number) =>
      indexes.service.setNow(indexes.service.appContext.now() + days * 24 * 3600 * 1_000_000)
    const name = await wantName()
    await indexes.buildAll()
    later(29)
    expect(await indexes.worker.dropUnused()).toEqual([])
    await indexes.service.db.sql`update relata.indexes set scans = 1000`
    expect(await indexes.worker.dropUnused()).toEqual([])
    later(29)
    expect(await indexes.worker.dropUnused()).toEqual([])
    later(29)
    await indexes.service.db.sql`update relata.indexes set is_pinned = true`
    expect(await indexes.worker.dropUnused()).toEqual([])
    await indexes.service.db.sql`update relata.indexes set is_pinned = false`
    expect(await indexes.worker.dropUnused()).toEqual([name])
    indexes.service.setNow()
    expect(await indexes.rows()).toEqual([])
    expect((await indexes.reloadModel()).indexes.has(name)).toBe(false)
  })

  test('drops a covering index after eight days without use', async () => {
    const name = await wantName()
    await indexes.buildAll()
    await indexes.service.db.sql`update relata.indexes set kind = 'covering'`
    for (const [days, dropped] of [
      [7, []],
      [9, [name]],
    ] as const) {
      // prettier-ignore
      indexes.service.setNow(indexes.service.appContext.now() + days * 24 * 3600 * 1_000_000)
      expect(await indexes.worker.dropUnused()).toEqual([...dropped])
      indexes.service.setNow()
    }
  })

  test('keeps no index of a deleted attribute', async () => {
    await indexes.forget()
    await indexes.ask({ filter: { stars: 3 } })
    await indexes.buildAll()
    const { status } = await indexes.service.request('DELETE', '/v2/objects/things/attributes/stars')
    expect(status).toBe(200)
    expect(await indexes.rows()).toEqual([])
    expect(await indexes.service.db.sql`select from pg_class where relname like '%_value_ordered'`).toHaveLength(0)
  })
})

describe('a running worker', () => {
  test('builds wanted indexes, and stops during a build', async () => {
    const { db, url, appContext } = indexes.service
    const until = async (state: string): Promise<void> => {
      if ((await indexes.rows()).some((row) => row.state === state)) return
      return until(state)
    }
    await indexes.forget()
    const running = await runIndexWorker({ db, url, now: appContext.now, unusedDays: 30 })
    await indexes.ask({ filter: { name: 'x' } })
    await until('ready')

    await indexes.forget()
    const other = await db.sql.reserve()
    await other`begin`
    await other.unsafe(`lock table ${indexes.table} in share update exclusive mode`)
    await indexes.ask({ filter: { name: 'x' } })
    await until('building')
    await running.stop()
    await other`rollback`
    other.release()
    expect(await indexes.rows()).toMatchObject([{ state: 'wanted', failures: 0 }])
  })
})
