/** Patched faults of statements that share a connection: the driver sends one before the one ahead of it was answered. */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '../../server/testing/database'
import { faultyPool } from './testing/faulty-pool'
import { outcomeOf } from './testing/outcome'

let database: TestDatabase
beforeAll(async () => {
  database = await emptyTestDatabase()
  await database.db.sql`create table things (name text)`
})
beforeEach(async () => void (await database.db.sql`delete from things`))
afterAll(() => database.drop())

const names = async () => (await database.db.sql`select name from things order by name`).map(({ name }) => name)

/** How many statements the driver sends over one connection before it was answered. */
const PIPELINE = 100

test('a transaction reserves its connection when BEGIN fills the pipeline', async () => {
  const { sql } = faultyPool(database.url)
  await sql`select 1`
  const ahead = Array.from({ length: PIPELINE }, () => sql`select 1`.execute())
  const failing = sql.begin(async (tx) => {
    await tx`insert into things values ('undone')`
    throw Object.assign(new Error('It failed.'), { code: 'its own' })
  })
  const behind = sql`insert into things values ('behind')`.execute()
  expect(await outcomeOf(failing)).toBe('its own')
  await Promise.all([...ahead, behind])
  expect(await names()).toEqual(['behind'])
  await sql.end()
})

test('a transaction keeps its connection when the socket has drained', async () => {
  const { sql, sockets } = faultyPool(database.url)
  let other: Promise<string> | undefined
  const failing = sql.begin(async (tx) => {
    await tx`insert into things values ('undone')`
    sockets[0]?.emit('drain')
    other = outcomeOf(sql`insert into things values ('other')`)
    await tx`select 1`
    throw Object.assign(new Error('It failed.'), { code: 'its own' })
  })
  expect(await outcomeOf(failing)).toBe('its own')
  expect(await other).toBe('done')
  expect(await names()).toEqual(['other'])
  await sql.end()
})

test('a statement behind one that failed after some rows gets its own rows only', async () => {
  const { sql } = faultyPool(database.url)
  await sql`select 1`
  const failing = outcomeOf(sql`select 1 / (4 - n) from generate_series(1, 10) n`)
  const behind = sql<{ n: number }[]>`select n from generate_series(1, 3) n`
  expect(await failing).toBe('22012')
  expect(Array.from(await behind)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  await sql.end()
})
