/** Patched faults of statements on a connection that is lost, and of the connection that replaces it. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { end, fail, faultyPool, statementsHandled } from './testing/faulty-pool'
import { outcomeOf } from './testing/outcome'

let database: TestDatabase
beforeAll(async () => {
  database = await emptyTestDatabase()
})
afterAll(() => database.drop())

describe('a connection that fails', () => {
  test('rejects a statement sent between its error and its end', async () => {
    const { sql, sockets } = faultyPool(database.url)
    await sql`select 1`
    sockets[0]?.emit('error', Object.assign(new Error('The connection was reset.'), { code: 'ECONNRESET' }))
    const statement = outcomeOf(sql`select 1`)
    await statementsHandled()
    end(sockets[0], true)
    expect(await statement).toBe('CONNECTION_CLOSED')
    await sql.end()
  })

  test('does not send to its replacement what it had not flushed', async () => {
    const { sql, sockets } = faultyPool(database.url)
    await sql`select 1`
    const unflushed = outcomeOf(sql`select 2`)
    await statementsHandled()
    end(sockets[0], false)
    expect(await unflushed).toBe('CONNECTION_CLOSED')
    expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
    await sql.end()
  })

  test('does not report its last error to the first statement of its replacement', async () => {
    const { sql } = faultyPool(database.url)
    const [backend] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`
    const sleeping = outcomeOf(sql`select pg_sleep(60)`)
    await untilAsleep()
    // PostgreSQL reports error 57P01 to the connection before it ends.
    await database.db.sql`select pg_terminate_backend(${backend.pid})`
    expect(await sleeping).toBe('CONNECTION_CLOSED')
    expect([...(await sql`select 1 as n`)]).toEqual([{ n: 1 }])
    await sql.end()
  })

  test('does not keep its pool from ending', async () => {
    const { sql, sockets } = faultyPool(database.url)
    await sql`select 1`
    const sleeping = outcomeOf(sql`select pg_sleep(60)`)
    await untilAsleep()
    fail(sockets[0])
    expect(await sleeping).toBe('ECONNRESET')
    expect(await outcomeOf(sql.end())).toBe('done')
  })
})

describe('a cursor whose connection is lost between two pages', () => {
  /** Reads the first page of four rows, loses the connection, and waits for the replacement. */
  const lostAfterFirstPage = async () => {
    const { sql, sockets } = faultyPool(database.url)
    const pages = sql`select n from generate_series(1, 4) n`.cursor(2)[Symbol.asyncIterator]()
    await pages.next()
    fail(sockets[0])
    await sql`select 1`
    return { sql, pages }
  }

  test('rejects, and does not end as if all rows were read', async () => {
    const { sql, pages } = await lostAfterFirstPage()
    expect(await outcomeOf(pages.next())).toBe('ECONNRESET')
    await sql.end()
  })

  test('sends nothing over the replacement when it is closed', async () => {
    for (const statements of [[], [2]]) {
      const { sql, pages } = await lostAfterFirstPage()
      const active = statements.map((n) => sql`select ${n}::int as n`.execute())
      await statementsHandled()
      await pages.return?.()
      await statementsHandled()
      for (const statement of active) expect([...(await statement)]).toEqual([{ n: 2 }])
      expect([...(await sql`select 3 as n`)]).toEqual([{ n: 3 }])
      await sql.end()
    }
  })
})

/** Waits for the statement that sleeps. A statement of a failed test may sleep as well; it ends with its connection. */
async function untilAsleep(): Promise<void> {
  const [asleep] = await database.db.sql`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  return asleep ? undefined : untilAsleep()
}
