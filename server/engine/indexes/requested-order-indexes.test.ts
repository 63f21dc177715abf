import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import { type IndexTest, startIndexTest } from '#testing/indexes'
import { explain } from '#testing/many-things'

// A build waits for all transactions of the server, also those of other tests.

let indexes: IndexTest
beforeAll(async () => {
  indexes = await startIndexTest()
  const { service, table } = indexes
  const things = getObject(await indexes.reloadModel(), 'things')
  const parent = `a_${getAttribute(things, 'parent').number}`
  // Every third thing has no value.
  await service.db.sql.unsafe(`
    update ${table} t set ${parent}_target_object = ${things.number}, ${parent}_target_record_id = p.id
    from (select id, row_number() over (order by created_at, id) - 1 as n from ${table}) me,
      (select id, row_number() over (order by created_at, id) - 1 as n from ${table}) p
    where me.id = t.id and p.n = me.n / 20 and me.n % 3 > 0`)
  await service.db.sql.unsafe(`analyze ${table}`)
})
afterAll(() => indexes.service.close())

const grandparents = (attribute: string) => [
  ['things', 'parent'],
  ['things', attribute],
]

/** A sort, and how the name of the index that serves it ends. */
const SORTS: [string, object, string][] = [
  ["the target's label", { attribute: 'parent', direction: 'asc' }, 'label_[0-9a-f]{8}_ordered'],
  ['the same, descending', { attribute: 'parent', direction: 'desc' }, 'label_[0-9a-f]{8}_ordered'],
  ["the target's number", { path: grandparents('amount'), direction: 'asc' }, 'value_ordered'],
  ['the same, descending', { path: grandparents('amount'), direction: 'desc' }, 'value_ordered'],
  ["the target's option", { path: grandparents('color'), direction: 'desc' }, 'option_[0-9a-f]{8}_ordered'],
  ["the target's target", { path: grandparents('parent'), direction: 'asc' }, 'label_[0-9a-f]{8}_ordered'],
]

const LIMIT = 50
/** Selects some of the things, with and without parents. */
const SOME = { filter: { amount: { $lt: 60 } }, limit: LIMIT }
const COUNT = 180

/** Reads all pages by offset, then everything by cursor. */
async function readBothWays(body: object): Promise<[string[], string[]]> {
  const [byOffset, byCursor]: [string[], string[]] = [[], []]
  for (let offset = 0; offset < COUNT; offset += LIMIT)
    byOffset.push(...(await indexes.ask({ ...body, ...SOME, offset })))
  for (let cursor: string | null | undefined = null; cursor !== undefined;) {
    const path = '/v2/objects/things/records/query'
    const { body: answer } = await indexes.service.request('POST', path, { ...body, ...SOME, cursor })
    byCursor.push(...answer.data.map((record: { id: { record_id: string } }) => record.id.record_id))
    cursor = answer.pagination.next_cursor ?? undefined
  }
  return [byOffset, byCursor]
}

describe('an index is built for the order of', () => {
  test.each(SORTS)('%s', async (_, sort, ending) => {
    await indexes.forget()
    const body = { sorts: [sort, { attribute: 'name', direction: 'desc' }] }
    const before = await readBothWays(body)
    expect(before[1]).toEqual(before[0])
    expect(new Set(before[0]).size).toBe(COUNT)
    const built = (await indexes.buildAll()).find((name) => new RegExp(`_${ending}$`).test(name))
    expect(await readBothWays(body)).toEqual(before)
    expect(await explain(indexes.service, await indexes.reloadModel(), { ...body, limit: 20 })).toContain(String(built))
  })

  test('no index for a sort by members', async () => {
    await indexes.forget()
    await indexes.ask({ sorts: [{ attribute: 'actor', direction: 'asc' }], limit: 20 })
    expect(await indexes.rows()).toEqual([])
  })
})
