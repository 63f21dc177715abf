import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Random, randomFrom } from '../../../e2e/bench/data/random'
import { getAttribute, getObject } from '#engine/data-model/find'
import { createIndexAdvisor } from '#engine/indexes/advisor'
import { createIndexWorker } from '#engine/indexes/worker'
import { useTestService } from '#testing/use-service'
import { candidateFrom, rankOf } from './rank'
import { readSearchQuery } from './words'
import { searchIndex } from './search-fields'

// Building an index waits for every transaction of the server, also for those of other tests.

const RECORDS = 3000
const LIMIT = 3

const SYLLABLES = ['an', 'be', 'cor', 'dé', 'el', 'fio', 'ga', 'hu', "i'", 'jö', 'ka', 'lu', 'mar', 'no', 'ße', 'ти']
const word = (random: Random): string =>
  Array.from({ length: 1 + random.below(3) }, () => random.one(SYLLABLES as [string, ...string[]])).join('')
const words = (random: Random, most: number): string[] =>
  Array.from({ length: 1 + random.below(most) }, () => word(random))

const random = randomFrom(11)
const people = Array.from({ length: RECORDS }, (_, index) => ({
  label: words(random, 5).join(random.below(9) === 0 ? '-' : ' '),
  email: `${readSearchQuery(word(random)).terms[0]?.word ?? 'x'}.${index}@example.org`,
}))

const service = useTestService({}, (db, now) => ({ indexes: createIndexAdvisor({ db, now, fromRows: 1_000_000 }) }))
beforeAll(async () => {
  const { db, url, appContext, workspaceId } = service
  const object = getObject(await appContext.models.reload(workspaceId), 'people')
  const column = (slug: string, member: string) => `a_${getAttribute(object, slug).number}_${member}`
  const insert = `insert into ${object.table} (id, created_at, created_by, updated_at, updated_by, ${column('name', 'full_name')},
       ${column('email_addresses', 'email_address')})
     select gen_random_uuid(), timestamptz '2024-01-01' + n * interval '1 minute', 0, now(), 0, person ->> 'label',
       array[person ->> 'email']
     from json_array_elements($1::text::json) with ordinality as people(person, n)`
  await db.sql.begin(async (tx) => {
    await tx.unsafe(insert, [JSON.stringify(people)])
    // PostgreSQL would otherwise count these rows after the analysis, and estimate twice as many.
    await tx`select pg_stat_force_next_flush()`
  })
  await db.sql.unsafe(`analyze ${object.table}`)
  await appContext.indexes.sizes.get(object.table)
  for (let search = 0; search < 3; search++) await found('an')
  await appContext.indexes.flush()
  const built = await createIndexWorker({ db, url, now: appContext.now, unusedDays: 30 }).buildNext()
  expect(built).toBe(searchIndex(object).name)
  await db.sql.unsafe(`analyze ${object.table}`)
  await appContext.models.reload(workspaceId)
})

async function found(query: string): Promise<string[]> {
  const body = { query, objects: ['people'], request_as: { type: 'workspace' }, limit: LIMIT }
  const answer = await service.request('POST', '/v2/objects/records/search', body)
  expect([answer.status, answer.body.message]).toEqual([200, undefined])
  return answer.body.data.map((hit: { email_addresses: [string] }) => hit.email_addresses[0])
}

const candidates = new Map(
  people.map(({ label, email }) => [email, candidateFrom([email, '', label, email, null, null])]),
)

/** The rank of each record that matches without typing errors, the best first. */
function ranksOf(typed: string): Map<string, number> {
  const query = readSearchQuery(typed)
  const ranks = [...candidates].flatMap(([email, candidate]) => {
    const rank = rankOf(query, candidate, undefined, 0)
    return rank === undefined ? [] : [[email, rank] as const]
  })
  return new Map(ranks.toSorted(([, one], [, other]) => one - other))
}

/** A query for a person: prefixes of some of its words, in any order. */
function typedFor({ label }: { label: string }): string {
  const some = label.split(/[ -]/).filter(() => random.below(3) > 0)
  const cut = some.map((each) => (random.below(2) === 0 ? each : each.slice(0, 2 + random.below(3))))
  return (random.below(2) === 0 ? cut : cut.toReversed()).join(' ')
}

const TYPED = Array.from({ length: 400 }, () => typedFor(random.one(people as [(typeof people)[0], ...typeof people])))
/** Of more matches, a search ranks only a part. */
const MAX_COMPARED = 200

describe('a search in the index', () => {
  test('finds the records that rank best among all records', async () => {
    let compared = 0
    for (const typed of new Set(TYPED)) {
      const expected = ranksOf(typed)
      if (typed.trim() === '' || expected.size > MAX_COMPARED || expected.size < LIMIT) continue
      const hits = await found(typed)
      const best = [...expected.values()].slice(0, LIMIT)
      expect([typed, ...hits.map((email) => expected.get(email))]).toEqual([typed, ...best])
      compared += 1
    }
    expect(compared).toBeGreaterThan(100)
  })

  test('answers queries of any characters', async () => {
    const signs = ['%', '_', "'", '"', '\\', '{', '}', ',', '+', ':*', '&', '|', '!', '#', '$1', '🎉', '٣', 'ǅ']
    const typed = fc.string({
      unit: fc.oneof(fc.constantFrom(...signs, ...SYLLABLES, ' '), fc.string({ maxLength: 1 })),
    })
    for (const query of fc.sample(typed, { numRuns: 200, seed: 3 }))
      expect((await found(query)).length).toBeLessThanOrEqual(LIMIT)
  })
})
