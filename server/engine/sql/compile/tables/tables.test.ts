/** The columns of tables: each attribute type, whole and by its fields, and the plans of queries over them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { columnName } from '#engine/attribute-types/definition/columns'
import { TYPE_NAMES } from '#vocabulary/data-model'
import { entityTableName } from '#engine/data-model/names'
import { getAttribute, getObject } from '#engine/data-model/find'
import { type CompiledService, compiledService } from '#testing/compiled-sql'

let sql: CompiledService
let [ada, bob, acme, entry, objectId, memberId]: string[] = []
const first = async (query: string): Promise<unknown> => Object.values((await sql.rows(query))[0] ?? {})[0]

beforeAll(async () => {
  sql = await compiledService()
  const { service, lists, attribute } = sql
  const selects = { type: 'select', is_multiselect: true }
  await attribute('people', 'score', { type: 'number' })
  await attribute('people', 'stars', { type: 'rating' })
  await attribute('people', 'is_partner', { type: 'checkbox' })
  await attribute('people', 'born', { type: 'date' })
  await attribute('people', 'met_at', { type: 'timestamp' })
  await attribute('people', 'budget', {
    type: 'currency',
    config: { currency: { default_currency_code: 'EUR', display_type: 'code' } },
  })
  await attribute('people', 'tags', selects)
  await attribute('people', 'size', { type: 'select' })
  await attribute('people', 'main_phone', { type: 'phone-number' })
  await attribute('people', 'owners', { type: 'actor-reference', is_multiselect: true })
  await attribute('people', 'friends', {
    type: 'record-reference',
    is_multiselect: true,
    config: { record_reference: { allowed_objects: ['people', 'companies'] } },
  })
  for (const [slug, title] of [
    ['tags', 'A'],
    ['tags', "B 'x' \\ \""],
    ['size', 'Large'],
  ])
    await service.request('POST', `/v2/objects/people/attributes/${slug}/options`, { data: { title } })
  const model = await service.appContext.models.reload(service.workspaceId)
  memberId = [...model.membersById.keys()][0]
  objectId = getObject(model, 'companies').id
  acme = await lists.record('companies', { name: 'Acme', domains: ['acme.com', 'acme.org'] })
  bob = await lists.record('people', {})
  ada = await lists.record('people', {
    name: { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' },
    email_addresses: ['Ada@Acme.com', 'ada@acme.org'],
    phone_numbers: ['+49 30 901820'],
    main_phone: '+1 202 555 0123',
    primary_location: {
      line_1: 'Main 1',
      line_2: null,
      line_3: null,
      line_4: null,
      locality: 'Berlin',
      region: null,
      postcode: '10115',
      country_code: 'DE',
      latitude: '52.5',
      longitude: '13.4',
    },
    company: acme,
    score: 0.30000000000000004,
    stars: 4,
    is_partner: true,
    born: '1815-12-10',
    met_at: '2026-01-02T03:04:05.123456789Z',
    budget: 1200.5,
    tags: ["B 'x' \\ \"", 'A'],
    size: 'Large',
    friends: [
      { target_object: 'people', target_record_id: bob },
      { target_object: 'companies', target_record_id: acme },
    ],
    ...(memberId === undefined ? {} : { owners: [memberId] }),
  })
  await lists.list({ api_slug: 'sales', name: 'Sales' })
  entry = await lists.entry('sales', ada)
})
afterAll(() => sql.service.close())

const company = () => ({ entity_definition_id: objectId, entity_instance_id: acme })

describe('ids of references as texts', () => {
  const names = async (from: string) =>
    (await sql.rows(`select p.name.first_name as name from ${from} order by 1`)).map((row) => Object(row).name)
  const companies = 'people p join companies c on'

  test.each([
    ['people p where p.company.entity_instance_id like $$%-%$$', ['Ada']],
    ['people p where p.company.entity_instance_id ilike $$%-4%$$ and company.entity_definition_id ~ $$-$$', ['Ada']],
    ['people p where p.company.entity_instance_id not like $$%-%$$', []],
    ["people p where 'x' || p.company.entity_instance_id similar to 'x%'", ['Ada']],
    [`${companies} p.company.entity_instance_id = c.record_id::text`, ['Ada']],
    [`${companies} c.record_id :: /* id */ text = p . "company" . entity_instance_id`, ['Ada']],
    [`${companies} (c.record_id)::text = p.company.entity_instance_id`, ['Ada']],
    [`${companies} p.company.entity_instance_id <> c.record_id::text`, []],
    [`${companies} p.company.entity_instance_id = c.name`, []],
    [
      'people p where exists (select from lists.sales where parent_record.entity_instance_id = p.record_id::text)',
      ['Ada'],
    ],
    ['(select * from people) p where p.company.entity_instance_id is not null', ['Ada']],
  ])('%s', async (from, expected) => {
    expect(await names(from)).toEqual(expected)
  })
})

describe('a column of each type', () => {
  const cases: readonly (readonly [column: string, value: unknown, absent?: unknown])[] = [
    ['name', { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' }],
    ['name.first_name', 'Ada'],
    ['email_addresses', ['ada@acme.com', 'ada@acme.org'], []],
    ['email_addresses[2]', 'ada@acme.org'],
    ['phone_numbers', ['+4930901820'], []],
    ['main_phone', '+12025550123'],
    ['primary_location.locality', 'Berlin'],
    ['primary_location.line_2', null],
    ['(primary_location).latitude', '52.5'],
    ["(primary_location).country_code = 'DE'", true],
    ['primary_location is not distinct from primary_location', true, true],
    ['score', 0.30000000000000004],
    ['score::text', '0.30000000000000004'],
    ['pg_typeof(score)::text', 'numeric', 'numeric'],
    ['round(stars / 3, 2)', 1.33],
    ['pg_typeof(stars)::text', 'numeric', 'numeric'],
    ['is_partner', true],
    ['born', '1815-12-10'],
    ['extract(year from born)', 1815],
    ['met_at', '2026-01-02T03:04:05.123456+00:00'],
    ['budget', 1200.5],
    ['budget + 0.5', 1201],
    ['tags', ["B 'x' \\ \"", 'A'], []],
    ['cardinality(tags)', 2, 0],
    ["'A' = any(tags)", true, false],
    ['size', 'Large'],
    ['associated_deals', [], []],
    ['strongest_connection_user', null],
    ['first_interaction', null],
    ['first_interaction.interacted_at', null],
    ['created_by.actor_type', 'api-token', 'api-token'],
    ['created_at is not null', true, true],
    ['pg_typeof(record_id)::text', 'uuid', 'uuid'],
    ['company.entity_instance_id is not null', true, false],
    ['company is null', false, true],
    ['cardinality(friends)', 2, 0],
    ['cardinality(owners) >= 0', true, true],
  ]
  test.each(cases)('%s', async (column, value, absent = null) => {
    const query = (id = '') => `select ${column} as value from people where record_id = '${id}'`
    expect(await first(query(ada))).toEqual(value)
    expect(await first(query(bob))).toEqual(absent)
  })

  test('references, their other side, and references to several objects', async () => {
    const people = await sql.rows(
      'select company, friends[1].entity_instance_id as friend, friends[2] as other from people order by name.first_name',
    )
    expect(people).toEqual([
      { company: company(), friend: bob, other: company() },
      { company: null, friend: null, other: null },
    ])
    expect(await first("select team from companies where 'acme.org' = any(domains)")).toMatchObject([
      { entity_instance_id: ada },
    ])
    expect(await sql.rows(`select count(company) as a, count(*) as b from people`)).toEqual([{ a: 1, b: 2 }])
    expect(
      await sql.rows(
        `select count(x.c) as a from (select p.company as c, p.company.entity_instance_id from people p) x`,
      ),
    ).toEqual([{ a: 1 }])
  })

  test('beside *, an absent value of which a field is selected is null', async () => {
    const [row] = await sql.rows(`select *, company.entity_instance_id as id from people where record_id = '${bob}'`)
    expect(row).toMatchObject({ company: null, id: null })
  })

  test('an entry of a list with its parent', async () => {
    const query = `select s.entry_id, lists.sales.parent_record.entity_instance_id from lists.sales join lists.sales s using (entry_id)`
    expect(await sql.rows(query)).toEqual([{ entry_id: entry, entity_instance_id: ada }])
    expect(
      await sql.rows(
        'select p.name.full_name from lists.sales s join people p on p.record_id = s.parent_record.entity_instance_id',
      ),
    ).toEqual([{ full_name: 'Ada Lovelace' }])
  })

  test('* has the columns in their order, archived ones left out', async () => {
    await sql.attribute('companies', 'old', { type: 'text' })
    const has = async () => Object.keys((await sql.rows('select * from companies'))[0] ?? {})
    expect((await has()).slice(0, 3)).toEqual(['record_id', 'domains', 'name'])
    expect(await has()).toContain('old')
    await sql.service.request('PATCH', '/v2/objects/companies/attributes/old', { data: { is_archived: true } })
    expect(await has()).not.toContain('old')
    expect(await sql.refusal('select old from companies')).toStartWith('column "old" does not exist | 8')
  })
})

describe('information_schema', () => {
  test('lists exactly the tables of the scope', async () => {
    const all = `select table_schema || '.' || table_name as name from information_schema.tables order by 1`
    const names = (await sql.rows(all)).map(({ name }) => name)
    expect(names).toEqual([
      'lists.sales',
      'objects.companies',
      'objects.deals',
      'objects.people',
      'objects.users',
      'objects.workspaces',
    ])
  })

  test('lists the columns with their types', async () => {
    const query = `select column_name, data_type, udt_schema, udt_name from information_schema.columns
      where table_name = 'people' and table_schema = 'objects' and column_name in ('record_id', 'name', 'tags', 'friends', 'met_at', 'is_partner') order by ordinal_position`
    const columns = (await sql.rows(query)).map((row) => Object.values(row).join(' '))
    expect(columns).toEqual([
      'record_id uuid pg_catalog uuid',
      'name USER-DEFINED relata_sql personal_name',
      'is_partner boolean pg_catalog bool',
      'met_at timestamp with time zone pg_catalog timestamptz',
      'tags ARRAY pg_catalog _text',
      'friends ARRAY relata_sql _record_reference',
    ])
  })

  test('its types are those of PostgreSQL', async () => {
    const columns = await sql.rows(
      'select table_schema, table_name, column_name, udt_name from information_schema.columns',
    )
    expect(columns.length).toBeGreaterThan(TYPE_NAMES.length)
    for (const table of ['people', 'companies', 'deals']) {
      const named = columns.filter(({ table_name }) => table_name === table)
      const list = named.map(({ column_name }) => `pg_typeof("${column_name}")::text as "${column_name}"`)
      const [types = {}] = await sql.rows(
        `select ${list.join(', ')} from (select 1) one left join ${table} on true limit 1`,
      )
      const short = (name: unknown) =>
        String(name)
          .replace('timestamp with time zone', 'timestamptz')
          .replace('boolean', 'bool')
          .replace('relata_sql.', '')
      for (const { column_name, udt_name } of named)
        expect([column_name, udt_name]).toEqual([
          column_name,
          short(types[String(column_name)]).replace(/^(.*)\[\]$/, '_$1'),
        ])
    }
  })
})

describe('plans', () => {
  let table = ''
  beforeAll(async () => {
    const model = await sql.service.appContext.models.reload(sql.service.workspaceId)
    const people = getObject(model, 'people')
    table = entityTableName(people)
    const size = getAttribute(people, 'size')
    const [target, object, option] = [
      columnName(getAttribute(people, 'company'), 'target_record_id'),
      columnName(getAttribute(people, 'company'), 'target_object'),
      columnName(size, 'option'),
    ]
    await sql.service.db.sql.unsafe(
      `insert into ${people.table} (id, created_at, created_by, updated_at, updated_by, ${object}, ${target}, ${option})
       select gen_random_uuid(), now(), 0, now(), 0, 2, gen_random_uuid(), case when n % 100 = 0 then ${size.options[0]?.number} else -1 end
       from generate_series(1, 5000) n`,
    )
    await sql.service.db.sql.unsafe(`create index on ${people.table} (${option})`)
    await sql.service.db.sql.unsafe(`analyze ${people.table}`)
  })

  const id = `'019a0000-0000-4000-8000-000000000000'`
  test.each([
    ['an id', `select * from people where record_id = ${id}`, 1],
    ['an id of a reference', `select record_id from people p where p.company.entity_instance_id = ${id}`, 1],
    ['an id of a reference, with *', `select * from people where company.entity_instance_id = ${id}`, 1],
    [
      'an id of a reference beside the text of an id',
      `select p.record_id from companies c join people p on p.company.entity_instance_id = c.record_id::text where c.record_id = ${id}`,
      2,
    ],
    ['a title', `select record_id from people where size = 'Large'`, 1],
    ['a title, with *', `select * from people where size = 'Large' limit 5`, 1],
    [
      'a join from the other side',
      `select * from companies c join people p on p.company.entity_instance_id = c.record_id where c.record_id = ${id}`,
      2,
    ],
  ])('a condition on %s uses an index', async (_name, query, scans) => {
    const compiled = await sql.compile(query)
    const rows = await sql.service.db.sql.begin(async (tx) => {
      await tx.unsafe('set local plan_cache_mode = force_custom_plan')
      return tx.unsafe(`explain ${compiled.text}`, compiled.parameters.map(String))
    })
    const plan = rows.map((row) => String(Object.values(row)[0]))
    expect(plan.filter((line) => /Index Cond|Recheck Cond/.test(line)).length).toBeGreaterThanOrEqual(scans)
    expect(plan.filter((line) => line.includes(`Seq Scan on ${table}`))).toEqual([])
  })
})
