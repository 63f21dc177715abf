import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { findList, getAttribute, getObject } from '#engine/data-model/find'
import { type IndexTest, startIndexTest } from '#testing/indexes'
import { explain } from '#testing/many-things'

// A build waits for all transactions of the server, also those of other tests.

let indexes: IndexTest
beforeAll(async () => {
  indexes = await startIndexTest()
  await indexes.setValues((things) => {
    const [todo, doing] = getAttribute(things, 'state').options
    return [
      ['state', 'status', `case when n > 2000 then ${doing?.number} else ${todo?.number} end`],
      ['name', 'value', "case when n > 2000 then 'Web' else 'Shop' end"],
    ]
  })
})
afterAll(() => indexes.service.close())
beforeEach(() => indexes.forget())

const NEWEST = { sorts: [{ attribute: 'created_at', direction: 'desc' }], limit: 20 }
const TODO = { filter: { state: 'Todo' }, ...NEWEST }
const DOING = { filter: { state: 'Doing' }, ...NEWEST }

/** Requests the indexes of the queries, and sets the numbers of requests. */
async function request(bodies: readonly object[], composite: number, partial = 0): Promise<void> {
  const { sql } = indexes.service.db
  for (const body of bodies) await indexes.ask(body)
  await sql`delete from relata.indexes where kind not in ('composite', 'partial')`
  await sql`update relata.indexes set requests = case kind when 'composite' then ${composite}::int else ${partial}::int end`
}

const kinds = async () => (await indexes.compositeRows()).map(({ kind, state, requests }) => [kind, state, requests])

async function later(days: number, work: () => Promise<unknown>): Promise<void> {
  const { service } = indexes
  service.setNow(service.appContext.now() + days * 24 * 3600 * 1_000_000)
  await work()
  service.setNow()
}

const createAttribute = (entityType: string, { api_slug, type }: { api_slug: string; type: string }) =>
  indexes.service.request('POST', `${entityType}/attributes`, {
    data: { title: api_slug, api_slug, type, description: '', config: {}, ...NEITHER },
  })

const NEITHER = { is_required: false, is_unique: false, is_multiselect: false }

describe('an index over several columns', () => {
  test('is built after thirty requests within a day', async () => {
    await request([TODO, DOING], 26, 13)
    await indexes.ask(TODO)
    expect(await indexes.buildAll()).toEqual([])
    await later(2, () => indexes.ask(TODO))
    expect(await kinds()).toEqual([
      ['composite', 'wanted', 3],
      ['partial', 'wanted', 3],
      ['partial', 'wanted', 13],
    ])
    await request([TODO, DOING], 29, 13)
    await indexes.ask(TODO)
    expect(await indexes.buildAll()).toEqual([expect.stringMatching(/_composite$/)])
    await indexes.ask(DOING)
    expect(await kinds()).toEqual([['composite', 'ready', 32]])
  })

  test('includes only rows with the constant when nearly all queries have it', async () => {
    await request([TODO], 30, 27)
    const before = await indexes.ask(TODO)
    expect(await indexes.buildAll()).toEqual([expect.stringMatching(/_partial$/)])
    const [, partial] = await indexes.compositeRows()
    expect(partial?.definition).toMatch(/^using btree \(created_at desc, id\) where a_\d+_status = \d+$/)
    expect(await explain(indexes.service, await indexes.reloadModel(), TODO)).toContain(String(partial?.name))
    expect(await indexes.ask(TODO)).toEqual(before)
    expect((await kinds())[0]).toEqual(['composite', 'wanted', 0])

    // Queries for other values request the index for all values, which replaces the partial one.
    await request([DOING], 30, 20)
    expect(await indexes.buildAll()).toEqual([expect.stringMatching(/_composite$/)])
    expect(await indexes.worker.dropUnused()).toEqual([String(partial?.name)])
  })

  test('is not built when the table has five', async () => {
    await request([TODO], 30)
    await indexes.service.db.sql`
      insert into relata.indexes (workspace_id, entity_type_id, name, kind, definition, state, first_requested_at, last_requested_at)
      select workspace_id, entity_type_id, 'existing_' || n, 'composite', definition, 'ready', now(), now()
      from relata.indexes, generate_series(1, 5) n where kind = 'composite'`
    expect(await indexes.buildAll()).toEqual([])
    await indexes.service.db.sql`delete from relata.indexes where name = 'existing_5'`
    expect(await indexes.buildAll()).toEqual([expect.stringMatching(/_composite$/)])
  })

  test('is not built when few rows have the same values', async () => {
    const body = { filter: { amount: 7.5, state: 'Todo' }, ...NEWEST }
    await request([body], 30)
    const [name] = await indexes.buildAll()
    const reason = 'Not worth its cost: about 3 rows at most have the same values.'
    expect((await indexes.compositeRows())[0]).toMatchObject({ name, state: 'wanted', error: reason, failures: 0 })
    expect(await indexes.buildAll()).toEqual([])
    await later(2, async () => expect(await indexes.buildAll()).toEqual([String(name)]))
    await later(31, () => indexes.worker.dropUnused())
    expect(await indexes.compositeRows()).toEqual([])
  })

  test('names at most five of the queries that requested it, without their operands', async () => {
    const filters = [
      {},
      ...['amount', 'stars', 'day', 'moment', 'name'].map((slug) => ({ [slug]: { $not_empty: true } })),
    ]
    await request(
      filters.map((filter) => ({ filter: { state: 'Todo', ...filter }, ...NEWEST })),
      30,
    )
    const [row] = await indexes.compositeRows()
    expect(row?.requested_by).toEqual([
      'state = …; order by created_at desc',
      ...['amount', 'stars', 'day', 'moment'].map(
        (slug) => `state = …, ${slug} is not empty; order by created_at desc`,
      ),
    ])
  })

  test('lets an index on one of its columns be dropped after eight days without use', async () => {
    const byAmount = { ...TODO, sorts: [{ attribute: 'amount', direction: 'asc' }] }
    await indexes.ask(byAmount)
    const [single] = await indexes.buildAll()
    await indexes.service.db.sql`update relata.indexes set requests = 30 where kind = 'composite'`
    await indexes.buildAll()
    await later(7, async () => expect(await indexes.worker.dropUnused()).toEqual([]))
    await later(9, async () => expect(await indexes.worker.dropUnused()).toEqual([String(single)]))
    await indexes.ask(byAmount)
    expect(await indexes.rows()).toEqual([])
    await indexes.ask({ ...byAmount, filter: { state: 'Todo', name: { $contains: 'Web' } } })
    expect(await indexes.rows()).toMatchObject([{ kind: 'trigram' }])
  })

  test('is deleted with any of its attributes', async () => {
    const { service } = indexes
    await createAttribute('/v2/objects/things', { api_slug: 'rank', type: 'number' })
    await indexes.reloadModel()
    await request([{ ...TODO, sorts: [{ attribute: 'rank', direction: 'asc' }] }], 30)
    await indexes.buildAll()
    expect((await service.request('DELETE', '/v2/objects/things/attributes/rank')).status).toBe(200)
    expect(await indexes.compositeRows()).toEqual([])
  })

  test('serves entries of lists, and pages with a cursor', async () => {
    const { service } = indexes
    const access = { workspace_access: 'full-access', workspace_member_access: [] }
    const created = [
      await service.request('POST', '/v2/lists', {
        data: { name: 'Shortlist', api_slug: 'shortlist', parent_object: 'things', ...access },
      }),
      await createAttribute('/v2/lists/shortlist', { api_slug: 'state', type: 'status' }),
      await service.request('POST', '/v2/lists/shortlist/attributes/state/statuses', { data: { title: 'Todo' } }),
    ]
    expect(created.map(({ status }) => status)).toEqual([200, 200, 200])
    const model = await indexes.reloadModel()
    const [things, list] = [getObject(model, 'things'), findList(model, 'shortlist')]
    if (!list) throw new Error('The list is missing.')
    const state = getAttribute(list, 'state')
    await service.db.sql.unsafe(`
      insert into ${list.table} (id, created_at, created_by, updated_at, updated_by, parent_object, parent_record_id,
        a_${state.number}_status)
      select gen_random_uuid(), created_at, 0, created_at, 0, ${things.number}, id, ${state.options[0]?.number} from ${indexes.table}`)
    await service.db.sql.unsafe(`analyze ${list.table}`)
    const ask = async (body: object) => {
      const answer = await service.request('POST', '/v2/lists/shortlist/entries/query', body)
      expect(answer.status).toBe(200)
      return answer.body
    }
    const before = await ask(TODO)
    await ask(TODO)
    await service.appContext.indexes.flush()
    await service.db.sql`update relata.indexes set requests = 30 where kind = 'composite'`
    expect(await indexes.buildAll()).toEqual([expect.stringMatching(/^l_\d+_[0-9a-f]{16}_composite$/)])
    await indexes.reloadModel()
    expect((await ask(TODO)).data).toEqual(before.data)
    const first = await ask({ ...TODO, cursor: null, limit: 10 })
    const second = await ask({ ...TODO, cursor: first.pagination.next_cursor, limit: 10 })
    expect([...first.data, ...second.data]).toEqual(before.data)
  })
})

test('statistics are created over columns that mislead the planner', async () => {
  const { sql } = indexes.service.db
  const estimate = async (state: string, name: string) => {
    const plan = await explain(indexes.service, await indexes.reloadModel(), { filter: { state, name }, limit: 500 })
    return Number(/(?:Seq|Heap|Index) Scan .*?rows=(\d+)/.exec(plan)?.[1])
  }
  // Each status has one name only, so that 1000 rows match and not 333.
  await request([{ filter: { state: 'Doing', name: 'Web' }, ...NEWEST }], 30)
  expect(await estimate('Doing', 'Web')).toBeLessThan(600)
  const [{ name }] = (await indexes.compositeRows()) as [{ name: string }]
  expect(await indexes.worker.correctEstimates()).toEqual([`"w_1"."${name}_statistics"`])
  expect(await estimate('Doing', 'Web')).toBeGreaterThan(900)
  await later(2, async () => expect(await indexes.worker.correctEstimates()).toEqual([]))
  await indexes.service.db.sql`update relata.indexes set state = 'ready', built_at = '2020-01-01'`
  expect(await indexes.worker.dropUnused()).toContain(name)
  expect(await sql`select from pg_statistic_ext`).toHaveLength(0)
})
