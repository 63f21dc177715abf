import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { connect, type Sql, StartError } from './connect'
import { renderTypes } from './generate-types'
import { createSchemaCheck, migrate } from './migrate'
import { readMigrations, summaryOf } from './read-migrations'
import { version } from '../package.json'

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

const withMore = (...texts: string[]) => [
  ...readMigrations(),
  ...texts.map((text, index) => ({ name: `900${index + 1}_more`, text })),
]

test.each([
  ['fails', 'create table relata.bad (id nonsense);', 'type "nonsense" does not exist'],
  ['loses its connection', 'select pg_terminate_backend(pg_backend_pid());', 'CONNECTION_CLOSED'],
])('a migration that %s leaves the database as it was, and says how to go on', async (_, bad, reason) => {
  const before = await applied()
  const migrations = withMore('create table relata.good (id int);', bad)
  const failure = await migrate(database.db, { migrations }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartError)
  expect(String(failure)).toContain('The migration 9002_more failed')
  expect(String(failure)).toContain(reason)
  expect(String(failure)).toEndWith(
    `The database is as it was before: correct the cause and start again, or start Relata ${version} again.`,
  )
  expect(await applied()).toEqual(before)
  const [found] = await database.db.sql`select to_regclass('relata.good') as good`
  expect(found?.good).toBeNull()
})

test('a database of a newer version is refused with the version that it needs', async () => {
  const older = readMigrations().slice(0, -1)
  const newest = readMigrations().at(-1)?.name
  const refused = () => migrate(database.db, { migrations: older })
  await expect(refused()).rejects.toThrow(`The database has the migration ${newest}`)
  await database.db.sql`update relata.migrations set version = '7.1.0' where name = ${String(newest)}`
  await expect(refused()).rejects.toThrow(`(${version}); start Relata 7.1.0 or newer, or restore a backup`)
  await database.db.sql`update relata.migrations set version = ${version} where name = ${String(newest)}`
})

test('each migration of control tables has a line in the log of a database with data, and each one stores the version', async () => {
  const { db, drop } = await emptyTestDatabase()
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  // As a version made it that did not store versions.
  await migrate(db, { migrations: readMigrations().slice(0, 3), log })
  await db.sql`alter table relata.migrations drop column version`
  expect(lines).toEqual([])
  await migrate(db, { log })
  await migrate(db, { log })
  const steps = readMigrations().slice(3)
  expect(lines.map((line) => line.replace(/\([\d.]+ s\)/, '(time)'))).toEqual(
    steps
      .filter(({ isOfWorkspaces }) => !isOfWorkspaces)
      .map((step) => `Migration ${step.name} (time): ${summaryOf(step)}`),
  )
  const stored = await db.sql`select name from relata.migrations where version = ${version} order by name`
  expect(stored.map(({ name }) => name)).toEqual(steps.map(({ name }) => name))
  await drop()
})

test('each migration begins with a sentence that says what it does', () => {
  const summaries = readMigrations().map((migration) => [migration.name, summaryOf(migration)])
  expect(summaries.filter(([, summary = '']) => !/^[A-Z].{20,}\.$/.test(summary))).toEqual([])
})

test('a process that waits for the migrations of another one says so', async () => {
  const { db, drop } = await emptyTestDatabase()
  await migrate(db)
  const waits = Promise.withResolvers<string>()
  const migrating = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const other = db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('relata migrate', 0))`
    migrating.resolve()
    await release.promise
  })
  await migrating.promise
  const waiting = migrate(db, { log: waits.resolve })
  expect(await waits.promise).toBe('Another process migrates the database; this one waits for its end.')
  release.resolve()
  await Promise.all([other, waiting])
  await drop()
})

test('the base makes the schema that the migrations before it made', async () => {
  const { db, drop } = await emptyTestDatabase()
  await migrate(db, { migrations: readMigrations().slice(0, 1) })
  const digest = createHash('sha256')
    .update(await describeObjects(db.sql))
    .digest('hex')
  expect(digest).toBe('ab60c4187137b95f9100520bb3193bc185448ad7b3bd69970d7724876a36ee0d')
  await drop()
})

describe('a database that the migrations before the base made', () => {
  let early: TestDatabase
  beforeAll(async () => {
    early = await emptyTestDatabase()
    await migrate(early.db, { migrations: readMigrations().slice(0, 1) })
    await early.db.sql`delete from relata.migrations`
  })
  afterAll(() => early.drop())

  test('is refused while it lacks some of them', async () => {
    const { sql } = early.db
    await sql`insert into relata.migrations (name) select to_char(n, 'FM0000') || '_early' from generate_series(1, 65) n`
    await expect(migrate(early.db)).rejects.toThrow('The database has migrations up to 0065_early of an early version')
  })

  test('is older for the check of the schema, and is continued', async () => {
    const { sql } = early.db
    await sql`insert into relata.migrations (name) values ('0164_workers')`
    const compare = createSchemaCheck(early.db)
    expect(await compare()).toEqual({ schema: 'older', migration: '0170_base' })
    await migrate(early.db)
    expect(await compare()).toBeUndefined()
    await migrate(early.db)
    const names = await sql<{ name: string }[]>`select name from relata.migrations order by name`
    expect(names.map(({ name }) => name)).toEqual(readMigrations().map(({ name }) => name))
  })
})

test('schema.ts says what the migrations make', async () => {
  expect(readFileSync(join(import.meta.dir, 'schema.ts'), 'utf8')).toBe(await renderTypes(database.db.sql))
})

/**
 * Describes what is in the schemas of the control tables, a line for each object: columns in order, constraints, indexes, functions,
 * triggers, storage and rights. The names of not-null constraints are left out, because PostgreSQL has them from version 18 on.
 */
async function describeObjects(sql: Sql): Promise<string> {
  const lines = await sql<{ line: string }[]>`
    with classes as (
      select * from pg_class where relnamespace in ('relata'::regnamespace, 'relata_sql'::regnamespace) and relname <> 'migrations'
    )
    select concat_ws(' ', 'schema', nspname, has_schema_privilege('public', oid, 'usage')) as line from pg_namespace
    where nspname in ('relata', 'relata_sql')
    union all
    select concat_ws(' ', 'relation', oid::regclass, relkind, relpersistence, relreplident, reloptions, relacl,
      pg_get_expr(relpartbound, oid), pg_get_partkeydef(oid), obj_description(oid, 'pg_class')) from classes where relkind <> 'i'
    union all
    select concat_ws(' ', 'column', a.attrelid::regclass, row_number() over (partition by a.attrelid order by a.attnum), a.attname,
      format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attstorage, nullif(a.attstattarget, -1), a.attacl,
      a.attoptions, pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum))
    from classes c join pg_attribute a on a.attrelid = c.oid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relkind in ('r', 'p', 'c') and a.attnum > 0 and not a.attisdropped
    union all
    select concat_ws(' ', 'constraint', o.conrelid::regclass, o.conname, pg_get_constraintdef(o.oid))
    from pg_constraint o join classes c on c.oid = o.conrelid where o.contype in ('p', 'u', 'f', 'c')
    union all
    select pg_get_indexdef(i.indexrelid) from pg_index i join classes c on c.oid = i.indrelid
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'relata'::regnamespace
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger t join classes c on c.oid = t.tgrelid where not t.tgisinternal`
  return lines
    .map(({ line }) => line)
    .toSorted()
    .join('\n')
}
