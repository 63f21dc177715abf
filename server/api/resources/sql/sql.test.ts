import { beforeAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../../app'
import { createRateLimiter } from '#api/http/rate-limit/rate-limiter'
import { createCostLimit } from '#engine/query/planning/cost-limit'
import { ACTIVITY_RECORD_SCOPES, READ_WRITE_SCOPES, type Scope } from '#vocabulary/scopes'
import { attributeClient, attributeInput } from '#testing/attributes'
import { createClient } from '#testing/client'
import { listClient } from '#testing/lists'
import { signedIn } from '#testing/people'
import { testService } from '#testing/service'
import { useTestService } from '#testing/use-service'

const READ: readonly Scope[] = ['record_permission:read', 'object_configuration:read']
const READ_LISTS: readonly Scope[] = [...READ, 'list_entry:read', 'list_configuration:read']

const service = useTestService({}, (db, now) => ({
  limits: createRateLimiter(db, now, { read: 0, write: 0, merge: 0, recording: 0, sql: 1000 }),
}))
let ids: Record<'ada' | 'grace' | 'engines' | 'entry', string>

beforeAll(async () => {
  const lists = listClient(service)
  const engines = await lists.record('companies', { name: 'Analytical Engines', domains: ['engines.dev'] })
  const ada = await lists.record('people', {
    name: 'Lovelace, Ada',
    email_addresses: ['ada@engines.dev', 'ada@relata.dev'],
    phone_numbers: ['+44 20 7946 0958'],
    primary_location: {
      line_1: null,
      line_2: null,
      line_3: null,
      line_4: null,
      locality: 'London',
      region: null,
      postcode: null,
      country_code: 'GB',
      latitude: null,
      longitude: null,
    },
    company: engines,
  })
  const grace = await lists.record('people', { name: 'Hopper, Grace' })
  await lists.list({ api_slug: 'sales', name: 'Sales' })
  await lists.attribute('sales', 'amount', { type: 'number' })
  ids = { ada, grace, engines, entry: await lists.entry('sales', ada, { amount: 12.5 }) }
  const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  await lists.list({ api_slug: 'secret', name: 'Secret', workspace_access: null, workspace_member_access })
})

const ask = (sql: string, members: object = {}, key = service.key) =>
  service.request('POST', '/v2/sql', { sql, ...members }, { key })

async function rowsOf(sql: string, parameters: unknown[] = [], key?: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await ask(sql, { parameters }, key)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.rows
}

const tablesOf = async (key?: string) =>
  (await rowsOf('select table_schema, table_name from information_schema.tables order by 1, 2', [], key)).map(
    ({ table_schema: schema, table_name: name }) => `${schema}.${name}`,
  )

describe('POST /v2/sql', () => {
  test('200 with structs, arrays, numbers and times', async () => {
    const [row] = await rowsOf(
      `select record_id, name, email_addresses, phone_numbers, company, created_by, created_at, primary_location
       from people where name.last_name = $1`,
      ['Lovelace'],
    )
    const object = (await service.request('GET', '/v2/objects/companies')).body.data.id.object_id
    expect(row).toMatchObject({
      record_id: ids.ada,
      name: { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' },
      email_addresses: ['ada@engines.dev', 'ada@relata.dev'],
      phone_numbers: ['+442079460958'],
      company: { entity_definition_id: object, entity_instance_id: ids.engines },
      created_by: { actor_type: 'api-token' },
      primary_location: { country_code: 'GB', locality: 'London', line_1: null },
    })
    expect(row?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}000Z$/)
  })

  test('200 for entries of a list with their parent', async () => {
    const rows = await rowsOf(`
      select s.entry_id, s.amount, p.name.full_name as name from lists.sales s
      join objects.people p on p.record_id = s.parent_record.entity_instance_id`)
    expect(rows).toEqual([{ entry_id: ids.entry, amount: 12.5, name: 'Ada Lovelace' }])
    const [row] = await rowsOf('select lists.sales.parent_record.entity_instance_id as parent from lists.sales')
    expect(row).toEqual({ parent: ids.ada })
  })

  test.each([
    ['select email from people p, unnest(p.email_addresses) email order by 1 limit 1', [{ email: 'ada@engines.dev' }]],
    ['with p as (select record_id from people) select count(*) as n from p', [{ n: 2 }]],
    ['select 1 as n union all select 2 order by n', [{ n: 1 }, { n: 2 }]],
    ['values (1)', [{ column1: 1 }]],
    ['select count(*) as n from people where company is null; -- end', [{ n: 1 }]],
  ])('200 for %s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows)
  })

  test('200 after an attribute was created, and without it after it was archived', async () => {
    await attributeClient(service).create('people', attributeInput({ api_slug: 'shoe_size', type: 'number' }))
    expect(await rowsOf('select shoe_size from people limit 1')).toEqual([{ shoe_size: null }])
    await service.request('PATCH', '/v2/objects/people/attributes/shoe_size', { data: { is_archived: true } })
    expect((await ask('select shoe_size from people')).status).toBe(400)
  })

  test('200 with records that were written a moment ago', async () => {
    const [row] = await rowsOf('select count(*) as n from companies')
    await listClient(service).record('companies', { name: 'New' })
    expect(await rowsOf('select count(*) as n from companies')).toEqual([{ n: Number(row?.n) + 1 }])
  })
})

describe('the tables of a caller', () => {
  test('are those that its scopes and its access allow', async () => {
    const objects = ['companies', 'deals', 'people', 'users', 'workspaces'].map((slug) => `objects.${slug}`)
    const all = ['activities.phone_calls', 'lists.sales', 'lists.secret', ...objects]
    expect(await tablesOf()).toEqual(all)
    const listsAndObjects = ['lists.sales', ...objects]
    expect(await tablesOf(await service.keyWith(READ_LISTS))).toEqual(listsAndObjects)
    expect(await tablesOf(await service.keyWith(READ))).toEqual(objects)
    const withPrivate: Scope[] = [...READ_LISTS, 'private_collection:read']
    expect(await tablesOf(await service.keyWith(withPrivate))).toEqual(['lists.sales', 'lists.secret', ...objects])
    const withActivities = [...READ_LISTS, ...ACTIVITY_RECORD_SCOPES.read]
    expect(await tablesOf(await service.keyWith(withActivities))).toEqual([
      'activities.phone_calls',
      ...listsAndObjects,
    ])
  })

  test('400 for a hidden list, as for one that does not exist', async () => {
    const key = await service.keyWith(READ_LISTS)
    const [hidden, missing] = await Promise.all(
      ['lists.secret', 'lists.nothings'].map((table) => ask(`select * from ${table}`, {}, key)),
    )
    expect([hidden?.status, missing?.status]).toEqual([400, 400])
    expect(hidden?.body.message.replace('secret', 'nothings')).toBe(missing?.body.message)
    expect(hidden?.body.hint ?? '').not.toContain('secret')
  })

  test('403 for a list without its scopes, 400 for a hidden one', async () => {
    const key = await service.keyWith([...READ, 'list_entry:read'])
    const { status, body } = await ask('select * from lists.sales', {}, key)
    expect([status, body.code, body.required_scopes]).toEqual([403, 'unauthorized', ['list_configuration:read']])
    expect((await ask('select * from lists.secret', {}, key)).status).toBe(400)
    expect((await ask('select * from people', {}, key)).status).toBe(200)
  })

  test('403 for an activity without its scopes', async () => {
    const key = await service.keyWith(READ)
    const { status, body } = await ask('select * from activities.phone_calls', {}, key)
    expect([status, body.required_scopes]).toEqual([403, ['activity_record:read', 'activity_configuration:read']])
  })

  test('200 for a join of an activity with people', async () => {
    const call = { direction: 'Outbound', note: 'About tables', people: [ids.ada] }
    await service.request('POST', '/v2/activities/phone_calls/records', { data: { values: call } })
    const rows = await rowsOf(`
      select p.name.full_name, c.direction, c.note from activities.phone_calls c
      cross join unnest(c.people) as r join people p on p.record_id::text = r.entity_instance_id::text
      where c.note = 'About tables'`)
    expect(rows).toEqual([{ full_name: 'Ada Lovelace', direction: 'Outbound', note: 'About tables' }])
  })

  test('those of a member follow the access to lists', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const asMember = (sql: string) => member.ask('POST', '/console/v2/sql', { sql })
    expect((await asMember('select * from lists.secret')).status).toBe(400)
    expect((await asMember('select amount from lists.sales')).body.data.rows).toEqual([{ amount: 12.5 }])
    const workspace_member_access = [
      { workspace_member_id: service.member.id, level: 'full-access' },
      { workspace_member_id: member.memberIds[service.workspaceId], level: 'read-only' },
    ]
    await service.request('PATCH', '/v2/lists/secret', { data: { workspace_member_access } })
    expect((await asMember('select * from lists.secret')).status).toBe(200)
  })

  test('are of its workspace, also under the same names', async () => {
    const other = await service.anotherWorkspace()
    expect(await rowsOf('select count(*) as n from people', [], other.key)).toEqual([{ n: 0 }])
    expect(await rowsOf('select 1 from people where record_id = $1', [ids.ada], other.key)).toEqual([])
    expect((await ask('select * from lists.sales', {}, other.key)).status).toBe(400)
    expect(await rowsOf('select count(*) as n from people')).toEqual([{ n: 2 }])
  })
})

describe('refusals', () => {
  test.each([
    ['an unknown table', 'select * from peopel', 15, 'people'],
    ['an unknown column', 'select nam from companies', 8, 'name'],
    ['a syntax error', 'select from where', 13, undefined],
    ['a write', 'delete from people', undefined, undefined],
    ['two statements', 'select 1; select 2', undefined, undefined],
    ['a control table', 'select * from relata.workspaces', 15, undefined],
    ['a function with effects', `select set_config('role', 'postgres', false)`, 8, undefined],
    ['no text', '', undefined, undefined],
  ])('400 for %s', async (_, sql, position, hint) => {
    const { status, body } = await ask(sql)
    expect([status, body.code]).toEqual([400, 'filter_error'])
    if (position !== undefined) expect(body.position).toBe(position)
    if (hint !== undefined) expect(body.hint).toContain(hint)
  })

  test.each([
    ['a missing text', {}],
    ['a text of another type', { sql: 1 }],
    ['parameters that are no array', { sql: 'select 1', parameters: 'x' }],
    ['too many parameters', { sql: 'select 1', parameters: Array.from({ length: 1001 }, () => 1) }],
  ])('400 validation_type for %s', async (_, body) => {
    const answer = await service.request('POST', '/v2/sql', body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
  })

  test.each([
    ['too few parameters', 'select $1::int + $2::int', [1]],
    ['too many parameters', 'select $1::int', [1, 2]],
    ['a parameter of a wrong type', 'select $1::int', ['x']],
    ['NUL', 'select $1::text', ['a\u0000b']],
  ])('400 for %s', async (_, sql, parameters) => {
    expect((await ask(sql, { parameters })).status).toBe(400)
  })

  test('403 without the scopes of records', async () => {
    const key = await service.keyWith(['record_permission:read'])
    expect((await ask('select 1', {}, key)).status).toBe(403)
  })

  test('429 over the limit of the workspace, whichever token', async () => {
    const limited = await testService({}, (db, now) => ({
      limits: createRateLimiter(db, now, { read: 0, write: 0, merge: 0, recording: 0, sql: 5 }),
    }))
    limited.setNow(1_800_000_003_250_000)
    const keys = [limited.key, await limited.keyWith(READ_WRITE_SCOPES)]
    const statuses: number[] = []
    for (let n = 0; n < 8; n++)
      statuses.push((await limited.request('POST', '/v2/sql', { sql: 'select 1' }, { key: keys[n % 2] ?? '' })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    const other = await limited.anotherWorkspace()
    expect((await limited.request('POST', '/v2/sql', { sql: 'select 1' }, other)).status).toBe(200)
    await limited.close()
  })

  test('503 when SQL is turned off', async () => {
    const off = await testService({}, () => ({ sqlRunner: undefined }))
    const { status, body } = await off.request('POST', '/v2/sql', { sql: 'select 1' })
    expect([status, body.code]).toEqual([503, 'unavailable'])
    await off.close()
  })
})

describe('the score', () => {
  const score = async (sql: string) =>
    (await service.request('POST', '/v2/sql', { sql })).headers.get('x-relata-record-query-score')

  test('is 1, and 10 for each table', async () => {
    expect(
      await Promise.all(['select 1', 'table people', 'select from people, companies, people p'].map(score)),
    ).toEqual(['1', '11', '21'])
  })

  test('429 over the window of the workspace; without a header for refused texts', async () => {
    const costLimit = createCostLimit(service.db, service.appContext.now, { perQuery: 1, perWindow: 15 })
    const limited = createClient(createApp({ ...service.appContext, costLimit }), service.key)
    const ask = (sql: string) => limited('POST', '/v2/sql', { sql })
    expect((await ask('table people')).status).toBe(200)
    expect((await ask('table people')).status).toBe(429)
    expect((await ask('table nothing')).headers.get('x-relata-record-query-score')).toBeNull()
  })
})

describe('forms of the response', () => {
  const inForm = (accept: string, sql: string, query = '') =>
    service.request('POST', `/v2/sql${query}`, { sql }, { headers: { Accept: accept } })

  test.each([
    ['text/csv', 'text/csv; charset=utf-8; header=present', 'a,b\r\n1,"x,y"\r\n'],
    ['application/x-ndjson', 'application/x-ndjson; charset=utf-8', '{"a":1,"b":"x,y"}\n'],
    ['text/html, text/csv;q=0.9, */*;q=0.1', 'text/csv; charset=utf-8; header=present', 'a,b\r\n1,"x,y"\r\n'],
  ])('200 with %s', async (accept, type, text) => {
    const { status, headers, body } = await inForm(accept, `select 1 as a, 'x,y' as b`)
    expect([status, headers.get('content-type'), body]).toEqual([200, type, text])
  })

  test('200 with formulas escaped in CSV, unless the client wants them raw', async () => {
    const sql = `select '=1+1' as "=a", -1 as n, '-' as d`
    expect((await inForm('text/csv', sql)).body).toBe(`"'=a",n,d\r\n"'=1+1",-1,"'-"\r\n`)
    expect((await inForm('text/csv', sql, '?raw=true')).body).toBe('=a,n,d\r\n=1+1,-1,-\r\n')
    expect((await inForm('text/csv', sql, '?raw=maybe')).status).toBe(400)
  })

  test.each(['*/*', 'text/html', 'nonsense', 'text/plain'])('200 with JSON for %s', async (accept) => {
    expect((await inForm(accept, 'select 1 as a')).body.data.rows).toEqual([{ a: 1 }])
  })

  test('200 with the plan as JSON and as text', async () => {
    const [row] = (await inForm('*/*', 'select * from people', '?explain=true')).body.data.rows
    expect(row['QUERY PLAN'][0].Plan['Node Type']).toEqual(expect.any(String))
    const { body, headers } = await inForm('text/plain', 'select * from people', '?explain=analyze')
    expect([headers.get('content-type'), body.includes('actual time')]).toEqual(['text/plain; charset=utf-8', true])
    expect((await inForm('*/*', 'select * from people', '?explain=maybe')).status).toBe(400)
  })
})

describe('a timestamp with nanoseconds', () => {
  const [ONE, TWO] = ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456001Z']
  const CUT = '2026-01-02T03:04:05.123456000Z'
  beforeAll(async () => {
    const lists = listClient(service)
    for (const api_slug of ['signed_at', 'left_at'])
      await attributeClient(service).create('companies', attributeInput({ api_slug, type: 'timestamp' }))
    await attributeClient(service).create('people', attributeInput({ api_slug: 'signed_at', type: 'timestamp' }))
    const company = await lists.record('companies', { name: 'One', signed_at: ONE, left_at: TWO })
    await lists.record('people', { name: 'Two', signed_at: TWO, company })
  })

  const c = "companies c where c.name = 'One'"
  const joined = 'people p join companies c on c.record_id = p.company.entity_instance_id where p.signed_at is not null'
  test.each([
    [`select signed_at from companies where name = 'One'`, [{ signed_at: ONE }]],
    [`select c.left_at, c.signed_at as s, name from ${c} order by 3`, [{ left_at: TWO, s: ONE, name: 'One' }]],
    [
      `select objects.companies.left_at, signed_at from companies where name = 'One'`,
      [{ left_at: TWO, signed_at: ONE }],
    ],
    [
      `select p.signed_at, c.signed_at, c.signed_at from ${joined}`,
      [{ signed_at: TWO, signed_at_2: ONE, signed_at_3: ONE }],
    ],
    [
      `select c.signed_at, left_at, p.signed_at from ${joined} order by 2, 1 limit 1`,
      [{ signed_at: ONE, left_at: TWO, signed_at_2: TWO }],
    ],
    [
      `select a.left_at, b.signed_at from companies a, companies b where a.name = 'One' and b.name = 'One'`,
      [{ left_at: TWO, signed_at: ONE }],
    ],
    [`select row(1) as r, signed_at from ${c}`, [{ r: { f1: 1 }, signed_at: ONE }]],
    [
      `select signed_at, (select count(*) from people where signed_at is not null) as n from ${c}`,
      [{ signed_at: ONE, n: 1 }],
    ],
    [`with x as (select 1 as n) select x.n, c.signed_at from x, ${c}`, [{ n: 1, signed_at: ONE }]],
    [
      `select /* from */ extract(year from c.left_at) as "from", c.signed_at from ${c}`,
      [{ from: 2026, signed_at: ONE }],
    ],
  ])('200 with nine digits for %s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows)
  })

  test.each([
    [`select * from companies where name = 'One'`, { signed_at: ONE, left_at: TWO }],
    [`table companies order by left_at limit 1`, { signed_at: ONE, left_at: TWO }],
    [`select all (c.signed_at), c.left_at from ${c} order by 1`, { signed_at: ONE, left_at: TWO }],
    [`select * from companies where name = 'One' order by 1`, { signed_at: ONE, left_at: TWO }],
    [`select c.signed_at as s, c.*, c.left_at as l from ${c}`, { s: ONE, l: TWO, signed_at: ONE, left_at: TWO }],
    [`select c.*, p.* from ${joined}`, { signed_at: ONE, left_at: TWO, signed_at_2: TWO }],
    [`select p.signed_at as s, * from ${joined}`, { s: TWO, signed_at: TWO, signed_at_2: ONE, left_at: TWO }],
    [
      `select x.*, c.signed_at as s from (select signed_at from companies where name = 'One') x, ${c}`,
      { signed_at: CUT, s: ONE },
    ],
  ])('200 with nine digits and no other columns for %s', async (sql, values) => {
    const { body } = await ask(sql)
    expect(body.data.rows).toMatchObject([values])
    expect(Object.keys(body.data.rows[0])).toEqual(body.data.columns.map(({ name }: { name: string }) => name))
    expect(JSON.stringify(body)).not.toContain('relata_ns')
  })

  test.each([
    `select distinct signed_at as s from ${c}`,
    `select max(signed_at) as s from ${c}`,
    `select signed_at as s, count(*) as n from ${c} group by 1`,
    `select coalesce(signed_at, now()) as s from ${c}`,
    `select x.s from (select signed_at as s from ${c}) x`,
    `select signed_at as s from ${c} union select null where false`,
    `select signed_at as s, to_json(c) as j from ${c}`,
    `select a as s from companies as c(a) limit 0`,
    `select signed_at as s from companies join people using (signed_at)`,
    `select * from companies natural join (select 1) x limit 0`,
    `select signed_at as s from companies where record_id in (select record_id from (select * from companies) x) and name = 'One'`,
  ])('200 with six digits for %s', async (sql) => {
    const { status, body } = await ask(sql)
    expect([status, JSON.stringify(body).includes('relata_ns')]).toEqual([200, false])
    for (const { s } of body.data.rows) expect(s).toBe(CUT)
  })

  test('200 as CSV and NDJSON', async () => {
    const texts = await Promise.all(
      ['text/csv', 'application/x-ndjson'].map(async (Accept) => {
        const sql = `select c.signed_at, c.name, c.left_at from ${c}`
        return (await service.request('POST', '/v2/sql', { sql }, { headers: { Accept } })).body
      }),
    )
    expect(texts).toEqual([
      `signed_at,name,left_at\r\n${ONE},One,${TWO}\r\n`,
      `{"signed_at":"${ONE}","name":"One","left_at":"${TWO}"}\n`,
    ])
  })
})
