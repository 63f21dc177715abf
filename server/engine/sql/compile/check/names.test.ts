/** Compares the lists of names with the catalog of PostgreSQL. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { testDatabase, type TestDatabase } from '#testing/database'
import {
  AGGREGATE_FUNCTIONS,
  FIELDS,
  FUNCTIONS,
  NAMED_RESULTS,
  ROW_FUNCTIONS,
  SET_FUNCTIONS,
  TYPES,
  VOLATILE_FUNCTIONS,
} from './names'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

async function namesOf(query: string, names: Iterable<string> = []): Promise<string[]> {
  const rows = await database.db.sql.unsafe(query, query.includes('$1') ? [`{${[...names].join(',')}}`] : [])
  return rows.map(({ name }) => String(name)).toSorted()
}

const IN_CATALOG = `from pg_catalog.pg_proc where pronamespace = 'pg_catalog'::regnamespace`

test('every function of the list is one of PostgreSQL', async () => {
  expect(await namesOf(`select distinct proname as name ${IN_CATALOG} and proname = any($1)`, FUNCTIONS)).toEqual(
    [...FUNCTIONS].toSorted(),
  )
})

test('no function of the list changes something, has the rights of its owner, or is not PostgreSQL’s own', async () => {
  const volatile = `select distinct proname as name ${IN_CATALOG} and provolatile = 'v' and proname = any($1)`
  expect(await namesOf(volatile, FUNCTIONS)).toEqual([...VOLATILE_FUNCTIONS].toSorted())
  const others = `select distinct proname as name from pg_catalog.pg_proc
    where proname = any($1) and (prosecdef or prokind = 'p' or pronamespace <> 'pg_catalog'::regnamespace)`
  expect(await namesOf(others, FUNCTIONS)).toEqual([])
})

test('the functions that return several rows, and those that need several, are all known', async () => {
  expect(
    await namesOf(`select distinct proname as name ${IN_CATALOG} and proretset and proname = any($1)`, FUNCTIONS),
  ).toEqual([...SET_FUNCTIONS].toSorted())
  const several = `select distinct proname as name ${IN_CATALOG} and prokind in ('a', 'w') and proname = any($1)`
  expect(await namesOf(several, FUNCTIONS)).toEqual([...AGGREGATE_FUNCTIONS].toSorted())
})

test('no function of the list takes what names an object of the catalog, or runs text', async () => {
  const types = `'{regclass,regproc,regprocedure,regtype,regrole,regnamespace,regconfig,regdictionary,oid,xml,internal,cstring,refcursor}'`
  const query = `select distinct proname as name ${IN_CATALOG} and proname = any($1)
    and proargtypes::oid[] && ${types}::regtype[]::oid[] and prokind = 'f'`
  expect(await namesOf(query, FUNCTIONS)).toEqual([])
})

test('no field of a composite value has the name of a function', async () => {
  expect(
    await namesOf(`select distinct proname as name from pg_catalog.pg_proc where proname = any($1)`, FIELDS),
  ).toEqual([])
})

test('the functions that a row can be the only argument of are all known', async () => {
  const query = `select distinct proname as name ${IN_CATALOG} and prokind <> 'p'
    and (pronargs - pronargdefaults <= 1 or provariadic <> 0) and pronargs > 0 and proargtypes[0]::regtype::text = any(
      array['record', '"any"', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray'])`
  const others = (await namesOf(query)).filter((name) => !FUNCTIONS.has(name))
  expect(others).toEqual([...ROW_FUNCTIONS].toSorted())
})

test('the functions that name their one column are all known', async () => {
  const outputs = ['o', 'b', 't'].map((mode) => `cardinality(array_positions(proargmodes, '${mode}'))`).join(' + ')
  const query = `select distinct proname as name ${IN_CATALOG} and proname = any($1) and ${outputs} = 1`
  expect(await namesOf(query, FUNCTIONS)).toEqual([...NAMED_RESULTS].toSorted())
})

test('the reference names every function of the list, and no other', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../../../../docs/reference/sql-language.md')).text()
  const section = page.slice(page.indexOf('| Aggregates'), page.indexOf('The second argument'))
  const listed = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual([...FUNCTIONS].toSorted())
})

test('every type of the list is one of PostgreSQL, and none names an object of the catalog', async () => {
  const query = `select typname as name from pg_catalog.pg_type where typnamespace = 'pg_catalog'::regnamespace and typname = any($1)
    and typtype in ('b', 'r', 'm') and typname not like 'reg%'`
  expect(await namesOf(query, TYPES)).toEqual([...TYPES].toSorted())
})
