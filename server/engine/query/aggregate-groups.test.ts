/** Groups of aggregates, compared with SQL over random records. See docs/reference/query.md (Aggregates). */

import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { getObject } from '#engine/data-model/find'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import { createIndexWorker } from '#engine/indexes/worker'
import { attributeClient, attributeInput } from '#testing/attributes'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

// Building an index waits for every transaction of the server, also for those of other tests.

const RECORDS = 120
const service = useTestService({}, (db, now) => ({ indexes: createIndexAdvisor({ db, now, fromRows: RECORDS / 6 }) }))
const api = attributeClient(service)
let object: string

const TITLES = ['Ähre', 'ähre', 'Zoe', ' ', 'x'.repeat(255) + 'a', 'x'.repeat(255) + 'b']
const COLORS = ['Red', 'Blue']
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
/** The ends of months and the hours in which the clocks change are among them. */
const instants = fc
  .integer({ min: Date.UTC(2024, 10), max: Date.UTC(2026, 2) })
  .map((time) => new Date(time).toISOString())
const record = fc.record({
  amount: maybe(fc.integer({ min: -1000, max: 1000 }).map((cents) => cents / 100)),
  title: maybe(fc.constantFrom(...TITLES)),
  color: maybe(fc.constantFrom(...COLORS)),
  hosts: maybe(fc.subarray(['a.dev', 'b.dev', 'c.dev'])),
  signed: maybe(fc.constantFrom(true, false)),
  closed: maybe(instants.map((time) => time.slice(0, 10))),
  met: maybe(
    fc.oneof(
      instants,
      fc.constantFrom('2025-03-30T00:59:59.999999999Z', '2024-12-31T23:30:00Z', '2025-10-26T01:00:00Z'),
      // The beginnings of months in summer and winter, and both sides of the beginnings that are computed once.
      fc.constantFrom('2025-06-30T21:59:59.999Z', '2025-06-30T22:00:00Z', '2025-11-30T23:00:00Z'),
      fc.constantFrom('1989-12-31T22:59:59Z', '1989-12-31T23:00:00Z', '2049-12-31T22:59:59Z', '2049-12-31T23:00:00Z'),
    ),
  ),
})

beforeAll(async () => {
  object = await api.object()
  for (const [api_slug, type, is_multiselect = false] of [
    ['amount', 'number'],
    ['title', 'text'],
    ['color', 'select'],
    ['hosts', 'domain', true],
    ['signed', 'checkbox'],
    ['closed', 'date'],
    ['met', 'timestamp'],
  ] as const) {
    await api.create(object, attributeInput({ api_slug, type, is_multiselect }))
  }
  for (const title of COLORS)
    await service.request('POST', `/v2/objects/${object}/attributes/color/options`, { data: { title } })
  const operations = fc
    .sample(record, { numRuns: RECORDS, seed: 11 })
    .map((values) => ({ op: 'create', values: JSON.parse(JSON.stringify(values)) }))
  const { body } = await service.request('POST', `/v2/objects/${object}/records/batch`, { data: { operations } })
  expect(body.data.results.find(({ status }: { status: number }) => status !== 200)).toBeUndefined()
  await service.db.sql.unsafe('vacuum analyze')
})

const aggregate = (body: object) => service.request('POST', `/v2/objects/${object}/records/aggregate`, body)
const rowsOf = async (sql: string): Promise<unknown[][]> => {
  const { status, body } = await service.request('POST', '/v2/sql', { sql })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.rows.map((row: object) => Object.values(row))
}

interface Group {
  readonly value: Readonly<Record<string, unknown>> | null
  readonly total: number
  readonly aggregate_values: readonly (number | null)[]
  readonly splits?: readonly Group[]
}
/** What tells a value apart, as text. Rows of SQL have it as their first columns. */
const keyOf = ({ value }: Group): unknown => {
  const option = value?.option as { title: string } | undefined // of a select
  return option?.title ?? Object.values(value ?? { none: null })[0]
}
const rowOf = (group: Group, ...before: unknown[]) => [...before, keyOf(group), group.total, ...group.aggregate_values]
const sorted = (rows: readonly unknown[][]) => rows.map((row) => JSON.stringify(row)).toSorted()

const AGGREGATES = [
  { function: 'sum', attribute: 'amount' },
  { function: 'max', attribute: 'amount' },
  { function: 'min', attribute: 'amount' },
  { function: 'average', attribute: 'amount' },
  { function: 'empty', attribute: 'title' },
  { function: 'count' },
  { function: 'filled', attribute: 'title' },
]
const VALUES =
  'count(*), sum(amount), max(amount), min(amount), avg(amount), count(*) - count(title), count(*) as all, count(title)'

/** A grouping, and the same in SQL. */
const GROUPINGS: readonly (readonly [unknown, string])[] = [
  ['title', 'left(title, 255)'],
  ['color', 'color'],
  ['signed', 'coalesce(signed, false)'],
  [{ attribute: 'closed' }, 'closed::text'],
  ...(['day', 'week', 'month', 'quarter', 'year'] as const).flatMap(
    (step) =>
      [
        [{ attribute: 'closed', step }, `date_trunc('${step}', closed::timestamp)::date::text`],
        [{ attribute: 'met', step }, `date_trunc('${step}', met at time zone 'Europe/Berlin')::date::text`],
      ] as const,
  ),
]
const time_zone = 'Europe/Berlin'

describe('POST /v2/objects/{object}/records/aggregate with group_by', () => {
  test.each(GROUPINGS)('200 with the groups by %j that SQL has', async (group_by, sql) => {
    const { status, body } = await aggregate({ group_by, aggregates: AGGREGATES, time_zone })
    expect([status, body.message]).toEqual([200, undefined])
    const expected = await rowsOf(`select ${sql} as key, ${VALUES} from ${object} group by 1`)
    expect(sorted(body.data.groups.map((group: Group) => rowOf(group)))).toEqual(sorted(expected))
    expect([body.data.has_more_groups, body.data.has_more_splits]).toEqual([false, undefined])
    const [whole] = await rowsOf(`select ${VALUES} from ${object}`)
    const totals = body.data.aggregates.map(({ value }: { value: number | null }) => value)
    expect([body.data.total, ...totals]).toEqual(whole ?? [])
  })

  test('200 with times in their order and those without one last', async () => {
    const { body } = await aggregate({ group_by: { attribute: 'met', step: 'quarter' } })
    const keys = body.data.groups.map(keyOf)
    expect(keys.at(-1)).toBeNull()
    expect(keys.slice(0, -1)).toEqual(keys.slice(0, -1).toSorted())
    expect(body.data.groups[0].aggregate_values).toBeUndefined()
  })

  test('200: a record with several values is in the group of each', async () => {
    const { body } = await aggregate({ group_by: 'hosts', aggregates: AGGREGATES })
    const expected = await rowsOf(
      `select host, ${VALUES} from ${object} left join lateral unnest(hosts) host on true group by 1`,
    )
    expect(sorted(body.data.groups.map((group: Group) => rowOf(group)))).toEqual(sorted(expected))
  })

  test.each([
    [
      { attribute: 'met', step: 'month' },
      'color',
      `date_trunc('month', met at time zone 'Europe/Berlin')::date::text`,
      'color',
    ],
    ['color', { attribute: 'closed', step: 'year' }, 'color', `date_trunc('year', closed::timestamp)::date::text`],
    ['title', 'signed', 'left(title, 255)', 'coalesce(signed, false)'],
  ])('200 with groups by %j, split by %j', async (group_by, split_by, sql, splitSql) => {
    const filter = { amount: { $gt: -5 } }
    const { status, body } = await aggregate({ filter, group_by, split_by, aggregates: AGGREGATES, time_zone })
    expect([status, body.message]).toEqual([200, undefined])
    const expected = await rowsOf(
      `select ${sql} as key, ${splitSql} as split, ${VALUES} from ${object} where amount > -5 group by 1, 2`,
    )
    const rows = body.data.groups.flatMap((group: Group) =>
      (group.splits ?? []).map((split) => rowOf(split, keyOf(group))),
    )
    expect(sorted(rows)).toEqual(sorted(expected))
    expect(body.data.has_more_splits).toBe(false)
  })

  test('200 with at most 200 groups of texts, and the latest 1,000 of days', async () => {
    const { body } = await aggregate({ group_by: 'color', filter: { title: 'nothing' } })
    expect(body.data.groups).toEqual([])
    const many = await api.object()
    await api.create(many, attributeInput({ api_slug: 'name', type: 'text' }))
    await api.create(many, attributeInput({ api_slug: 'day', type: 'date' }))
    const dayAt = (index: number) => new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10)
    for (const from of [0, 1000]) {
      const operations = Array.from({ length: from === 0 ? 1000 : 3 }, (_, index) => ({
        op: 'create',
        values: { name: `n${from + index}`, day: dayAt(from + index) },
      }))
      await service.request('POST', `/v2/objects/${many}/records/batch`, { data: { operations } })
    }
    const groups = async (group_by: string) =>
      (await service.request('POST', `/v2/objects/${many}/records/aggregate`, { group_by })).body.data
    const texts = await groups('name')
    expect([texts.groups.length, texts.has_more_groups]).toEqual([200, true])
    const days = await groups('day')
    expect([days.groups.length, days.has_more_groups]).toEqual([1000, true])
    expect([keyOf(days.groups[0]), keyOf(days.groups[999])]).toEqual([dayAt(3), dayAt(1002)])
  })
})

describe('an index that covers aggregates', () => {
  const covered: readonly object[] = [
    { aggregates: AGGREGATES.slice(0, 4) },
    { group_by: 'color', aggregates: AGGREGATES.slice(0, 4) },
    { group_by: 'title', split_by: 'signed', aggregates: AGGREGATES },
    { group_by: { attribute: 'met', step: 'month' }, split_by: 'color', time_zone },
    { group_by: { attribute: 'met', step: 'day' }, filter: { $not: { amount: { $gt: 9.99 } } }, time_zone },
    { group_by: { attribute: 'closed', step: 'quarter' }, split_by: 'title' },
  ]
  const requested = async () => [
    ...(await service.db.sql<{ definition: string; requests: number }[]>`
      select definition, requests from relata.indexes where kind = 'covering' order by definition`),
  ]
  const ask = async (bodies: readonly object[]) => {
    const answers = []
    for (const body of bodies) answers.push((await aggregate(body)).body)
    await service.appContext.indexes?.flush()
    return answers
  }

  test('is built after six requests, has the columns that are read, and changes no answer', async () => {
    const { db, url, appContext, workspaceId } = service
    // The tests before have requested some.
    await ask([])
    await db.sql`delete from relata.indexes`
    const before = await ask(covered)
    const definitions = (await requested()).map(({ definition }) => definition.replaceAll(/a_\d+_/g, ''))
    expect(definitions).toHaveLength(7)
    expect(definitions).toContain('using btree (value, option)')
    expect(definitions).toContain(
      'using btree (value, value, value) where nullif(coalesce(octet_length(value), 0) > 300, true) is not null',
    )
    const worker = createIndexWorker({ db, url, now: appContext.now, unusedDays: 30 })
    await db.sql`update relata.indexes set requests = 5`
    expect(await worker.buildNext()).toBeUndefined()
    // A table has at most five.
    for (const some of [covered.slice(0, 3), covered.slice(3)]) {
      await db.sql`delete from relata.indexes`
      await appContext.models.reload(workspaceId)
      await ask(some)
      await db.sql`update relata.indexes set requests = 6`
      while ((await worker.buildNext()) !== undefined);
      await appContext.models.reload(workspaceId)
      const ready = await db.sql`select from relata.indexes where state <> 'ready'`
      expect(ready).toHaveLength(0)
      for (const body of some) {
        const plan = (await plansOf(service, () => aggregate(body), 'explain', { enable_seqscan: 'off' })).join('\n')
        expect(plan).toMatch(/Index Only Scan using \w+_covering/)
      }
      expect(await ask(some)).toEqual(before.slice(covered.indexOf(some[0] ?? {})).slice(0, some.length))
    }
  })

  test('is requested by aggregates over many records only, and not for lists and times of changes', async () => {
    await ask([])
    await service.db.sql`delete from relata.indexes`
    await ask([
      { group_by: 'color', filter: { amount: { $gt: 9.99 } } },
      { group_by: 'hosts' },
      { aggregates: [{ function: 'filled', attribute: 'hosts' }] },
      { group_by: { attribute: 'created_at', step: 'day' }, filter: { updated_at: { $not_empty: true } } },
      {},
    ])
    expect(await requested()).toEqual([])
  })

  test('is requested often enough when a chart is saved or changed', async () => {
    await ask([])
    await service.db.sql`delete from relata.indexes`
    const { table } = getObject(await service.appContext.models.reload(service.workspaceId), object)
    const chart = {
      title: 'Colors',
      kind: 'bars',
      source: { object },
      place: { column: 0, row: 0, width: 6, height: 4 },
    }
    const charts = [{ ...chart, group_by: 'color', aggregates: [{ function: 'sum', attribute: 'amount' }] }]
    const requestsAfter = async (method: string, path: string, data: object) => {
      const { status, body } = await service.request(method, path, { data })
      expect(status).toBe(200)
      // The size of a table that is not known yet is read after the answer.
      await service.appContext.indexes?.sizes.get(table)
      await ask([])
      return { body, requests: (await requested()).map(({ requests }) => requests) }
    }
    const created = await requestsAfter('POST', '/v2/dashboards', { title: 'Sales', charts })
    expect(created.requests).toEqual([6])
    const path = `/v2/dashboards/${created.body.data.id.dashboard_id}`
    const [saved] = created.body.data.charts
    expect((await requestsAfter('PATCH', path, { charts: [{ ...saved, title: 'All colors' }] })).requests).toEqual([6])
    const other = { ...saved, group_by: 'title' }
    expect((await requestsAfter('PATCH', path, { charts: [other] })).requests).toEqual([6, 6, 6])
    const onPeople = [
      {
        ...charts[0],
        source: { object: 'people' },
        group_by: { attribute: 'created_at', step: 'day' },
        aggregates: [],
      },
    ]
    expect((await requestsAfter('PATCH', path, { charts: onPeople })).requests).toHaveLength(3)
    // The operands of a relative filter are those of whoever looks at the chart.
    for (const filter of [
      { created_by: { $relative: 'me' } },
      { created_by: { $relative: 'my_teams' } },
      { closed: { $relative: 'last_30_days' } },
    ]) {
      const relative = [{ ...charts[0], group_by: 'signed', aggregates: [], filter }]
      expect((await requestsAfter('PATCH', path, { charts: relative })).requests.at(-1)).toBe(6)
    }
    expect(await requested()).toHaveLength(5)
  })
})
