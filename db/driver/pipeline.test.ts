/** Patched faults of statements that share a connection: the driver sends one before the one ahead of it was answered. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { fail, faultyPool } from './testing/faulty-pool'
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

describe('a connection with a limit of prepared statements', () => {
  const limited = () => faultyPool(database.url, { maxPrepared: 3 })
  type Pool = ReturnType<typeof limited>['sql']
  const send = (sql: Pool, number: number, text = `select $1::int + ${number} as sum`) =>
    sql.unsafe(text, [1], { prepare: true }).then(([row]) => row?.sum)
  /** The prepared statements that add these numbers, in order. */
  const prepared = async (sql: Pool) => {
    const rows = await sql.unsafe(`select statement from pg_prepared_statements where statement like '%as sum'`)
    return rows.map(({ statement }) => Number(/\+ (\d+)/.exec(statement)?.[1])).toSorted()
  }

  test('keeps the most recently used', async () => {
    const { sql } = limited()
    for (const number of [1, 2, 3, 1, 4]) expect(await send(sql, number)).toBe(number + 1)
    expect(await prepared(sql)).toEqual([1, 3, 4])
    expect(await send(sql, 2)).toBe(3)
    expect(await prepared(sql)).toEqual([1, 2, 4])
    await sql.end()
  })

  test('answers pipelined statements, more than the limit, with their own rows', async () => {
    const { sql } = limited()
    const numbers = Array.from({ length: 200 }, (_, index) => (index * 7) % 12)
    expect(await Promise.all(numbers.map((number) => send(sql, number)))).toEqual(numbers.map((number) => number + 1))
    expect((await prepared(sql)).length).toBe(3)
    await sql.end()
  })

  test('goes on after a statement that fails, also in a transaction', async () => {
    const { sql } = limited()
    for (const number of [1, 2, 3]) await send(sql, number)
    expect(await outcomeOf(send(sql, 4, 'select $1::int / 0 as sum'))).toBe('22012')
    expect(await outcomeOf(send(sql, 5, 'select $1::int + nothing as sum'))).toBe('42703')
    const failing = sql.begin(async (tx) => {
      await tx.unsafe('select $1::int / 0 as sum', [1], { prepare: true }).catch(() => {})
      await tx.unsafe('select $1::int + 6 as sum', [1], { prepare: true })
    })
    expect(await outcomeOf(failing)).toBe('22012')
    for (const number of [7, 8, 9, 7]) expect(await send(sql, number)).toBe(number + 1)
    expect(await prepared(sql)).toEqual([7, 8, 9])
    await sql.end()
  })

  test('reads a cursor to its end, and closes one early', async () => {
    const { sql } = limited()
    for (const number of [1, 2, 3]) await send(sql, number)
    const rows = () => sql`select n from generate_series(1, ${5}::int) n`
    const pages: number[] = []
    for await (const page of rows().cursor(2)) pages.push(page.length)
    expect(pages).toEqual([2, 2, 1])
    for await (const page of rows().cursor(2)) if (page.length > 0) break
    for (const number of [4, 5, 6]) expect(await send(sql, number)).toBe(number + 1)
    expect(await prepared(sql)).toEqual([4, 5, 6])
    await sql.end()
  })

  test('that was lost begins anew', async () => {
    const { sql, sockets } = limited()
    for (const number of [1, 2, 3, 4]) await send(sql, number)
    fail(sockets[0])
    for (const number of [1, 2, 3, 4]) expect(await send(sql, number)).toBe(number + 1)
    expect(await prepared(sql)).toEqual([2, 3, 4])
    await sql.end()
  })
})

describe('a connection with a limit of schemas', () => {
  beforeAll(async () => {
    for (const name of ['first', 'second', 'third']) {
      await database.db.sql.unsafe(`create schema ${name}`)
      await database.db.sql.unsafe(`create table ${name}.numbers as select n from generate_series(1, 3) n`)
    }
  })
  const limited = () => faultyPool(database.url, { maxSchemas: 2 })
  type Sender = Pick<ReturnType<typeof limited>['sql'], 'unsafe'>
  /** The backend that reads a number of a schema, and the number. */
  const read = async (sql: Sender, schema: string, number = 1, prepare = true) => {
    const query = `select pg_backend_pid() as backend, n from ${schema}.numbers where n = $1::int`
    const [row] = await sql.unsafe<{ backend: number; n: number }[]>(query, [number], { prepare })
    expect(row?.n).toBe(number)
    return row?.backend
  }

  test.each([true, false])(
    'stays open for statements of few, and ends with one more (prepared: %p)',
    async (prepare) => {
      const { sql, sockets } = limited()
      const [first] = await sql<{ backend: number }[]>`select pg_backend_pid() as backend`
      for (const number of [1, 2, 3, 1]) expect(await read(sql, 'first', number, prepare)).toBe(first?.backend)
      expect(await read(sql, 'second', 1, prepare)).toBe(first?.backend)
      const renewed = await read(sql, 'second', 1, prepare)
      expect(renewed).not.toBe(first?.backend)
      expect(await read(sql, 'second', 2, prepare)).toBe(renewed)
      expect(sockets.length).toBe(2)
      await sql.end()
    },
  )

  test('answers pipelined statements of all schemas with their own rows', async () => {
    const { sql, sockets } = limited()
    const schemas = ['first', 'second', 'third', 'first']
    await Promise.all(Array.from({ length: 40 }, (_, index) => read(sql, schemas[index % 4] ?? '', (index % 3) + 1)))
    expect(sockets.length).toBeGreaterThan(1)
    await sql.end()
  })

  test('keeps its transaction to the end, and a reservation to its release', async () => {
    const { sql, sockets } = limited()
    await sql.begin(async (tx) => {
      await tx`insert into things values ('kept')`
      for (const schema of ['first', 'second', 'third']) await read(tx, schema)
    })
    expect(await names()).toEqual(['kept'])
    const reserved = await sql.reserve()
    const backends = new Set<number | undefined>()
    for (const schema of ['first', 'second', 'third', 'first']) backends.add(await read(reserved, schema))
    expect(backends.size).toBe(1)
    reserved.release()
    await sql`select 1`
    await sql`select 1`
    expect(sockets.length).toBe(3)
    await sql.end()
  })

  test('rolls back a transaction that fails behind the limit', async () => {
    const { sql } = limited()
    const failing = sql.begin(async (tx) => {
      await tx`insert into things values ('undone')`
      for (const schema of ['first', 'second', 'third']) await read(tx, schema)
      await tx`select 1 / 0`
    })
    expect(await outcomeOf(failing)).toBe('22012')
    expect(await read(sql, 'first')).toBeNumber()
    expect(await names()).toEqual([])
    await sql.end()
  })

  test('serves statements that wait for a connection', async () => {
    const { sql } = limited()
    const all = ['first', 'second', 'third'].flatMap((schema) => [
      read(sql, schema),
      sql.begin((tx) => read(tx, schema)),
      sql.begin((tx) => read(tx, schema, 2)),
    ])
    expect((await Promise.all(all)).every((backend) => typeof backend === 'number')).toBe(true)
    await sql.end()
  })
})
