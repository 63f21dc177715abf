/** What becomes of a transaction whose connection is lost, while its pool goes on with another. The driver is patched for it. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '../server/testing/database'
import { connect, type Database, type Sql, type Transaction } from './connect'

let database: TestDatabase
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
const settled = async (work: PromiseLike<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    ({ code }) => code,
  )

/** Ends the process of `of`, and waits until it is gone. */
async function lose(of: Sql | Transaction): Promise<void> {
  const [backend] = await of<[{ pid: number }]>`select pg_backend_pid() as pid`
  await database.db.sql`select pg_terminate_backend(${backend.pid}, 5000)`
}

/** A transaction that loses the only connection; what its `steps` do then, they do when another has taken its place. */
async function lostAndReplaced(steps: (tx: Transaction) => Promise<unknown>): Promise<string> {
  const replaced = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  const lost = db.sql.begin(async (tx) => {
    await tx`insert into things values ('lost')`
    const late = replaced.promise.then(() => steps(tx))
    settled(late).then(ended.resolve)
    await lose(tx)
    return late
  })
  expect(await settled(lost)).toBe('CONNECTION_CLOSED')
  await db.sql.begin(async (tx) => {
    await tx`insert into things values ('first')`
    replaced.resolve()
    await ended.promise
    // Its commit or rollback, if there were one, would be sent by now.
    expect(await names()).toEqual([])
    await tx`insert into things values ('second')`
    expect(await names()).toEqual([])
  })
  return ended.promise
}

describe('a transaction whose connection is lost', () => {
  test('writes nothing by the connection that took its place', async () => {
    expect(await lostAndReplaced((tx) => tx`insert into things values ('late')`)).toBe('CONNECTION_CLOSED')
    expect(await names()).toEqual(['first', 'second'])
  })

  test('does not commit another when it ends', async () => {
    expect(await lostAndReplaced(async () => {})).toBe('done')
    expect(await names()).toEqual(['first', 'second'])
  })

  test('does not undo another when it fails', async () => {
    const failing = () => Promise.reject(Object.assign(new Error('It failed.'), { code: 'of its own' }))
    expect(await lostAndReplaced(failing)).toBe('of its own')
    expect(await names()).toEqual(['first', 'second'])
  })

  test('answers every statement that waited to be sent', async () => {
    const waiting: Promise<string>[] = []
    const lost = db.sql.begin(async (tx) => {
      const [backend] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
      for (const seconds of [60, 61, 62]) waiting.push(settled(tx`select pg_sleep(${seconds})`))
      await untilAsleep()
      await database.db.sql`select pg_terminate_backend(${backend.pid})`
    })
    expect(await settled(lost)).toBe('CONNECTION_CLOSED')
    expect(await Promise.all(waiting)).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED', 'CONNECTION_CLOSED'])
  })

  test('answers the statements that are sent while it is being lost', async () => {
    // There is a moment between the failure of a connection and its end, which most rounds meet.
    for (let round = 0; round < 10; round++) {
      const answers: string[] = []
      const lost = db.sql.begin(async (tx) => {
        const [backend] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`
        await database.db.sql`select pg_terminate_backend(${backend.pid})`
        while (answers.filter((answer) => answer !== 'done').length < 3) answers.push(await settled(tx`select 1`))
      })
      expect(await settled(lost)).not.toBe('done')
      expect(await settled(db.sql`select 1`)).toBe('done')
    }
  })
})

describe('a reserved connection', () => {
  test('that is lost is not mistaken for the one that took its place', async () => {
    const reserved = await db.sql.reserve()
    await lose(reserved)
    await db.sql.begin(async (tx) => {
      await tx`insert into things values ('first')`
      expect(await settled(reserved`commit`)).toBe('CONNECTION_CLOSED')
      reserved.release()
      await tx`insert into things values ('second')`
      expect(await names()).toEqual([])
    })
    expect(await names()).toEqual(['first', 'second'])
  })

  test('may be the first of its pool, or wait for one that is lost', async () => {
    const other = connect(database.url, { max: 1 })
    const reserved = await other.sql.reserve()
    const [backend] = await reserved<[{ pid: number }]>`select pg_backend_pid() as pid`
    const waiting = [other.sql.reserve(), other.sql.reserve()]
    await database.db.sql`select pg_terminate_backend(${backend.pid})`
    for (const next of waiting) {
      const one = await next
      expect(await settled(one`select 1`)).toBe('done')
      one.release()
    }
    await other.close()
  })
})

test('what follows on a lost connection is not told of the failure before it', async () => {
  const sleeping = settled(db.sql`select pg_sleep(60)`)
  await endWhoSleeps()
  expect(await sleeping).toBe('CONNECTION_CLOSED')
  expect((await db.sql`select 1 as one`).map(({ one }) => one)).toEqual([1])
})

const asleep = () => database.db.sql<{ pid: number }[]>`
  select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`

async function untilAsleep(): Promise<number> {
  const [one] = await asleep()
  return one?.pid ?? untilAsleep()
}

async function endWhoSleeps(): Promise<void> {
  await database.db.sql`select pg_terminate_backend(${await untilAsleep()})`
}
