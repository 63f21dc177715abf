import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { testDatabase, type TestDatabase } from '#testing/database'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { connect, StartError } from './connect'
import { migrate } from './migrate'
import { type Migration, readMigrations } from './read-migrations'
import { commandsFor, lastOfWorkspaces } from './migrate-workspaces'

let database: TestDatabase
let count = 0
/** The numbers of three workspaces. */
let numbers: number[]

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  const { db } = database
  numbers = []
  for (let index = 0; index < 3; index++) {
    const slug = `workspace-${++count}`
    await createWorkspace(db, { name: slug, slug, now: 0 })
    const [row] = await db.sql<{ number: number }[]>`select number from relata.workspaces where slug = ${slug}`
    numbers.push(row?.number ?? 0)
  }
})

/** A made-up migration, with another name than any before. */
const made = (text: string): Migration => ({
  name: `9${String(++count).padStart(3, '0')}_made`,
  text,
  isOfWorkspaces: true,
})

let earlier: Migration[] = []
async function run(migration: Migration, log: (line: string) => void = () => {}): Promise<void> {
  earlier = [...earlier.filter(({ name }) => name !== migration.name), migration]
  await migrate(database.db, { migrations: [...readMigrations(), ...earlier], log })
}

const tablesWith = async (column: string): Promise<string[]> => {
  const rows = await database.db.sql<{ name: string }[]>`
    select table_schema || '.' || table_name as name from information_schema.columns
    where column_name = ${column} order by 1`
  return rows.map(({ name }) => name)
}

describe('a migration of workspaces', () => {
  test('changes the tables of each workspace in a transaction of its own, and says so', async () => {
    const lines: string[] = []
    const text =
      '-- Adds a table.\ncreate table {schema}.made as select txid_current() as id;\ngrant select on {schema}.made to public;\n'
    await run(made(text), (line) => lines.push(line))
    const all = await database.db.sql<{ number: number }[]>`select number from relata.all_workspaces`
    const transactions = new Set<string>()
    for (const { number } of all) {
      const [row] = await database.db.sql.unsafe<{ id: string }[]>(`select id from w_${number}.made`)
      transactions.add(row?.id ?? '')
    }
    expect(transactions.size).toBe(all.length)
    expect(lines).toEqual([expect.stringMatching(/^The tables of 3 workspaces are migrated, up to 9\d{3}_made \(/)])
  })

  test('changes each table of records or entries', async () => {
    await run(
      made('alter table {table} add column added_here int;\n\ncreate index {name}_added_here on {table} (added_here);'),
    )
    const tables = await tablesWith('added_here')
    const expected = await database.db.sql<{ name: string }[]>`
      select 'w_' || w.number || '.' || case kind when 'object' then 'o_' when 'activity' then 'a_' else 'l_' end || e.number as name
      from relata.entity_types e join relata.workspaces w on w.id = e.workspace_id order by 1`
    expect(tables.toSorted()).toEqual(expected.map(({ name }) => name).toSorted())
  })

  test('runs once, also with several processes at once', async () => {
    const migration = made('alter table {schema}.history add column once int;')
    earlier.push(migration)
    const pools = [1, 2, 3].map(() => connect(database.url, { max: 1 }))
    await Promise.all(pools.map((pool) => migrate(pool, { migrations: [...readMigrations(), ...earlier] })))
    await Promise.all(pools.map((pool) => pool.close()))
    expect((await tablesWith('once')).length).toBe(await countWorkspaces())
  })
})

const countWorkspaces = async (): Promise<number> => (await database.db.sql`select from relata.all_workspaces`).length

describe('after a failure', () => {
  test('the workspace is as it was, those before are migrated, and the next start goes on', async () => {
    const { sql } = database.db
    const second = `w_${numbers[1]}`
    await sql.unsafe(`alter table ${second}.merges add column failing int`)
    const migration = made(
      'alter table {schema}.history add column before int;\nalter table {schema}.merges add column failing int;',
    )
    const failure = await run(migration).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toContain(`The migration ${migration.name} of the workspace workspace-`)
    expect(String(failure)).toContain('column "failing" of relation "merges" already exists')
    expect(String(failure)).toEndWith(
      'This workspace is as it was before; 2 workspaces lack the migration. Correct the cause and start again.',
    )
    expect(await tablesWith('before')).toContain(`w_${numbers[0]}.history`)
    expect(await tablesWith('before')).not.toContain(`${second}.history`)
    await sql.unsafe(`alter table ${second}.merges drop column failing`)
    await run(migration)
    expect((await tablesWith('before')).length).toBe(await countWorkspaces())
  })

  test('of the connection, the next start goes on', async () => {
    const kill = `select pg_terminate_backend(pg_backend_pid()) where '{schema}' = '"w_${numbers[1]}"'`
    const { name } = made('')
    const migrationWith = (text: string): Migration => ({ name, text, isOfWorkspaces: true })
    const command = 'alter table {schema}.history add column killed int;\n'
    await expect(run(migrationWith(command + kill))).rejects.toThrow('failed')
    expect(await tablesWith('killed')).toContain(`w_${numbers[0]}.history`)
    await run(migrationWith(command))
    expect((await tablesWith('killed')).length).toBe(await countWorkspaces())
  })

  test('a version without the migration refuses the database', async () => {
    const migration = made('alter table {schema}.nothing add column x int;')
    await expect(run(migration)).rejects.toThrow('failed')
    earlier = earlier.filter(({ name }) => name !== migration.name)
    await expect(migrate(database.db, { migrations: [...readMigrations(), ...earlier] })).rejects.toThrow(
      `The database has the migration ${migration.name}`,
    )
    await database.db.sql`delete from relata.migrations where name = ${migration.name}`
  })
})

test('a workspace whose removal has begun is left out', async () => {
  const { sql } = database.db
  await sql`
    insert into relata.workspace_removals (workspace_id, begun_at)
    select id, now() from relata.workspaces where number = ${numbers[0] ?? 0}`
  await run(made('alter table {schema}.uniques add column left_out int;'))
  const tables = await tablesWith('left_out')
  expect(tables).not.toContain(`w_${numbers[0]}.uniques`)
  expect(tables).toContain(`w_${numbers[1]}.uniques`)
})

test('a new workspace has all migrations of its version', async () => {
  const rows = await database.db.sql<{ name: string }[]>`
    select tables_migration as name from relata.workspaces join relata.all_workspaces using (id) where relata.workspaces.number = ${numbers[0] ?? 0}`
  expect(rows).toMatchObject([{ name: lastOfWorkspaces(readMigrations()) }])
})

test('commands end with a semicolon at the end of a line', () => {
  const text = `-- A comment; with a semicolon.\nalter table {schema}.a add column b text default ';';\nupdate {table} set b = 1;\n`
  expect(commandsFor({ name: 'x', text }, 7, ['o_1', 'l_2'])).toEqual([
    `alter table "w_7".a add column b text default ';'`,
    'update "w_7"."o_1" set b = 1',
    'update "w_7"."l_2" set b = 1',
  ])
})

test('indexes of lists of references, as an earlier version made them, become those of new workspaces', async () => {
  const { sql } = database.db
  const schema = `w_${numbers[0]}`
  const definitions = async () => {
    const rows = await sql<{ indexname: string; indexdef: string }[]>`
      select indexname, indexdef from pg_indexes where schemaname = ${schema} and indexdef like '%gin%' order by 1`
    return rows.map(({ indexname, indexdef }) => [indexname, indexdef])
  }
  const expected = await definitions()
  expect(expected.map(([, definition]) => definition)).toContainEqual(expect.stringContaining('fastupdate=off'))
  for (const [index] of expected) await sql.unsafe(`alter index ${schema}.${index} reset (fastupdate)`)
  await sql`update relata.all_workspaces set tables_migration = '' where number = ${numbers[0] ?? 0}`
  await migrate(database.db, { migrations: [...readMigrations(), ...earlier] })
  expect(await definitions()).toEqual(expected)
})
