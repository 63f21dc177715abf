/** On a stand-in for Citus, and with TEST_CITUS_URL on a cluster. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { emptyTestDatabase, testDatabase, type TestDatabase } from '#testing/database'
import { installFakeCitus } from '#testing/fake-citus'
import { connectToAny, distributeSchema } from './citus'
import { migrate } from './migrate'
import { readMigrations } from './read-migrations'

let database: TestDatabase
beforeAll(async () => {
  if (process.env.TEST_CITUS_URL !== undefined) database = await testDatabase()
  else {
    database = await emptyTestDatabase()
    await installFakeCitus(database.db.sql)
    await migrate(database.db)
  }
})
afterAll(() => database.drop())

const planMode = async (url: string): Promise<[boolean, string]> => {
  const db = await connectToAny(url, { max: 1 })
  const [row] = await db.sql<[{ mode: string }]>`select current_setting('plan_cache_mode') as mode`
  await db.close()
  return [db.isDistributed, row.mode]
}

test('connections plan each execution on Citus, and keep one plan elsewhere', async () => {
  const other = await emptyTestDatabase()
  expect(await planMode(database.url)).toEqual([true, 'auto'])
  expect(await planMode(other.url)).toEqual([false, 'force_generic_plan'])
  await other.drop()
})

test('a table that a migration adds to a distributed schema is distributed', async () => {
  const { sql } = database.db
  await sql.begin(async (tx) => {
    await tx`create schema w_1`
    await tx`create table w_1.model (version int primary key)`
    await distributeSchema(tx, '"w_1"')
  })
  const text = `do $$ begin execute 'create table w_1.added (id int primary key)'; end $$;`
  await migrate(database.db, { migrations: [...readMigrations(), { name: '9999_added', text }] })
  const rows =
    await sql`select from pg_dist_partition where logicalrelid in ('w_1.model'::regclass, 'w_1.added'::regclass)`
  expect(rows).toHaveLength(2)
})
