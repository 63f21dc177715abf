/** Patched faults of `reserve`, and the order of free connections. Kysely reserves a connection for each of its statements. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { fail, faultyPool, statementsHandled } from './testing/faulty-pool'
import { outcomeOf } from './testing/outcome'

let database: TestDatabase
beforeAll(async () => {
  database = await emptyTestDatabase()
})
afterAll(() => database.drop())

describe('a reservation', () => {
  test('is served by the first connection of a pool', async () => {
    const { sql } = faultyPool(database.url)
    const reserved = await sql.reserve()
    expect(await outcomeOf(reserved`select 1`)).toBe('done')
    reserved.release()
    await sql.end()
  })

  test('that waits for a connection is served when that one is lost', async () => {
    const { sql, sockets } = faultyPool(database.url)
    await sql.reserve()
    const waiting = [sql.reserve(), sql.reserve()]
    fail(sockets[0])
    for (const next of waiting) {
      const reserved = await next
      expect(await outcomeOf(reserved`select 1`)).toBe('done')
      reserved.release()
    }
    await sql.end()
  })

  test('that another connection served first leaves the one opened for it to the pool', async () => {
    const secondMayConnect = Promise.withResolvers<void>()
    const { sql } = faultyPool(database.url, {
      max: 2,
      beforeConnect: async (n) => void (n === 1 && (await secondMayConnect.promise)),
    })
    const first = sql`select 1`.execute()
    await statementsHandled()
    const waiting = [sql.reserve()]
    await first
    const [reserved] = await Promise.all(waiting)
    secondMayConnect.resolve()
    expect(await outcomeOf(sql`select 1`)).toBe('done')
    reserved?.release()
    await sql.end()
  })

  test('that failed with its connection does not take another one', async () => {
    const { sql, sockets } = faultyPool(database.url, { max: 2 })
    const first = await sql.reserve()
    const waiting = outcomeOf(sql.reserve())
    await untilUsed(() => sockets[1])
    fail(sockets[1])
    expect(await waiting).toBe('ECONNRESET')
    first.release()
    expect(await outcomeOf(sql`select 1`)).toBe('done')
    await sql.end()
  })
})

/** Waits until the driver listens to the socket. */
async function untilUsed(socket: () => Socket | undefined): Promise<void> {
  while ((socket()?.listenerCount('data') ?? 0) === 0) await new Promise(setImmediate)
}

test('statements and reservations get the connection that became free last', async () => {
  const { sql } = faultyPool(database.url, { max: 3 })
  const pid = () => sql<{ pid: number }[]>`select pg_backend_pid() as pid`.then(([row]) => row?.pid)
  const opened = await Promise.all([pid(), pid(), pid()])
  expect(new Set(opened).size).toBe(3)
  const used = [await pid(), await pid()]
  const reserved = await sql.reserve()
  const [row] = await reserved<{ pid: number }[]>`select pg_backend_pid() as pid`
  reserved.release()
  used.push(row?.pid, await pid())
  expect(new Set(used).size).toBe(1)
  await sql.end()
})
