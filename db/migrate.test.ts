import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyTestDatabase, type TestDatabase } from '#testing/database'
import { connect, type Sql } from './connect'
import { renderTypes } from './generate-types'
import { createSchemaCheck, migrate, readMigrations } from './migrate'

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

test('the base makes the schema that the migrations before it made', async () => {
  const { db, drop } = await emptyTestDatabase()
  await migrate(db, readMigrations().slice(0, 1))
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
    await migrate(early.db, readMigrations().slice(0, 1))
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
