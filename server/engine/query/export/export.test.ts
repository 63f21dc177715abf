import { beforeAll, describe, expect, test } from 'bun:test'
import { revokeToken } from '#access/tokens/tokens'
import { getObject } from '#engine/data-model/find'
import { listClient } from '#testing/lists'
import { seedThings } from '#testing/many-things'
import { useTestService } from '#testing/use-service'
import { createThingAttribute, createThing } from '#engine/query/testing/things'

const THINGS = 2400
const READ = ['record_permission:read', 'object_configuration:read'] as const

const service = useTestService()
let company: string
let ada: string

beforeAll(async () => {
  await seedThings(service, THINGS)
  const { request } = service
  await createThingAttribute(request, 'people', { api_slug: 'notes', type: 'text', is_multiselect: false })
  await createThingAttribute(request, 'people', { api_slug: 'score', type: 'number' })
  await createThingAttribute(request, 'people', { api_slug: 'keeper', type: 'actor-reference' })
  company = await createThing(request, 'companies', { name: '=Engines, "Ltd"', domains: ['engines.example.com'] })
  ada = await createThing(request, 'people', {
    name: 'Lovelace, Ada',
    email_addresses: ['ada@example.com', 'ada@example.org'],
    phone_numbers: ['+44 20 7946 0958'],
    company,
    notes: '=1+1\nsecond line',
    score: -5,
    keeper: service.member.email_address,
    primary_location: 'London, UK',
  })
  await createThing(request, 'people', { name: '', score: 7 })
})

const pathOf = (path: string, parameters: Readonly<Record<string, unknown>>) => {
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return `/v2/${path}/export?${new URLSearchParams(texts)}`
}

const exportOf = (path: string, parameters: Readonly<Record<string, unknown>> = {}) =>
  service.request('GET', pathOf(path, parameters))

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

/** All records by the pages of queries. */
async function queryAll(body: object): Promise<unknown[]> {
  const records: unknown[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await service.request('POST', '/v2/objects/things/records/query', { ...body, cursor: cursor ?? null })
    records.push(...page.body.data)
    cursor = page.body.pagination.next_cursor
  }
  return records
}

describe('NDJSON', () => {
  test('has the records of a query on lines, over several pages', async () => {
    const filter = { amount: { $lt: 900 } }
    const sorts = [{ attribute: 'name', direction: 'desc' }]
    const { status, headers, body } = await exportOf('objects/things/records', {
      filter,
      sorts,
      attributes: 'name,color',
    })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(headers.get('content-disposition')).toContain('things.ndjson')
    const records = linesOf(body).map((line) => JSON.parse(line))
    expect(records).toEqual(await queryAll({ filter, sorts, fields: ['name', 'color'] }))
    expect(records.length).toBeGreaterThan(2000)
  })

  test('is empty without records', async () => {
    const { status, body } = await exportOf('objects/deals/records')
    expect([status, body]).toEqual([200, ''])
  })

  test('resumes after a cursor and ends in null', async () => {
    const parameters = { attributes: 'record_id', cursors: true }
    const whole = linesOf((await exportOf('objects/things/records', parameters)).body).map((line) => JSON.parse(line))
    const marks = whole.flatMap((line, index) => ('next_cursor' in line ? [index] : []))
    expect(marks).toEqual([500, 1001, 1502, 2003, 2404])
    expect(whole.at(-1)).toEqual({ next_cursor: null })
    const { next_cursor } = whole[1502]
    const { body } = await exportOf('objects/things/records', { ...parameters, cursor: next_cursor })
    expect(linesOf(body).map((line) => JSON.parse(line))).toEqual(whole.slice(1503))
    const other = await exportOf('objects/things/records', { attributes: 'name', cursor: next_cursor })
    expect([other.status, other.body.code]).toEqual([400, 'validation_type'])
  })
})

describe('CSV', () => {
  const attributes = 'name,email_addresses,phone_numbers,company,notes,score,keeper,primary_location'
  const sorts = [{ attribute: 'score', direction: 'asc' }]
  const columns = (format: object = {}) =>
    exportOf('objects/people/records', { format: 'csv', attributes, sorts, ...format })

  test('has labels, ids, joined values and escaped formulas', async () => {
    const { status, headers, body } = await columns()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const email = service.member.email_address
    expect(body).toBe(
      [
        'name,email_addresses,phone_numbers,company,company_id,notes,score,keeper,keeper_id,primary_location',
        `Ada Lovelace,ada@example.com; ada@example.org,"'+442079460958","'=Engines, ""Ltd""",${company},"'=1+1\nsecond line",-5,${email},${service.member.id},"London, GB"`,
        ',,,,,,7,,,',
        '',
      ].join('\r\n'),
    )
  })

  test('leaves formulas unescaped with raw', async () => {
    const { body } = await columns({ raw: true })
    expect(body).toContain(',+442079460958,"=Engines, ""Ltd""",')
    expect(body).toContain('"=1+1\nsecond line"')
  })

  test('has one header over several pages, and none after a cursor', async () => {
    const parameters = { format: 'csv', attributes: 'record_id', cursors: true }
    const lines = linesOf((await exportOf('objects/things/records', parameters)).body)
    expect(lines.length).toBe(THINGS + 1)
    expect(lines[0]).toBe('record_id,next_cursor\r')
    const cursor = lines[2000]?.trim().split(',')[1] ?? ''
    const rest = await exportOf('objects/things/records', { ...parameters, cursor })
    expect(linesOf(rest.body)).toEqual(lines.slice(2001))
  })

  test('has all attributes of the object by default', async () => {
    const { body } = await exportOf('objects/things/records', { format: 'csv', filter: { amount: 1.5 } })
    const [header, ...rows] = linesOf(body)
    expect(header).toStartWith('record_id,')
    expect(header).toContain(',created_by,created_by_id,')
    expect(rows.length).toBe(3)
  })
})

describe('entries', () => {
  test('have their parent beside their values', async () => {
    const { list, attribute, entry } = listClient(service)
    const slug = await list()
    await attribute(slug, 'stage', { type: 'text' })
    const id = await entry(slug, ada, { stage: '@first' })
    const csv = await exportOf(`lists/${slug}/entries`, { format: 'csv', attributes: 'entry_id,stage' })
    expect(csv.body).toBe(
      `parent_record,parent_record_id,parent_object,entry_id,stage\r\nAda Lovelace,${ada},people,${id},"'@first"\r\n`,
    )
    const ndjson = await exportOf(`lists/${slug}/entries`, { filter: { stage: '@first' } })
    const queried = await service.request('POST', `/v2/lists/${slug}/entries/query`, {})
    expect(linesOf(ndjson.body).map((line) => JSON.parse(line))).toEqual(queried.body.data)
  })
})

describe('refusals', () => {
  const cases: [parameters: Record<string, unknown>, status: number, code: string][] = [
    [{ format: 'xml' }, 400, 'validation_type'],
    [{ filter: '{' }, 400, 'validation_type'],
    [{ filter: '[]' }, 400, 'validation_type'],
    [{ filter: '{"name":"\\u0000"}' }, 400, 'validation_type'],
    [{ filter: `${'['.repeat(300)}${']'.repeat(300)}` }, 400, 'validation_type'],
    [{ filter: { nothing: 1 } }, 400, 'unknown_filter_attribute_slug'],
    [{ sorts: '{}' }, 400, 'validation_type'],
    [{ sorts: [{ direction: 'up', attribute: 'name' }] }, 400, 'validation_type'],
    [{ sorts: [{ direction: 'asc' }] }, 400, 'missing_sort_field'],
    [{ attributes: 'name,nothing' }, 400, 'value_not_found'],
    [{ attributes: '' }, 400, 'value_not_found'],
    [{ cursor: 'x.y' }, 400, 'validation_type'],
    [{ filter_view_id: crypto.randomUUID() }, 404, 'not_found'],
  ]
  test.each(cases)('%j is %i %s', async (parameters, status, code) => {
    const answer = await exportOf('objects/people/records', parameters)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test('404 for an unknown object and list, 403 without the scopes', async () => {
    expect((await exportOf('objects/nothing/records')).status).toBe(404)
    expect((await exportOf('lists/nothing/entries')).status).toBe(404)
    const key = await service.keyWith(READ)
    const path = pathOf('lists/nothing/entries', {})
    expect((await service.request('GET', path, undefined, { key })).status).toBe(403)
  })
})

describe('a running export', () => {
  const start = async (key = service.key) => {
    const url = `http://localhost${pathOf('objects/things/records', {})}`
    const { body } = await service.app.handle(new Request(url, { headers: { Authorization: `Bearer ${key}` } }))
    return (body as ReadableStream<Uint8Array>).getReader() // a response of success has a body
  }

  const readAll = async (reader: Awaited<ReturnType<typeof start>>) => {
    while (!(await reader.read()).done);
  }

  test('fails when its caller loses access', async () => {
    const { db, workspaceId, appContext, request } = service
    const key = await service.keyWith(READ)
    const reader = await start(key)
    const [token] = await db.sql<[{ id: string }]>`
      select id from relata.tokens where workspace_id = ${workspaceId} order by created_at desc limit 1`
    await revokeToken(db, workspaceId, token.id, appContext.now())
    while ((await request('GET', '/v2/self', undefined, { key })).body.active);
    await expect(readAll(reader)).rejects.toThrow()
  })

  test('cancels its statement when its client disconnects', async () => {
    const things = getObject(await service.appContext.models.get(service.workspaceId), 'things')
    const lock = await service.db.sql.reserve()
    const waiting = async () =>
      (
        await service.db.sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like 'select h.%'`
      ).length
    const until = async (count: number): Promise<void> => {
      if ((await waiting()) !== count) return until(count)
    }
    try {
      const reader = await start()
      await lock`begin`
      await lock.unsafe(`lock table ${things.table} in access exclusive mode`)
      const reading = readAll(reader).catch(() => undefined)
      await until(1)
      await reader.cancel()
      await reading
      await until(0)
    } finally {
      await lock`rollback`
      lock.release()
    }
  })
})
