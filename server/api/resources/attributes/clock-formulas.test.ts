/** Formulas that read the clock. `onOneDay` repeats what midnight interrupted, because the database has the clock. */

import { beforeAll, describe, expect, test } from 'bun:test'
import type { Micros } from '#base/timing/clock'
import { attributeClient, attributeInput } from '#testing/attributes'
import { memberSql } from '#engine/attribute-types/definition/columns'
import { getObject } from '#engine/data-model/find'
import { formulasOfClock } from '#engine/formulas/formula-sql'
import type { ValueCondition } from '#engine/query/resolve/condition'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveQuery } from '#engine/query/resolve/resolve-query'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)

let thing: string
let ids: Record<string, string>

const create = async (slug: string, members: Record<string, unknown>) => {
  const { status, body } = await api.create(slug, attributeInput(members))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data
}

const formula = (api_slug: string, type: string, text: string) =>
  create(thing, { api_slug, type, computed: { formula: text } })

const DAYS = ['2000-02-29', '2024-02-29', '2020-12-31', '0001-01-01', '9999-12-31']

beforeAll(async () => {
  thing = await api.object()
  for (const [api_slug, type] of [
    ['title', 'text'],
    ['day', 'date'],
    ['at', 'timestamp'],
    ['n', 'number'],
  ])
    await create(thing, { api_slug, type })
  await create(thing, { api_slug: 'kind', type: 'select', config: { options: ['A', 'B'] } })
  await formula('twice', 'number', 'n * 2')
  await formula('days', 'number', 'current_date - day')
  await formula('until', 'number', 'day - Current_Date')
  await formula('years', 'number', 'extract(year from age(day))')
  await formula('since_at', 'number', 'current_date-at :: date')
  await formula('until_at', 'number', 'at::date  - current_date')
  await formula('years_at', 'number', "date_part('year', age(at::date))")
  await formula('is_past', 'checkbox', 'day < current_date')
  await formula('is_open', 'checkbox', 'day>= current_date')
  await formula('has_begun', 'checkbox', 'current_date >=at::date')
  await formula('comes', 'checkbox', 'current_date < day')
  await formula('failing', 'number', '1 / n + extract(epoch from now() - now())')
  await formula('parsed', 'date', 'title::date + (current_date - current_date)')
  await formula('nested', 'text', "case when days > twice then 'over ' || coalesce(kind, '?') else null end")
  await formula(
    'moment',
    'timestamp',
    'case when at < localtimestamp then at + (current_timestamp(3) - current_timestamp(3)) + (now ( /* none */ ) - now()) end',
  )
  ids = {}
  for (const day of DAYS)
    ids[day] = await api.record(thing, { title: day, day, n: 1, at: `${day.slice(0, 4)}-01-02T03:04:05Z`, kind: 'B' })
  ids.none = await api.record(thing, { title: 'no day', n: 0 })
})

const sql = async (text: string) => (await service.request('POST', '/v2/sql', { sql: text })).body.data.rows
const today = async (): Promise<string> => (await sql('select current_date as d'))[0].d

async function onOneDay(work: (day: string) => Promise<void>): Promise<void> {
  const day = await today()
  try {
    await work(day)
  } catch (error) {
    if (day === (await today())) throw error
    await work(await today())
  }
}

const daysBetween = (from: string, until: string): number => (Date.parse(until) - Date.parse(from)) / 86_400_000

const query = async (body: unknown) => (await service.request('POST', `/v2/objects/${thing}/records/query`, body)).body
const titles = async (body: unknown): Promise<string[]> =>
  (await query(body)).data.map((each: { values: { title: { value: string }[] } }) => each.values.title[0]?.value)

type Row = Record<string, unknown>

const OPERATORS: Record<string, (one: number, other: number) => boolean> = {
  $gte: (one, other) => one >= other,
  $gt: (one, other) => one > other,
  $lte: (one, other) => one <= other,
  $lt: (one, other) => one < other,
  $eq: (one, other) => one === other,
}

describe('formulas of the clock', () => {
  test('are not stored, and say so', async () => {
    const { body } = await api.get(thing, 'days')
    expect(body.data).toMatchObject({
      is_writable: false,
      computed: { formula: 'current_date - day', is_stored: false, is_complete: true },
    })
    expect((await api.get(thing, 'nested')).body.data.computed.is_stored).toBe(false)
    expect((await api.get(thing, 'twice')).body.data.computed.is_stored).toBe(true)
    const preview = (text: string) =>
      service.request('POST', `/v2/objects/${thing}/attributes/preview`, { data: { formula: text } })
    expect((await preview('current_date - day')).body.data).toMatchObject({
      is_stored: false,
      types: expect.anything(),
    })
    expect((await preview('n')).body.data.is_stored).toBe(true)
  })

  test('have the value of the present time in records, entries, pages and writes', () =>
    onOneDay(async (day) => {
      const values = await api.values(thing, ids['2024-02-29'] ?? '')
      const expected = daysBetween('2024-02-29', day)
      expect(values.days).toMatchObject([{ value: expected, created_by_actor: { type: 'system' } }])
      expect(values.until[0].value).toBe(-expected)
      expect(values.is_past[0].value).toBe(true)
      expect(values.nested[0].value).toBe('over B')
      expect(values.moment[0].value).toBe('2024-01-02T03:04:05.000000000Z')
      expect((await api.values(thing, ids['9999-12-31'] ?? '')).nested).toEqual([])
      const page = await query({ sorts: [{ attribute: 'title', direction: 'asc' }] })
      for (const record of page.data)
        expect((await service.request('GET', `/v2/objects/${thing}/records/${record.id.record_id}`)).body.data).toEqual(
          record,
        )
      const { data } = await query({ filter: { title: '2024-02-29' }, fields: ['days'] })
      expect(data[0].values).toMatchObject({ days: [{ value: expected }] })
      const created = await service.request('POST', `/v2/objects/${thing}/records`, { data: { values: { day } } })
      expect(created.body.data.values.days[0].value).toBe(0)
      const path = `/v2/objects/${thing}/records/${created.body.data.id.record_id}`
      const changed = await service.request('PATCH', path, { data: { values: { day: '2000-02-29' } } })
      expect(changed.body.data.values.days[0].value).toBe(daysBetween('2000-02-29', day))
      const refused = await service.request('PATCH', path, { data: { values: { days: 1 } } })
      expect(refused.body.code).toBe('immutable_value')
      await service.request('DELETE', path)
      const restored = await service.request('POST', `${path}/restore`, {})
      expect(restored.body.data.values.days[0].value).toBe(daysBetween('2000-02-29', day))
      await service.request('DELETE', path)
    }))

  test('have no value where they fail, and none in pages of others', async () => {
    const values = await api.values(thing, ids.none ?? '')
    expect([values.failing, values.parsed, values.days]).toEqual([[], [], []])
    const other = await api.values(thing, ids['2020-12-31'] ?? '')
    expect([other.failing[0].value, other.parsed[0].value]).toEqual([1, '2020-12-31'])
    expect(await titles({ filter: { $not: { parsed: { $not_empty: true } } } })).toEqual(['no day'])
  })

  test('are filtered as SQL compares them, turned around to the day or not', () =>
    onOneDay(async (day) => {
      const since = daysBetween('2024-02-29', day)
      const numbers: Record<string, number[]> = {
        days: [since, since + 0.5, -1e7, 1e308],
        until: [-since, 0.5 - since],
        years: [1, 0, -3, 1.5, 26],
        since_at: [daysBetween('2024-01-02', day), 0.5, -1e7],
        until_at: [-daysBetween('2024-01-02', day), 0.5],
        years_at: [1, 26],
      }
      const rows = await sql(
        `select title, ${Object.keys(numbers).join(', ')} from ${thing} order by created_at, record_id`,
      )
      for (const [slug, operands] of Object.entries(numbers))
        for (const operand of [...operands, rows[1][slug]])
          for (const [operator, holds] of Object.entries(OPERATORS)) {
            const expected = rows.filter((row: Row) => row[slug] !== null && holds(Number(row[slug]), operand))
            expect([slug, operator, operand, await titles({ filter: { [slug]: { [operator]: operand } } })]).toEqual([
              slug,
              operator,
              operand,
              expected.map(({ title }: Row) => title),
            ])
          }
      expect(await titles({ filter: { is_past: true, days: { $not_empty: true } } })).toHaveLength(4)
      const id = await api.record(thing, { title: 'today', day })
      try {
        for (const slug of ['is_past', 'is_open', 'has_begun', 'comes'])
          for (const wanted of [true, false]) {
            const having = `coalesce(${slug}, false) = ${wanted}`
            const found = await sql(`select title from ${thing} where ${having} order by created_at, record_id`)
            const expected = [slug, found.map(({ title }: Row) => title)]
            expect([slug, await titles({ filter: { [slug]: wanted } })]).toEqual(expected)
            expect([slug, await titles({ filter: { $not: { [slug]: !wanted } } })]).toEqual(expected)
          }
      } finally {
        await service.request('DELETE', `/v2/objects/${thing}/records/${id}`)
      }
    }))

  test('that never fail are expressions of the statement, with the values of their functions', async () => {
    const object = getObject(await service.appContext.models.reload(service.workspaceId), thing)
    const inStatements = formulasOfClock(object).filter(({ call }) => call?.form !== undefined)
    expect(inStatements.map(({ api_slug }) => api_slug)).toEqual(['days', 'until', 'years', 'since_at', 'until_at', 'years_at', 'is_past', 'is_open', 'has_begun', 'comes']) // prettier-ignore
    const tables = inStatements.map((attribute) => {
      const { call = { name: '', member: '', columns: [] } } = attribute
      const args = call.columns.map((column) => `h.${column}`).join(', ')
      return `select (${memberSql(attribute, call.member, 'h')})::text as one, ${call.name}(${args})::text as other from ${object.table} h`
    })
    const rows = await service.db.sql.unsafe<{ one: string; other: string }[]>(tables.join(' union all '))
    expect(rows.map(({ one }) => one)).toEqual(rows.map(({ other }) => other))
    expect(rows.filter(({ one }) => one !== null)).toHaveLength(DAYS.length * inStatements.length)
  })

  test('are conditions on the day where they are simple, so that its index serves them', async () => {
    const model = await service.appContext.models.reload(service.workspaceId)
    const object = getObject(model, thing)
    const now = service.appContext.now()
    const conditionOf = (filter: Record<string, unknown>) =>
      resolveQuery(model, object, { filter }, { ...UNUSED_RELATIVE_CONTEXT, now }).condition
    const slugOf = (condition: unknown) => (condition as ValueCondition).attribute.api_slug // of the filters below
    expect(slugOf(conditionOf({ days: { $gte: 30 } }))).toBe('day')
    expect(slugOf(conditionOf({ years: { $lt: 18 } }))).toBe('day')
    expect(slugOf(conditionOf({ years: { $lt: 0 } }))).toBe('years')
    expect(slugOf(conditionOf({ days: { $gte: 1e300 } }))).toBe('days')
    expect(slugOf(conditionOf({ nested: 'x' }))).toBe('nested')
    expect(slugOf(conditionOf({ since_at: { $eq: 30 } }))).toBe('at')
    expect(slugOf(conditionOf({ since_at: { $lte: 30 } }))).toBe('at')
    expect(slugOf(conditionOf({ is_past: true }))).toBe('day')
    expect(slugOf(conditionOf({ is_past: false }))).toBe('is_past')
  })

  test('of the last interaction are conditions on its time', async () => {
    const api_slug = 'days_quiet'
    const computed = { formula: 'current_date - last_interaction.interacted_at::date' }
    await create('people', { api_slug, type: 'number', computed })
    const model = await service.appContext.models.reload(service.workspaceId)
    const people = getObject(model, 'people')
    const filter = { [api_slug]: { $gt: 30 } }
    const { condition } = resolveQuery(model, people, { filter }, { ...UNUSED_RELATIVE_CONTEXT, now: Date.UTC(2026, 2, 31) * 1000 as Micros }) // prettier-ignore
    expect(condition).toMatchObject({
      attribute: { api_slug: 'last_interaction' },
      comparisons: [{ operator: '$lt', operand: '2026-03-01 00:00:00+00' }],
    })
    const answer = await service.request('POST', '/v2/objects/people/records/query', { filter })
    expect([answer.status, answer.body.data]).toEqual([200, []])
  })

  test('are values of entries', async () => {
    const lists = listClient(service)
    const list = await lists.listWith({
      day: { type: 'date' },
      is_due: { type: 'checkbox', computed: { formula: 'day < current_date' } },
    })
    const entry = await lists.entry(list, await lists.record(), { day: '2000-01-01' })
    const { body } = await lists.get(list, entry)
    expect(body.data.entry_values.is_due[0].value).toBe(true)
    const found = await service.request('POST', `/v2/lists/${list}/entries/query`, { filter: { is_due: true } })
    expect(found.body.data).toHaveLength(1)
    expect((await sql(`select count(*) as n from lists.${list} where is_due`))[0].n).toBe(1)
  })

  test('sort pages, also behind a cursor, whose pages have the time of the first one', async () => {
    const object = await api.object()
    for (const [slug, members] of [
      ['at', { type: 'timestamp' }],
      ['seconds', { type: 'number', computed: { formula: 'extract(epoch from now() - at)' } }],
    ] as const)
      await create(object, { api_slug: slug, ...members })
    const at = '2024-01-01T00:00:00Z'
    const records = [
      await api.record(object, { at }),
      await api.record(object, { at }),
      await api.record(object, { at }),
    ]
    const found: string[] = []
    const readPage = async (after: string | null): Promise<string | null> => {
      const body = { sorts: [{ attribute: 'seconds', direction: 'desc' }], limit: 1, cursor: after }
      const page = (await service.request('POST', `/v2/objects/${object}/records/query`, body)).body
      found.push(...page.data.map((each: { id: { record_id: string } }) => each.id.record_id))
      return page.pagination.next_cursor
    }
    for (let cursor = await readPage(null); cursor !== null;) cursor = await readPage(cursor)
    expect(found.toSorted()).toEqual(records.toSorted())
    const sorted = await titles({ sorts: [{ attribute: 'days', direction: 'asc' }] })
    expect(sorted).toEqual([...DAYS.toSorted().toReversed(), 'no day'])
  })

  test('are aggregated, grouped, exported and selected', () =>
    onOneDay(async (day) => {
      const expected = DAYS.reduce((sum, each) => sum + daysBetween(each, day), 0)
      const grouped = await service.request('POST', `/v2/objects/${thing}/records/aggregate`, {
        aggregates: [{ function: 'sum', attribute: 'days' }],
        group_by: 'nested',
      })
      expect(JSON.stringify(grouped.body.data)).toContain('over B')
      expect((await sql(`select sum(days) as s from ${thing}`))[0].s).toBe(expected)
      const csv = await service.request('GET', `/v2/objects/${thing}/records/export?format=csv`)
      expect(String(csv.body)).toContain(String(daysBetween('2000-02-29', day)))
    }))
})

const countFunctions = async () => (await service.db.sql`select from pg_proc where proname ~ '_formula_[0-9]+$'`).length

describe('changes of formulas of the clock', () => {
  test('a formula has another result at once, and may name another formula of the clock', async () => {
    const before = await countFunctions()
    const object = await api.object()
    await create(object, { api_slug: 'n', type: 'number' })
    await create(object, { api_slug: 'zero', type: 'number', computed: { formula: 'current_date - current_date' } })
    await create(object, { api_slug: 'more', type: 'number', computed: { formula: 'zero + 1' } })
    const id = await api.record(object, { n: 5 })
    const valueOf = async (slug: string) => (await api.values(object, id))[slug][0].value
    expect([await valueOf('zero'), await valueOf('more')]).toEqual([0, 1])
    const change = (slug: string, text: string) => api.update(object, slug, { computed: { formula: text } })
    expect((await change('zero', 'n + (current_date - current_date)')).status).toBe(200)
    expect([await valueOf('zero'), await valueOf('more')]).toEqual([5, 6])
    const cycle = await change('zero', 'more')
    expect(cycle.body.validation_errors[0].message).toBe('The formula depends on itself: zero → more → zero')
    expect((await change('zero', 'n')).body.validation_errors[0].message).toStartWith(
      'The formula of this attribute reads',
    )
    await create(object, { api_slug: 'stored', type: 'number', computed: { formula: 'n' } })
    expect((await change('stored', 'zero')).body.validation_errors[0].message).toStartWith(
      'The values of this attribute',
    )
    expect((await api.remove(object, 'zero')).status).toBe(409)
    expect((await api.update(object, 'zero', { is_archived: true })).status).toBe(409)
    expect((await api.remove(object, 'more')).status).toBe(200)
    expect((await api.remove(object, 'zero')).status).toBe(200)
    expect(await countFunctions()).toBe(before)
  })

  test('a renamed option is compared under its new title', async () => {
    const object = await api.object()
    await create(object, { api_slug: 'kind', type: 'select', config: { options: ['A'] } })
    await create(object, { api_slug: 'copy', computed: { formula: 'kind || left(now()::text, 0)' } })
    const id = await api.record(object, { kind: 'A' })
    const options = `/v2/objects/${object}/attributes/kind/options`
    const { body } = await service.request('GET', options)
    await service.request('PATCH', `${options}/${body.data[0].id.option_id}`, { data: { title: 'Z' } })
    expect((await api.values(object, id)).copy[0].value).toBe('Z')
  })
})
