/** What compiled queries mean to PostgreSQL, and where errors lie in the caller's text. */

import { fullGC } from 'bun:jsc'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type CompiledService, compiledService } from '#testing/compiled-sql'
import { compileSql } from './compile-sql'
import type { SqlScope } from './tables/tables'

let sql: CompiledService
let acme = ''

beforeAll(async () => {
  sql = await compiledService()
  const { service, lists, attribute } = sql
  await attribute('people', 'order', { type: 'text' })
  await attribute('people', 'x-y', { type: 'text' })
  await attribute('people', 'version', { type: 'number' })
  await attribute('people', 'tags', { type: 'select', is_multiselect: true })
  for (const title of ['A', 'B'])
    await service.request('POST', '/v2/objects/people/attributes/tags/options', { data: { title } })
  await lists.list({ api_slug: 'my-list' })
  await lists.list({ api_slug: 'select' })
  acme = await lists.record('companies', { name: 'Acme', domains: ['acme.com', 'acme.org'] })
  const ada = { name: 'Ada', company: acme, tags: ['B', 'A'], order: 'first', 'x-y': 'hyphen', version: 7 }
  await lists.entry('my-list', await lists.record('people', ada))
  await lists.record('people', { name: 'Bob' })
})
afterAll(() => sql.service.close())

/** The rows as the values of their columns. */
const values = async (query: string, parameters: readonly string[] = []) =>
  (await sql.rows(query, parameters)).map((row) => (typeof row === 'object' && row !== null ? Object.values(row) : row))

const BY_NAME = 'order by p.name.full_name'

describe('names of tables', () => {
  test.each([
    'select p.name.full_name from people p',
    'select name.full_name from objects.people',
    'select people.name.full_name from people',
    'select objects.people.name.full_name from people',
    'select objects.people.name.full_name from objects.people',
    'select "people"."name"."full_name" from "objects"."people"',
    'select PEOPLE.Name.FULL_NAME from People',
    'select people . /* ü */ name -- ü\n . "full_name" from /* ü */ objects /* /* nested */ */ . -- x\n people',
    "select 'ü😀' || '' as u, people.name.full_name from people where 'people.name.full_name' <> $$people.name.x$$",
    'select p.name.full_name from objects . people as p;',
    'select p.name.full_name from people p -- the end',
    '/* ü */ select p.name.full_name from people p ; -- the end',
    '(select p.name.full_name from people p)',
    'select x.name.full_name from (select * from people) x',
    'select name.full_name from (table people) x',
    'select e.b.full_name from people e(a, b)',
    'with people as (select name from people) select people.name.full_name from people',
    'with p as (select * from objects.people), q as (select name from p) select q.name.full_name from q',
    'WITH/**/RECURSIVE/**/people(n) as (select name from objects.people) select people.n.full_name from people',
    'select p.name.full_name from people p natural join (select 1 as one) x',
    'select p.name.full_name from people join people p using (record_id)',
    'select (p.name).full_name from people p',
    'select n.full_name from people p, lateral (select p.name.full_name) n',
    'select (select p.name.full_name) from people p',
    'select full_name from (select name.full_name from people)',
    'select name.full_name from (select name from people)',
    'select name.full_name from people name',
    'select (select name.full_name) from people p',
    'select n from people p cross join lateral (values (p.name.full_name)) as v(n)',
  ])('%s', async (query) => {
    const names = (await values(query)).map((row) => (Array.isArray(row) ? row.at(-1) : row))
    expect(names.toSorted()).toEqual(['Ada', 'Bob'])
  })

  test.each([
    ['select "order", "x-y", version, p.version from people p where version = 7', [['first', 'hyphen', 7]]],
    ['select count(*) from lists."my-list"', [[1]]],
    ['select count(*) from lists."select"', [[0]]],
    [
      'select p.name.full_name from lists."my-list" m join people p on p.record_id = lists.m.parent_record.entity_instance_id',
      'missing FROM-clause entry for table "lists" | 79',
    ],
    ['select lists."my-list".parent_record.entity_definition_id is not null from lists."my-list"', [[true]]],
    [
      'with companies as (select 1 as record_id) select companies.record_id, (select count(*) from objects.companies) from companies',
      [[1, 1]],
    ],
    ['select count(*) from people, objects.companies, lists."my-list"', [[2]]],
    ['select objects.companies.* from companies', 1],
    [
      'select (select count(*) from x) from (with x as (select 1) select * from x) y',
      'relation "x" does not exist | 30',
    ],
    ['with a as (select * from b), b as (select 1) select 1', 'relation "b" does not exist | 26'],
  ])('%s', async (query, expected) => {
    if (typeof expected === 'string') expect(await sql.refusal(query)).toStartWith(expected)
    else if (typeof expected === 'number') expect(await values(query)).toHaveLength(expected)
    else expect(await values(query)).toEqual(expected)
  })
})

describe('fields of columns', () => {
  test.each([
    [
      `select p.company.entity_instance_id, p.name.first_name from people p ${BY_NAME}`,
      [
        ['ACME', 'Ada'],
        [null, 'Bob'],
      ],
    ],
    ['select company.entity_instance_id from people where company.entity_instance_id is not null', [['ACME']]],
    ['select c.name from companies c join people p on p.company.entity_instance_id = c.record_id', [['Acme']]],
    ['select company.name from companies company', [['Acme']]],
    ['select company.entity_instance_id from people, companies company where people.company is not null', [['ACME']]],
    [
      'select company.name from people join companies company on company.record_id = people.company.entity_instance_id',
      [['Acme']],
    ],
    [
      'select company.name from companies company where exists (select 1 from people where people.company.entity_instance_id = company.record_id)',
      [['Acme']],
    ],
    [
      'select (select p.name.full_name from people p where p.company.entity_instance_id = c.record_id) from companies c',
      [['Ada']],
    ],
    [
      'select x.full_name from companies c, lateral (select p.name.full_name from people p where p.company.entity_instance_id = c.record_id) x',
      [['Ada']],
    ],
    [
      'select count(*), p.company.entity_instance_id from people p group by p.company.entity_instance_id having p.company.entity_instance_id is not null',
      [[1, 'ACME']],
    ],
    ['select company.entity_instance_id from people group by company order by entity_instance_id', [['ACME'], [null]]],
    [
      'select company.entity_instance_id, count(*) from people group by rollup (company.entity_instance_id) order by 2 desc limit 1',
      [[null, 2]],
    ],
    [
      `select row_number() over (partition by company.entity_instance_id order by name.full_name) from people p ${BY_NAME}`,
      [[1], [1]],
    ],
    ['select count(*) over w from people window w as (order by company.entity_instance_id) limit 1', [[1]]],
    [
      'select distinct on (name.full_name) company.entity_instance_id from people order by name.full_name',
      [['ACME'], [null]],
    ],
    [`select (company).* from people p ${BY_NAME} limit 1`, [['OBJECT', 'ACME']]],
    ['select p.company.* from people p where p.company is not null', [['OBJECT', 'ACME']]],
    ["select coalesce(company.entity_instance_id::text, '-') as id from people order by 1", [['-'], ['ACME']]],
    [
      'select name.full_name from people union all select name from companies order by full_name',
      [['Acme'], ['Ada'], ['Bob']],
    ],
    ['select name from companies union select p.name.full_name from people p order by 1 limit 1', [['Acme']]],
    [
      'with recursive x as (select company from people), n(i) as (select 1 union all select i + 1 from n where i < 3) select x.company.entity_instance_id, max(i) from x, n where company.entity_instance_id is not null group by 1',
      [['ACME', 3]],
    ],
    ['select array(select name.full_name from people order by 1) as a', [[['Ada', 'Bob']]]],
    ['select case when name.full_name = $1 then $2::int end from people where name.full_name = $1', [[3]]],
    ['select upper(name.full_name) from people group by upper(name.full_name) order by upper', [['ADA'], ['BOB']]],
    ['select name.full_name as n from people order by n desc', [['Bob'], ['Ada']]],
  ])('%s', async (query, expected) => {
    const parameters = query.includes('$2') ? ['Ada', '3'] : []
    const known = (value: unknown) =>
      value === acme ? 'ACME' : typeof value === 'string' && value.length === 36 ? 'OBJECT' : value
    expect((await values(query, parameters)).map((row) => (Array.isArray(row) ? row.map(known) : row))).toEqual(
      expected,
    )
  })
})

describe('several values', () => {
  test.each([
    ['select t from people p, unnest(p.tags) as u(t)', [['B'], ['A']]],
    [
      'select t, o from people, unnest(tags) with ordinality as u(t, o)',
      [
        ['B', 1],
        ['A', 2],
      ],
    ],
    ['select p.tags[1], tags[2] as t from people p where cardinality(tags) > 0', [['B', 'A']]],
    [
      'select d, count(*) from companies cross join unnest(companies.domains) as d group by d order by d',
      [
        ['acme.com', 1],
        ['acme.org', 1],
      ],
    ],
    [
      'with u as (select unnest(domains) as d from companies) select d from u order by d desc',
      [['acme.org'], ['acme.com']],
    ],
    ['select u.entity_instance_id is not null from companies c, unnest(c.team) u', [[true]]],
    [
      'select u.u, v.t, w.unnest as w, unnest.unnest from unnest(array[1]) u, unnest(array[2]) v(t), unnest(array[3], array[4]) w(a), unnest(array[5])',
      [[1, 2, 4, 5]],
    ],
    [
      "select e.key, e.value, r.a, o.ordinality from json_each('{\"k\": 1}') e, json_to_record('{\"a\": 2}') as r(a int), unnest(array['x']) with ordinality o",
      [['k', 1, 2, 1]],
    ],
    ['select t.team[1].entity_instance_id is not null from companies t', [[true]]],
    ['select x.u.entity_instance_id is not null from (select unnest(team) as u from companies) x', [[true]]],
    [
      'select p.name.full_name from companies c cross join unnest(c.team) as t join people p on p.record_id = t.entity_instance_id',
      [['Ada']],
    ],
  ])('%s', async (query, expected) => {
    expect(await values(query)).toEqual(expected)
  })
})

describe('errors', () => {
  test.each([
    ['select nmae from people', 'column "nmae" does not exist | 8 | Perhaps you meant "name".'],
    ["select 'ü😀', p.nmae from people p", 'column p.nmae does not exist | 14 | Perhaps you meant "name".'],
    [
      'select objects.people.nmae from people',
      'column objects.people.nmae does not exist | 8 | Perhaps you meant "name".',
    ],
    ['select 1 from people where compny is null', 'column "compny" does not exist | 28 | Perhaps you meant "company".'],
    ['select name.fist_name from people', 'field "fist_name" of column "name" does not exist | 8 | '],
    [
      'select x.company.entity_instance from people x',
      'field "entity_instance" of column "company" does not exist | 8 | Perhaps you meant "entity_instance_id".',
    ],
    ['select q.name from people', 'missing FROM-clause entry for table "q" | 8 | '],
    ['select peple.name from people', 'missing FROM-clause entry for table "peple" | 8 | Perhaps you meant "people".'],
    ['select * from peple', 'relation "peple" does not exist | 15 | Perhaps you meant "people".'],
    ["select 'ü', * from objects.peple", 'relation "objects.peple" does not exist | 20 | Perhaps you meant "people".'],
    ['select * from "my-list"', 'relation "my-list" does not exist | 15 | Perhaps you meant "lists.my-list".'],
    ['select * from pg_class', 'relation "pg_class" does not exist | 15 | '],
    ['select * from pg_catalog.pg_class', 'relation "pg_catalog.pg_class" does not exist | 15 | '],
    ['select * from relata.tokens', 'relation "relata.tokens" does not exist | 15 | '],
    ['select * from w_1.o_1', 'relation "w_1.o_1" does not exist | 15 | '],
    ['select * from "objects.1"', 'relation "objects.1" does not exist | 15 | '],
    ['select * from people, "objects.1"', 'relation "objects.1" does not exist | 23 | '],
    ['select * from information_schema.views', 'relation "information_schema.views" does not exist | 15 | '],
    ['select x.record_out from (select 1) x', 'column x.record_out does not exist | 8 | '],
    ['select x.pg_sleep.a from (select 1) x', 'field "a" of column "pg_sleep" does not exist | 8 | '],
    ['select name.pg_sleep from people', 'field "pg_sleep" of column "name" does not exist | 8 | '],
    ['select name.pg_sleep from (select 1 as name) x', 'missing FROM-clause entry for table "name" | 8 | '],
    // PostgreSQL itself reports these.
    ["select 'ü😀', nosuch from (select 1) x", 'column "nosuch" does not exist | 14 | '],
    ["select 'ü', p.name.full_name + 1 from people p", 'operator does not exist: text + integer | 30 | '],
    ['select lower(1, 2), p.name.full_name from people p', 'function lower(integer, integer) does not exist | 8 | '],
    ['select name.full_name from people order by nosuch', 'column "nosuch" does not exist | 44 | '],
    ['select 1 from people p, companies p', 'table name "p" specified more than once |  | '],
    ['select name from people, companies', 'column reference "name" is ambiguous | 8 | '],
    ['select * from people *', 'syntax error at or near "*" | 22 | '],
    ['select * from U&"people"', 'This form of a name is not supported. | 15 | '],
    ['select 1 / 0 from people', 'division by zero |  | '],
  ])('%s', async (query, expected) => {
    expect(await sql.refusal(query)).toStartWith(expected)
  })
})

describe('compileSql', () => {
  test('names the objects and lists that the text reads', async () => {
    const slugs = async (query: string) => (await sql.compile(query)).entityTypes.map(({ api_slug }) => api_slug)
    expect(await slugs('select 1')).toEqual([])
    expect(await slugs('select 1 from information_schema.tables')).toEqual([])
    expect(await slugs('select 1 from people where exists (select 1 from lists."my-list")')).toEqual([
      'people',
      'my-list',
    ])
  })

  test('reads only the columns that the text names', async () => {
    const { text } = await sql.compile('select name.first_name from people')
    expect(text).toMatch(
      /^with "objects\.\d+" as not materialized \(select row\([^()]*\)::relata_sql\.personal_name as "name" from /,
    )
    expect((await sql.compile('select count(*) from people')).text).toContain('(select  from ')
  })

  test('returns the same statement for the same text, model and scope only', async () => {
    const scope = await sql.scope()
    const compile = (of: SqlScope, parameters = 0) => compileSql(of, 'select 1 from people', parameters)
    const compiled = compile(scope)
    expect(compile(scope)).toEqual(compiled)
    // A statement that is compiled again has another function.
    expect(compile(scope).toCallerPosition).toBe(compiled.toCallerPosition)
    expect(compile(scope, 1).toCallerPosition).not.toBe(compiled.toCallerPosition)
    const fewer = { model: scope.model, entityTypes: scope.entityTypes.filter(({ api_slug }) => api_slug !== 'people') }
    expect(() => compileSql(fewer, 'select 1 from people', 0)).toThrow('relation "people" does not exist')
    expect(compile({ ...scope, model: { ...scope.model } }).toCallerPosition).not.toBe(compiled.toCallerPosition)
  })

  test('keeps no data model', async () => {
    const scope = await sql.scope()
    const models = Array.from({ length: 20 }, () => {
      const model = { ...scope.model }
      compileSql({ model, entityTypes: model.entityTypes.map((each) => ({ ...each })) }, 'select 1 from people', 0)
      return new WeakRef(model)
    })
    // What a WeakRef was made of in this turn stays until its end.
    await Bun.sleep(0)
    fullGC()
    expect(models.filter((model) => model.deref() !== undefined).length).toBeLessThan(5)
  })
})
