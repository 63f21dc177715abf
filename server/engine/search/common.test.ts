import { beforeAll, describe, expect, test } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import { createIndexWorker } from '#engine/indexes/worker'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'
import { searchIndex } from './search-fields'

// Building an index waits for every transaction of the server, also for those of other tests.

/** More than make a word common. */
const RECORDS = 40_000
/** The oldest record; every one after it has an address at example.org, and one of three names. */
const OLDEST = 'Exam Paper'
const NAMES = ['Zoë', "O'Hara", 'Long John']

const service = useTestService({}, (db, now) => ({ indexes: createIndexAdvisor({ db, now, fromRows: 1_000_000 }) }))
let index: string
beforeAll(async () => {
  const { db, url, appContext, workspaceId } = service
  const people = getObject(await appContext.models.reload(workspaceId), 'people')
  const column = (slug: string, member: string) => `a_${getAttribute(people, slug).number}_${member}`
  await db.sql.unsafe(
    `
    insert into ${people.table} (id, created_at, created_by, updated_at, updated_by, ${column('name', 'full_name')},
      ${column('email_addresses', 'email_address')})
    select gen_random_uuid(), timestamptz '2024-01-01' + n * interval '1 minute', 0, now(), 0,
      case when n = 1 then '${OLDEST}' else 'Person' || n || ' ' || (array[$1, $2, $3])[n % 3 + 1] end,
      array['p' || n || '@example.org']
    from generate_series(1, ${RECORDS}) n`,
    NAMES,
  )
  await db.sql.unsafe(`analyze ${people.table}`)
  await appContext.indexes.sizes.get(people.table)
  for (let search = 0; search < 3; search++) await found('person')
  await appContext.indexes.flush()
  index = searchIndex(people).name
  expect(await createIndexWorker({ db, url, now: appContext.now, unusedDays: 30 }).buildNext()).toBe(index)
  await appContext.models.reload(workspaceId)
})

async function found(query: string, limit = 3): Promise<string[]> {
  const body = { query, objects: ['people'], request_as: { type: 'workspace' }, limit }
  const answer = await service.request('POST', '/v2/objects/records/search', body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data.map((hit: { record_text: string }) => hit.record_text)
}

const person = (number: number) => `Person${number} ${NAMES[number % 3]}`
const newest = [40000, 39999, 39998].map(person)
/** Returns the newest three people with the same name as number `last`. */
const called = (last: number) => [last, last - 3, last - 6].map(person)

describe('a search for common words', () => {
  test.each([
    ['example', newest],
    ['zoe', called(39999)],
    ['john long', called(39998)],
  ])('%s: reads only the newest records', async (query, expected) => {
    let hits: string[] = []
    const plans = await plansOf(service, async () => (hits = await found(query)))
    expect(hits).toEqual(expected)
    expect(plans.filter((plan) => plan.includes(`Scan on ${index}`))).toEqual([])
  })

  test.each(['exampl', 'org exampl'])(
    '%s: prefixes that are not a whole word of a record find the newest records as well',
    async (query) => {
      expect(await found(query)).toEqual(newest)
    },
  )

  test('exam: the record with exactly this word comes first, although it is the oldest', async () => {
    expect(await found('exam')).toEqual([OLDEST, ...newest.slice(0, 2)])
  })

  test('example p1234: a rare word finds its record', async () => {
    expect((await found('example p1234'))[0]).toBe(person(1234))
  })

  test.each([
    ['example org', newest],
    ['ZO', called(39999)],
    ['ohara', called(40000)],
    ["o'ha", called(40000)],
    ['joh', called(39998)],
    ['jhon', called(39998)],
    ['jhon lnog', called(39998)],
    ['person ohara', called(40000)],
  ])('%s: finds the newest records that match', async (query, hits) => {
    expect(await found(query)).toEqual(hits)
  })

  test('person4007 joh: both prefixes must match', async () => {
    expect((await found('person4007 joh'))[0]).toBe(person(4007))
  })

  test('exmaple: a typing error in a common word is allowed', async () => {
    expect(await found('exmaple')).toHaveLength(3)
  })
})
