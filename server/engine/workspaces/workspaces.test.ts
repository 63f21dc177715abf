/** The tables of a new workspace, compared with its data model. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import { loadDataModel } from '#engine/data-model/load'
import type { DataModel } from '#engine/data-model/model'
import { testDatabase, type TestDatabase } from '#testing/database'
import { createWorkspace, expectedTables } from './create-workspace'
import { isStoringSide } from './build-attribute'
import { STANDARD_OBJECTS } from './standard-objects'

let database: TestDatabase
let model: DataModel
beforeAll(async () => {
  database = await testDatabase()
  const { id } = await createWorkspace(database.db, { name: 'W', slug: 'w', now: 1_700_000_000_000_000 })
  model = await loadDataModel(database.db, id)
})
afterAll(() => database.drop())

const schema = () => `w_${model.workspace.number}`

describe('createWorkspace', () => {
  test('creates every expected table, with the columns in order', async () => {
    const rows = await database.db.sql<{ table: string; columns: string[] }[]>`
      select c.relname as table, array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = ${schema()}::regnamespace and c.relkind = 'r' group by 1`
    const found = Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))
    const expected = expectedTables(model).map(({ name, columns }) => [
      name,
      columns.map((each) => `${each.name} ${each.type}`),
    ])
    expect(found).toEqual(Object.fromEntries(expected))
  })

  test('creates every expected index, as PostgreSQL describes it', async () => {
    const rows = await database.db.sql<{ tablename: string; indexname: string; indexdef: string }[]>`
      select tablename, indexname, indexdef from pg_indexes
      where schemaname = ${schema()} and indexname not like '%_pkey'`
    const found = rows.map((row) => [row.indexname, row.indexdef.split(` ON ${schema()}.${row.tablename} `)[1]])
    const expected = expectedTables(model).flatMap(({ indexes }) =>
      indexes.map(({ name, definition }) => [name, definition]),
    )
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected))
  })

  test('creates no table whose rows logical replication could not identify', async () => {
    const rows = await database.db.sql`
      select relname from pg_class c where relnamespace = ${schema()}::regnamespace and relkind = 'r' and relreplident <> 'f'
        and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`
    expect(rows).toHaveLength(0)
  })

  test('allocates each number once', async () => {
    const [{ last_number } = { last_number: 0 }] = await database.db.sql<{ last_number: number }[]>`
      select last_number from relata.workspaces where id = ${model.workspace.id}`
    const attributes = [...model.attributesById.values()].filter(({ number }) => number > 0)
    const numbers = [
      ...model.entityTypes.map(({ number }) => number),
      ...attributes.map(({ number }) => number),
      ...attributes.flatMap(({ options }) => options.map(({ number }) => number)),
    ]
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: last_number }, (_, index) => index + 1))
  })

  test('has no history for enriched attributes', () => {
    const without = [...model.attributesById.values()].filter(({ has_history, number }) => !has_history && number > 0)
    const slugs = new Set(without.map(({ api_slug }) => api_slug))
    expect([...slugs].toSorted()).toEqual([
      'description',
      'employee_range',
      'estimated_arr_usd',
      'first_calendar_interaction',
      'first_email_interaction',
      'first_interaction',
      'foundation_date',
      'funding_raised_usd',
      'last_calendar_interaction',
      'last_email_interaction',
      'last_interaction',
      'next_calendar_interaction',
      'next_interaction',
      'strongest_connection_strength',
      'strongest_connection_strength_legacy',
      'strongest_connection_user',
      'twitter_follower_count',
    ])
    expect(getAttribute(getObject(model, 'people'), 'description').has_history).toBe(true)
  })

  test('rejects for a slug in use, and rolls back', async () => {
    const again = createWorkspace(database.db, { name: 'W', slug: 'w', now: 1_700_000_000_000_000 })
    await expect(again).rejects.toThrow('duplicate key')
    const schemas = await database.db.sql`select 1 from pg_namespace where nspname like 'w\\_%'`
    expect(schemas).toHaveLength(1)
  })
})

describe('STANDARD_OBJECTS', () => {
  test('both sides of each relationship name each other', () => {
    for (const object of STANDARD_OBJECTS) {
      for (const { api_slug, refers_to, mirrored_by } of object.attributes) {
        if (mirrored_by === undefined) continue
        const other = STANDARD_OBJECTS.find((each) => each.api_slug === refers_to)
        const partner = other?.attributes.find((each) => each.api_slug === mirrored_by)
        expect([partner?.refers_to, partner?.mirrored_by]).toEqual([object.api_slug, api_slug])
      }
    }
  })
})

describe('storesReference', () => {
  test.each([
    [false, false, true],
    [false, true, true],
    [true, false, false],
    [true, true, true],
  ])('first side several: %p, second: %p → the first one holds the references: %p', (first, second, stores) => {
    expect(isStoringSide({ is_multiselect: first }, { is_multiselect: second })).toBe(stores)
  })
})
