/** Patched faults of a transaction or a reservation whose connection is lost while the pool opens another one. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { connect, type Database, type Sql, type Transaction } from '../connect'
import { outcomeOf } from './testing/outcome'

let database: TestDatabase
/** A pool of one connection: a lost connection's replacement is what the next statement gets. */
let db: Database
beforeAll(async () => {
  database = await emptyTestDatabase()
  db = connect(database.url, { max: 1 })
  await db.sql`create table things (name text)`
})
beforeEach(async () => void (await db.sql`delete from things`))
afterAll(async () => {
  await db.close()
  await database.drop()
})

const names = async () => (await database.db.sql`select name from things order by name`).map(({ name }) => name)

/** Ends the backend of `sql`, and waits until its process has ended. */
async function terminate(sql: Sql | Transaction): Promise<void> {
  const [backend] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
  await database.db.sql`select pg_terminate_backend(${backend.pid}, 5000)`
}

/** Runs a transaction that loses its connection and runs `steps` while the replacement is in another transaction. */
async function lostAndReplaced(steps: (tx: Transaction) => Promise<unknown>): Promise<string> {
  const replaced = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  const lost = db.sql.begin(async (tx) => {
    await tx`insert into things values ('lost')`
    await terminate(tx)
    await replaced.promise
    const late = steps(tx)
    void outcomeOf(late).then(ended.resolve)
    return late
  })
  expect(await outcomeOf(lost)).toBe('CONNECTION_CLOSED')
  await db.sql.begin(async (tx) => {
    await tx`insert into things values ('first')`
    replaced.resolve()
    await ended.promise
    // A commit or rollback of the lost transaction would be ahead of this statement on the connection.
    await tx`insert into things values ('second')`
    expect(await names()).toEqual([])
  })
  return ended.promise
}

describe('a transaction whose connection is lost', () => {
  test('sends no statement over the replacement', async () => {
    expect(await lostAndReplaced((tx) => tx`insert into things values ('late')`)).toBe('CONNECTION_CLOSED')
    expect(await names()).toEqual(['first', 'second'])
  })

  test('does not commit another transaction when it ends', async () => {
    expect(await lostAndReplaced(async () => {})).toBe('done')
    expect(await names()).toEqual(['first', 'second'])
  })

  test('does not roll back another transaction when it fails', async () => {
    const failing = () => Promise.reject(Object.assign(new Error('It failed.'), { code: 'its own' }))
    expect(await lostAndReplaced(failing)).toBe('its own')
    expect(await names()).toEqual(['first', 'second'])
  })

  test('rejects the statements that wait to be sent', async () => {
    const waiting: Promise<string>[] = []
    const lost = db.sql.begin(async (tx) => {
      const [backend] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
      // A statement with a parameter is described first, so the one behind it stays in the transaction's queue.
      for (const seconds of [60, 61, 62]) waiting.push(outcomeOf(tx`select pg_sleep(${seconds})`))
      await untilAsleep()
      await database.db.sql`select pg_terminate_backend(${backend.pid})`
    })
    expect(await outcomeOf(lost)).toBe('CONNECTION_CLOSED')
    expect(await Promise.all(waiting)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED', 'CONNECTION_CLOSED'])
  })
})

describe('a reserved connection that is lost', () => {
  test('sends no statement over the replacement, and does not release it', async () => {
    const reserved = await db.sql.reserve()
    await terminate(reserved)
    await db.sql.begin(async (tx) => {
      await tx`insert into things values ('first')`
      expect(await outcomeOf(reserved`commit`)).toBe('CONNECTION_CLOSED')
      reserved.release()
      await tx`insert into things values ('second')`
      expect(await names()).toEqual([])
    })
    expect(await names()).toEqual(['first', 'second'])
  })

  test('rejects a statement sent before another connection exists, and the process goes on', async () => {
    const reserved = await db.sql.reserve()
    await terminate(reserved)
    expect(await outcomeOf(reserved`select 1`)).toBe('CONNECTION_CLOSED')
    expect(await outcomeOf(reserved`select 1`)).toBe('CONNECTION_CLOSED')
    reserved.release()
    expect(await outcomeOf(db.sql`select 1`)).toBe('done')
  })

  test('rejects the statements that wait to be sent', async () => {
    const reserved = await db.sql.reserve()
    const [backend] = await reserved<[{ pid: number }]>`select pg_backend_pid() as pid`
    const waiting = [60, 61, 62].map((seconds) => outcomeOf(reserved`select pg_sleep(${seconds})`))
    await untilAsleep()
    await database.db.sql`select pg_terminate_backend(${backend.pid})`
    expect(await Promise.all(waiting)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED', 'CONNECTION_CLOSED'])
    reserved.release()
  })
})

async function untilAsleep(): Promise<void> {
  const [asleep] = await database.db.sql`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  return asleep ? undefined : untilAsleep()
}
