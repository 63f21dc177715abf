import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getAttribute } from '#engine/data-model/find'
import { type IndexTest, startIndexTest } from '#testing/indexes'
import { explain } from '#testing/many-things'

// A build waits for all transactions of the server, also those of other tests.

let indexes: IndexTest
beforeAll(async () => {
  indexes = await startIndexTest()
  await indexes.setValues((things) => {
    const [todo, doing] = getAttribute(things, 'state').options
    return [
      // The newest third has another status than the rest.
      ['state', 'status', `case when n > 2000 then ${doing?.number} else ${todo?.number} end`],
      ['done', 'value', 'case n % 4 when 0 then true when 1 then false end'],
      ['color', 'option', String(getAttribute(things, 'color').options[0]?.number)],
      ['name', 'value', "case when n % 2 = 0 then 'Web' else n::text end"],
      ['parent', 'target_object', String(things.number)],
      ['parent', 'target_record_id', `(select id from ${things.table} order by created_at limit 1)`],
    ]
  })
})
afterAll(() => indexes.service.close())

const NEWEST = [{ attribute: 'created_at', direction: 'desc' }]
const by = (attribute: string, direction = 'asc') => [{ attribute, direction }]

/** Requests an index over several columns as often as it takes, for many constants, and no other index. */
async function demand(body: object): Promise<string[]> {
  const found = await indexes.ask(body)
  await indexes.service.db.sql`delete from relata.indexes where kind <> 'composite'`
  await indexes.service.db.sql`update relata.indexes set requests = 30`
  return found
}

const definitions = async () =>
  (await indexes.compositeRows())
    .filter(({ state }) => state === 'ready')
    .map(({ definition }) => String(definition).replaceAll(/a_\d+_/g, ''))
    .sort((one, other) => one.length - other.length)

/** A query, and the keys of the index that serves it. */
const SERVED: [string, object, string][] = [
  ['a status, newest first', { filter: { state: 'Todo' }, sorts: NEWEST }, '(status), created_at desc, id'],
  ['a status in the default order', { filter: { state: { $in: ['Doing'] } } }, '(status), created_at, id'],
  [
    'a status and a range, newest first',
    { filter: { state: 'Todo', amount: { $gt: 100 } }, sorts: NEWEST },
    '(status), created_at desc, id',
  ],
  [
    'a status in the order of a number',
    { filter: { state: 'Doing' }, sorts: by('amount', 'desc') },
    '(status), (value) desc nulls last, created_at, id',
  ],
  [
    'a status in the order of two attributes',
    { filter: { state: 'Todo' }, sorts: [...by('stars'), ...NEWEST] },
    '(status), (value), created_at desc, id',
  ],
  [
    'a status in the order of texts',
    { filter: { state: 'Todo' }, sorts: by('name') },
    '(status), (left(lower(value), 500) collate "C"), created_at, id',
  ],
  [
    'a status and a checkbox',
    { filter: { done: true, state: 'Todo' }, sorts: NEWEST },
    '(value), (status), created_at desc, id',
  ],
  ['an equal text', { filter: { name: 'Web' }, sorts: NEWEST }, '(hashtextextended(value, 0)), created_at desc, id'],
  [
    'a text and a number',
    { filter: { name: 'Web', stars: 4 }, sorts: by('updated_at', 'desc') },
    '(hashtextextended(value, 0)), (value), (updated_at) desc, created_at, id',
  ],
  [
    'an empty checkbox',
    { filter: { done: false }, sorts: NEWEST },
    'created_at desc, id) where (value = false or value is null',
  ],
]

const BOTH_DIRECTIONS = ['using btree ((status), created_at, id)', 'using btree ((status), created_at desc, id)']

describe('an index over several columns is built for', () => {
  test.each(SERVED)('%s', async (_, body, keys) => {
    await indexes.forget()
    const before = await demand({ ...body, limit: 20 })
    expect(before).toHaveLength(20)
    await indexes.buildAll()
    expect(await definitions()).toEqual([`using btree (${keys})`])
    expect(await explain(indexes.service, await indexes.reloadModel(), { ...body, limit: 20 })).toMatch(
      /Index (?:Only )?Scan(?: Backward)? using o_\d+_[0-9a-f]{16}_composite/,
    )
    expect(await indexes.ask({ ...body, limit: 20 })).toEqual(before)
  })

  test('newest first, unless the index for the default order exists', async () => {
    await indexes.forget()
    const newest = { filter: { state: 'Todo' }, sorts: NEWEST, limit: 20 }
    const before = await demand(newest)
    await indexes.buildAll()
    await demand({ filter: { state: 'Todo' }, limit: 20 })
    await indexes.buildAll()
    expect(await definitions()).toEqual(BOTH_DIRECTIONS)
    expect(await indexes.ask(newest)).toEqual(before)

    await indexes.forget()
    await demand({ filter: { state: 'Todo' }, limit: 20 })
    await indexes.buildAll()
    expect(await demand(newest)).toEqual(before)
    await indexes.buildAll()
    expect(await definitions()).toEqual(BOTH_DIRECTIONS.slice(0, 1))
    expect(await explain(indexes.service, await indexes.reloadModel(), newest)).toMatch(
      /Scan Backward using \w+_composite/,
    )
  })

  test('a reference', async () => {
    await indexes.forget()
    const [first = ''] = await indexes.ask({ limit: 1 })
    const body = { filter: { parent: first }, limit: 20 }
    const before = await demand(body)
    await indexes.buildAll()
    expect(await definitions()).toEqual(['using btree ((target_record_id), created_at, id)'])
    expect(await indexes.ask(body)).toEqual(before)
  })
})

/** Queries that request no index over several columns. */
const UNSERVED: [reason: string, body: object][] = [
  ['a select, whose own index ends in creation time', { filter: { color: 'Red' }, sorts: NEWEST }],
  ['a sort without an equal value', { filter: { amount: { $gt: 5 } }, sorts: by('stars') }],
  ['one of several statuses', { filter: { state: { $in: ['Todo', 'Doing'] } } }],
  ['alternatives', { filter: { $or: [{ state: 'Todo' }, { stars: 3 }] } }],
  ['a unique value', { filter: { code: 'x', state: 'Todo' } }],
  ['the sort of the equal value', { filter: { state: 'Todo' }, sorts: by('state') }],
  ['a sort by a label', { filter: { state: 'Todo' }, sorts: by('parent') }],
  ['one of several values', { filter: { colors: 'Red' }, sorts: NEWEST }],
]

test('no index over several columns is requested by other queries', async () => {
  await indexes.forget()
  for (const [, body] of UNSERVED) await indexes.ask(body)
  expect(await indexes.compositeRows()).toEqual([])
})
