import { afterAll, beforeAll, expect, test } from 'bun:test'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { connect, type Database } from './connect'

let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await emptyTestDatabase()
  db = connect(database.url, { max: 1 })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

test('a plan of our own that was made while a table was empty looks into its index', async () => {
  const { sql } = db
  await sql`create table entries (id int primary key, parent int not null)`
  await sql`create index entries_parent on entries (parent)`
  await sql`vacuum analyze entries`
  await sql`prepare of_parent (int[]) as select id from entries where parent = any ($1)`
  for (let run = 0; run < 10; run++) await sql`execute of_parent ('{1}')`
  await sql`insert into entries select n, n % 100 from generate_series(1, 1000) n`
  const plan = (await sql`explain execute of_parent ('{1}')`).map((row) => String(row['QUERY PLAN'])).join('\n')
  expect(plan).toContain('entries_parent')
  expect(plan).toContain('$1')
})

test.each([
  ['', 30],
  ['?connect_timeout=7', 7],
  ['?application_name=x&connect_timeout=0', 0],
])('the address may say how long a connection may take: %p', async (query, seconds) => {
  const pools = connect(`postgres://u@127.0.0.1:1/d${query}`)
  for (const { options } of [pools.sql, pools.lookups, pools.queries]) expect(options.connect_timeout).toBe(seconds)
  await pools.close()
})

test.each(['sql', 'lookups', 'queries'] as const)(
  'a connection of %s ends after statements of 500 workspaces',
  async (pool) => {
    const sql = db[pool]
    const backendOf = async (workspace: number) => {
      const [row] = await sql.unsafe<{ backend: number }[]>(`select pg_backend_pid() as backend, 'w_${workspace}'`)
      return row?.backend
    }
    const first = await backendOf(1)
    for (let workspace = 1; workspace <= 500; workspace++) expect(await backendOf(workspace)).toBe(first)
    const second = await backendOf(500)
    expect(second).not.toBe(first)
    expect(await backendOf(1)).toBe(second)
  },
)
