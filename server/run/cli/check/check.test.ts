import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { testDatabase, type TestDatabase } from '#testing/database'
import { systemClock } from '#base/timing/clock'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { runCommandLine } from '#run/cli/run'

let database: TestDatabase
/** The table of people, with a text attribute that the tests change. */
let people: string
let column: string

beforeAll(async () => {
  database = await testDatabase()
  await createWorkspace(database.db, { name: 'First', slug: 'first', now: systemClock()() })
  const [found] = await database.db.sql<[{ number: number; attribute: number }]>`
    select o.number, a.number as attribute from relata.entity_types o
    join relata.attributes a on a.workspace_id = o.workspace_id and a.entity_type_id = o.id
    where o.api_slug = 'people' and a.api_slug = 'job_title'`
  people = `o_${found.number}`
  column = `a_${found.attribute}_value`
})
afterAll(() => database.drop())

async function check(...words: string[]) {
  const lines: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
  const exitCode = await runCommandLine(['check', ...words], { DATABASE_URL: database.url }, context)
  return { exitCode, lines }
}

const GOOD = { exitCode: 0, lines: ['All tables are as they should be.'] }
/** Runs the commands of a text one after the other. */
async function sql(text: string): Promise<void> {
  for (const command of text.split('; ')) await database.db.sql.unsafe(command)
}

describe('relata check', () => {
  test('finds nothing in a new workspace', async () => {
    expect(await check()).toEqual(GOOD)
  })

  const missing: [string, () => string, () => string][] = [
    ['a table', () => 'drop table w_1.history', () => 'table w_1.history is missing'],
    [
      'a column',
      () => `alter table w_1.${people} drop column ${column}`,
      () => `column w_1.${people}.${column} is missing`,
    ],
    ['an index', () => `drop index w_1.${people}_created_at`, () => `index w_1.${people}_created_at is missing`],
    [
      'a primary key',
      () => 'alter table w_1.merges drop constraint merges_pkey',
      () => 'the primary key of w_1.merges is missing',
    ],
    [
      'an index as it should be',
      () => `drop index w_1.${people}_created_at; create index ${people}_created_at on w_1.${people} (id)`,
      () => `index w_1.${people}_created_at is not as it should be`,
    ],
  ]
  test.each(missing)('reports that %s is missing, and makes it with --repair', async (_, damage, message) => {
    await sql(damage())
    expect(await check()).toEqual({ exitCode: 1, lines: [`first: ${message()}`, '1 differences remain.'] })
    expect(await check('--repair')).toEqual({
      exitCode: 0,
      lines: [`first: ${message()}`, 'first: 1 of these repaired.', 'All tables are as they should be.'],
    })
    expect(await check()).toEqual(GOOD)
  })

  test('reports that the model version is another one, or is missing with its table, and stores it with --repair', async () => {
    for (const damage of ['update w_1.model set version = 7000', 'delete from w_1.model', 'drop table w_1.model']) {
      await sql(damage)
      const { exitCode, lines } = await check()
      expect(exitCode).toBe(1)
      expect(lines.at(-2)).toMatch(/^first: the model version of w_1 is (7000|missing) instead of \d+$/)
      expect((await check('--repair')).exitCode).toBe(0)
      expect(await check()).toEqual(GOOD)
    }
  })

  const leftAlone: [string, () => string, () => string, () => string][] = [
    [
      'a table too much',
      () => 'create table w_1.mine (id int)',
      () => 'first: table w_1.mine is too much',
      () => 'drop table w_1.mine',
    ],
    [
      'a column too much',
      () => `alter table w_1.${people} add column mine int`,
      () => `first: column w_1.${people}.mine is too much`,
      () => `alter table w_1.${people} drop column mine`,
    ],
    [
      'a column of another type',
      () => `alter table w_1.${people} alter column ${column} type varchar(10)`,
      () => `first: column w_1.${people}.${column} is character varying(10) instead of text`,
      () => `alter table w_1.${people} alter column ${column} type text`,
    ],
    [
      'a column that lost its not null',
      () => `alter table w_1.${people} alter column created_by drop not null`,
      () => `first: column w_1.${people}.created_by allows null`,
      () => `alter table w_1.${people} alter column created_by set not null`,
    ],
    [
      'a schema without a workspace',
      () => 'create schema w_99',
      () => 'The schema w_99 belongs to no workspace.',
      () => 'drop schema w_99',
    ],
  ]
  test.each(leftAlone)('reports %s, and leaves it with --repair', async (_, damage, message, undo) => {
    await sql(damage())
    expect(await check('--repair')).toEqual({ exitCode: 1, lines: [message(), '1 differences remain.'] })
    await sql(undo())
    expect(await check()).toEqual(GOOD)
  })

  test('reports a trigger of formulas that is missing or not as it should be, and makes it with --repair', async () => {
    await sql(
      `insert into relata.attributes (workspace_id, entity_type_id, id, number, position, title, api_slug, type, stored_in, has_history, computed, created_at)
        select workspace_id, entity_type_id, gen_random_uuid(), 9000, 9000, 'T', 'twice', 'text', 'formula', false,
          jsonb_build_object('formula', jsonb_build_array(jsonb_build_object('attribute', id), ' || ''!''')), now()
        from relata.attributes where number = ${column.replaceAll(/\D/g, '')}; alter table w_1.${people} add column a_9000_value text`,
    )
    const message = `first: the trigger formulas of w_1.${people} is`
    for (const [state, damage] of [
      ['missing', 'select 1'],
      ['missing', `drop trigger formulas on w_1.${people}`],
      [
        'not as it should be',
        `create or replace function w_1.${people}_formulas() returns trigger language plpgsql as 'begin return new;end'`,
      ],
    ]) {
      await sql(damage ?? '')
      expect(await check()).toEqual({ exitCode: 1, lines: [`${message} ${state}`, '1 differences remain.'] })
      expect((await check('--repair')).exitCode).toBe(0)
      expect(await check()).toEqual(GOOD)
    }
    await sql(
      `insert into w_1.${people} (id, created_at, created_by, updated_at, updated_by, ${column}) values (gen_random_uuid(), now(), 0, now(), 0, 'CEO')`,
    )
    const [row] = await database.db.sql.unsafe(`select a_9000_value as value from w_1.${people}`)
    expect(row?.value).toBe('CEO!')
  })

  test('reports a function of a formula that is missing or not as it should be, and makes it with --repair', async () => {
    await sql(
      `insert into relata.attributes (workspace_id, entity_type_id, id, number, position, title, api_slug, type, stored_in, has_history, computed, created_at)
        select workspace_id, entity_type_id, gen_random_uuid(), 9001, 9001, 'T', 'titled', 'text', 'function', false,
          jsonb_build_object('formula', jsonb_build_array(jsonb_build_object('attribute', id), ' || left(now()::text, 0)')), now()
        from relata.attributes where number = ${column.replaceAll(/\D/g, '')}`,
    )
    const name = `w_1.${people}_formula_9001`
    const other = `returns text language sql as $$ select '' $$`
    for (const [state, damage] of [
      ['missing', 'select 1'],
      ['not as it should be', `create or replace function ${name}(text, timestamptz default now()) ${other}`],
    ]) {
      await sql(damage ?? '')
      const message = `first: the function of a formula ${name} is ${state}`
      expect(await check()).toEqual({ exitCode: 1, lines: [message, '1 differences remain.'] })
      expect((await check('--repair')).exitCode).toBe(0)
      expect(await check()).toEqual(GOOD)
    }
  })

  test('ignores additional indexes', async () => {
    await sql(`create index mine on w_1.${people} (${column})`)
    expect(await check()).toEqual(GOOD)
  })
})
