import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getObject } from '#engine/data-model/find'
import { dropIndex } from './build-index'
import { type IndexTest, startIndexTest } from '#testing/indexes'
import { explain } from '#testing/many-things'

// A build waits for all transactions of the server, also those of other tests.

let indexes: IndexTest
beforeAll(async () => {
  indexes = await startIndexTest()
})
afterAll(() => indexes.service.close())

const asc = (attribute: string) => ({ sorts: [{ attribute, direction: 'asc' }], limit: 20 })
const desc = (attribute: string) => ({ sorts: [{ attribute, direction: 'desc' }], limit: 20 })
const member = () => ({ referenced_actor_type: 'workspace-member', referenced_actor_id: indexes.service.member.id })

/** The name of record 1 in lower case. */
const WORD = 'c4ca4238a0b923820dcc509a6f75849b'

/** A query, how the name of the index that serves it ends, and how many records match. */
const SERVED: [string, () => object, string, number][] = [
  ['equal text', () => ({ filter: { name: WORD.toUpperCase() } }), 'value_hashed', 1],
  ['one of several texts', () => ({ filter: { name: { $in: [WORD.toUpperCase(), 'X'] } } }), 'value_hashed', 1],
  ['the beginning of a text', () => ({ filter: { name: { $starts_with: 'c4cA423' } } }), 'value_ordered', 1],
  ['a part of a text', () => ({ filter: { name: { $contains: 'cA4238' } } }), 'value_trigram', 1],
  ['the end of a text', () => ({ filter: { name: { $ends_with: 'f75849B' } } }), 'value_trigram', 1],
  ['texts in order', () => asc('name'), 'value_ordered', 20],
  ['texts backwards', () => desc('name'), 'value_descending', 20],
  ['equal numbers', () => ({ filter: { amount: 7.5 } }), 'value_ordered', 3],
  ['a range of numbers', () => ({ filter: { amount: { $gt: 998 } } }), 'value_ordered', 6],
  ['numbers in order', () => asc('amount'), 'value_ordered', 20],
  ['numbers backwards', () => desc('amount'), 'value_descending', 20],
  ['currency', () => ({ filter: { price: { $gte: 999 } } }), 'currency_value_ordered', 3],
  ['dates', () => ({ filter: { day: '2024-01-05' } }), 'value_ordered', 3],
  ['timestamps', () => ({ filter: { moment: { $lt: '2024-01-01T03:00:00Z' } } }), 'value_ordered', 2],
  ['timestamps in order', () => asc('moment'), 'value_ordered', 20],
  [
    'a part of an address',
    () => ({ filter: { mail: { email_local_specifier: WORD } } }),
    'email_local_specifier_hashed',
    1,
  ],
  ['one of several values', () => ({ filter: { sites: `${WORD}.com` } }), 'domain_elements', 1],
  ['a part of one of several', () => ({ filter: { sites: { $contains: 'ca4238' } } }), 'domain_trigram', 1],
  ['the beginning of one of several', () => ({ filter: { sites: { $starts_with: '17.exa' } } }), 'domain_trigram', 1],
  ['the first of several in order', () => asc('sites'), 'domain_ordered', 20],
  [
    'a part of one address of several',
    () => ({ filter: { mails: { email_local_specifier: WORD } } }),
    'email_address_trigram',
    1,
  ],
  ['an option', () => ({ filter: { color: 'Red' } }), 'option_ordered', 6],
  ['options in their order', () => asc('color'), 'option_[0-9a-f]{8}_ordered', 20],
  ['options, descending', () => desc('color'), 'option_[0-9a-f]{8}_descending', 20],
  ['one of several options', () => ({ filter: { colors: 'Red' } }), 'option_elements', 6],
  ['an actor', () => ({ filter: { actor: member() } }), 'actor_ordered', 0],
  ['the creator', () => ({ filter: { created_by: member() } }), 'created_by_ordered', 0],
  ['the latest changes', () => desc('updated_at'), 'updated_at_descending', 20],
  ['a member of a location', () => ({ filter: { place: { locality: 'Bath' } } }), 'locality_hashed', 0],
]

/** Queries for which no index is built. */
const UNSERVED: [string, () => object][] = [
  ['a substring too short for an index', () => ({ filter: { name: { $contains: 'ab' } } })],
  ['a negation', () => ({ filter: { $not: { name: 'x' } } })],
  ['presence', () => ({ filter: { name: { $not_empty: true } } })],
  ['a unique value', () => ({ filter: { code: 'x' } })],
  ['a status', () => ({ filter: { state: 'Todo' } })],
  ['the time of a status', () => ({ filter: { state: { active_from: { $gt: '2024-01-01' } } } })],
  ['creation', () => desc('created_at')],
  ['an id', () => ({ filter: { record_id: '0190aaaa-0000-7000-8000-000000000001' } })],
  ['a reference', () => ({ filter: { parent: '0190aaaa-0000-7000-8000-000000000001' } })],
]

describe('an index is built for', () => {
  test.each(SERVED)('%s', async (_, body, ending, count) => {
    await indexes.forget()
    const before = await indexes.ask(body())
    expect(before).toHaveLength(count)
    expect(await indexes.buildAll()).toEqual([expect.stringMatching(new RegExp(`_${ending}$`))])
    const [index] = await indexes.rows()
    expect(await explain(indexes.service, await indexes.reloadModel(), body())).toContain(String(index?.name))
    expect(await indexes.ask(body())).toEqual(before)
    expect(await indexes.buildAll()).toEqual([])
  })

  test('a substring, and the statistics target is doubled while the index exists', async () => {
    const { service } = indexes
    await indexes.forget()
    await indexes.ask({ filter: { name: { $contains: 'cA4238' } } })
    await indexes.buildAll()
    const [index] = await indexes.rows()
    const name = String(index?.name)
    const sampled = async () => [
      ...(await service.db.sql<{ column: string; texts: number }[]>`
        select attname as column, attstattarget as texts from pg_attribute where attstattarget > 0
          and attrelid in (select oid from pg_class where relkind = 'r' and starts_with(${name}, relname || '_a_'))`),
    ]
    expect(await sampled()).toEqual([{ column: expect.stringMatching(/_value$/), texts: 200 }])
    await dropIndex(service.db.sql, { schema: (await indexes.reloadModel()).schema, name })
    expect(await sampled()).toEqual([])
  })

  test.each(UNSERVED)('not for %s', async (_, body) => {
    await indexes.forget()
    await indexes.ask(body())
    expect(await indexes.rows()).toEqual([])
  })

  test('not for the newest first, which the index of every table serves', async () => {
    expect(await explain(indexes.service, await indexes.reloadModel(), desc('created_at'))).toMatch(
      /Backward using o_\d+_created_at/,
    )
  })

  test('not while there are few records', async () => {
    await indexes.ask({ filter: { job_title: 'CEO' } }, 'people')
    expect(await indexes.rows()).toEqual([])
  })

  test('not after a single query', async () => {
    await indexes.forget()
    await indexes.service.request('POST', '/v2/objects/things/records/query', { filter: { name: 'x' } })
    await indexes.service.appContext.indexes.flush()
    expect(await indexes.buildAll()).toEqual([])
    expect(await indexes.rows()).toMatchObject([{ state: 'wanted', requests: 1, kind: 'exact' }])
  })

  test('the attributes of records at the end of a path', async () => {
    await indexes.forget()
    const path = [
      ['things', 'parent'],
      ['things', 'amount'],
    ]
    await indexes.ask({ filter: { path, constraints: 7.5 } })
    expect(await indexes.buildAll()).toEqual([expect.stringMatching(/_value_ordered$/)])
  })

  test('a request from outside of queries, under its own name', async () => {
    await indexes.forget()
    const model = await indexes.reloadModel()
    const things = getObject(model, 'things')
    const indexRequest = {
      name: 'o_1_search',
      kind: 'search',
      definition: 'using btree (version)',
      attributeId: null,
    } as const
    const requested = { requests: [indexRequest], requestedBy: () => 'a test' }
    for (let n = 0; n < 3; n++) indexes.service.appContext.indexes.request(model, things, requested)
    await indexes.service.appContext.indexes.flush()
    expect(await indexes.buildAll()).toEqual(['o_1_search'])
  })
})
