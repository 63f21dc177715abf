import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { connect } from './connect'
import { describeSchema } from './describe-schema'
import { migrate, readMigrations } from './migrate'
import { renderSql, renderTypes } from './render-schema'

let database: TestDatabase

beforeAll(async () => {
  database = await emptyTestDatabase()
})
afterAll(() => database.drop())

const applied = async () => {
  const rows = await database.db.sql<{ name: string }[]>`select name from relata.migrations order by name`
  return rows.map(({ name }) => name)
}

test('several processes at once apply every migration once', async () => {
  const pools = [1, 2, 3].map(() => connect(database.url, { max: 1 }))
  await Promise.all(pools.map((pool) => migrate(pool)))
  await Promise.all(pools.map((pool) => pool.close()))
  expect(await applied()).toEqual(readMigrations().map(({ name }) => name))
})

test('a migration that fails leaves nothing behind', async () => {
  const before = await applied()
  const more = [
    { name: '9001_good', text: 'create table relata.good (id int);' },
    { name: '9002_bad', text: 'create table relata.bad (id nonsense);' },
  ]
  await expect(migrate(database.db, [...readMigrations(), ...more])).rejects.toThrow('nonsense')
  expect(await applied()).toEqual(before)
  const [found] = await database.db.sql`select to_regclass('relata.good') as good`
  expect(found?.good).toBeNull()
})

test('a database of a newer version is refused', async () => {
  const older = readMigrations().slice(0, -1)
  const newest = readMigrations().at(-1)?.name
  await expect(migrate(database.db, older)).rejects.toThrow(`The database has the migration ${newest}`)
})

test('a workspace of an older version gets an outbox and its model version', async () => {
  const { db, drop } = await emptyTestDatabase()
  const migrations = readMigrations()
  await migrate(
    db,
    migrations.filter(({ name }) => name < '0096'),
  )
  await db.sql`insert into relata.workspaces (id, slug, name, created_at, data_model_version) values (gen_random_uuid(), 'a', 'A', now(), 7)`
  await db.sql`create schema w_1`
  await migrate(db, migrations)
  expect((await db.sql`select version from w_1.model`).map(({ version }) => version)).toEqual([7])
  await db.sql`insert into w_1.outbox (occurred_at, actor, events) values (now(), 0, '[]')`
  expect((await db.sql`select id from w_1.outbox`).map(({ id }) => id)).toEqual(['1'])
  await drop()
})

test('schema.ts and schema.sql say what the migrations make', async () => {
  const tables = await describeSchema(database.db.sql)
  const file = (name: string) => readFileSync(join(import.meta.dir, name), 'utf8')
  expect(file('schema.ts')).toBe(renderTypes(tables))
  expect(file('schema.sql')).toBe(renderSql(tables))
})
