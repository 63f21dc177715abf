import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { runOnLookupPool } from './connect'

let database: TestDatabase
beforeAll(async () => {
  database = await emptyTestDatabase()
  await database.db.sql`create table things as select 7 as number`
})
afterAll(() => database.drop())

const numberOfThing = () =>
  runOnLookupPool(database.db, async (sql) => (await sql<{ number: number }[]>`select number from things`)[0]?.number)
const one = () => runOnLookupPool(database.db, async (sql) => (await sql<{ one: number }[]>`select 1 as one`)[0]?.one)

describe('look-ups', () => {
  test('share three connections', async () => {
    const processes = await Promise.all(
      Array.from({ length: 12 }, () =>
        runOnLookupPool(database.db, (sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`),
      ),
    )
    expect(new Set(processes.map(([row]) => row?.pid)).size).toBe(3)
  })

  test('go elsewhere while twelve of them wait for a table', async () => {
    const { sql } = database.db
    let waiting: Promise<(number | undefined)[]> = Promise.resolve([])
    await sql.begin(async (tx) => {
      await tx`lock table things in access exclusive mode`
      waiting = Promise.all(Array.from({ length: 12 }, numberOfThing))
      expect(await one()).toBe(1)
    })
    expect(await waiting).toEqual(Array.from({ length: 12 }, () => 7))
    expect(await one()).toBe(1)
  })

  test('that fail leave room for others', async () => {
    const failing = Array.from({ length: 40 }, () => runOnLookupPool(database.db, async (sql) => sql`select 1 / 0`))
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(failing.map(() => 'rejected'))
    expect(await Promise.all(Array.from({ length: 40 }, one))).toEqual(failing.map(() => 1))
  })
})
