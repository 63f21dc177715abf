/**
 * Compares random queries over random data with the results of an evaluator over the JSON of the API.
 * QUERY_RUNS sets how many queries are tried.
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { useTestService } from '#testing/use-service'
import { matches, type RecordJson, sorted } from './testing/evaluator'
import { conditionOn, CONSTRAINTS, filterOf, pathOver, sortOf } from './testing/random-queries'
import { thing, TYPES_OF_THINGS } from './testing/random-things'
import { COLORS, createThing, createThings, STATES } from './testing/things'

const RUNS = Number(process.env.QUERY_RUNS ?? 150)
const THINGS = 40

const service = useTestService()
let world: Map<string, RecordJson>
let things: RecordJson[]

beforeAll(async () => {
  const { request } = service
  await createThings(request)
  const ids: string[] = []
  for (const [index, values] of fc.sample(thing, { numRuns: THINGS, seed: 7 }).entries()) {
    const parent = index % 3 === 1 ? { parent: ids[index >> 1] } : {}
    ids.push(await createThing(request, 'things', { ...values, ...parent }))
  }
  things = (await request('POST', '/v2/objects/things/records/query', {})).body.data
  world = new Map(things.map((each) => [each.id.record_id, each]))
})

const upwards = (most: number) =>
  fc.integer({ min: 0, max: most }).map((steps) => Array.from({ length: steps }, () => ['things', 'parent'] as const))

const filter = filterOf(conditionOn(CONSTRAINTS), pathOver(upwards(3)))
const sorts = fc.array(sortOf('record_id', upwards(2)), { maxLength: 3 })

const idsOf = (records: readonly RecordJson[]) => records.map(({ id }) => id.record_id)

describe('POST /v2/objects/{object}/records/query', () => {
  test('200 with the result of the evaluator, for any filter and sorts', async () => {
    const found = new Set<number>()
    const property = fc.asyncProperty(filter, sorts, async (filter, sorts) => {
      const { status, body } = await service.request('POST', '/v2/objects/things/records/query', { filter, sorts })
      const expected = sorted(
        things.filter((each) => matches(each, filter, world, TYPES_OF_THINGS)),
        sorts,
        world,
        [...COLORS, ...STATES],
      )
      found.add(expected.length)
      expect([status, idsOf(body.data ?? [])]).toEqual([200, idsOf(expected)])
    })
    await fc.assert(property, { numRuns: RUNS, seed: 1 })
    // Queries that match all records or none would test little.
    expect(found.size).toBeGreaterThan(Math.min(10, RUNS / 20))
  }, 600_000)

  test('200 with all records in pages, by offset and by cursor', async () => {
    const property = fc.asyncProperty(filter, sorts, fc.integer({ min: 7, max: 20 }), async (filter, sorts, limit) => {
      const ask = (more: object) =>
        service.request('POST', '/v2/objects/things/records/query', { filter, sorts, ...more })
      const whole = await ask({ include_count: true })
      const pages = await Promise.all([0, 1, 2, 3, 4, 5].map((page) => ask({ limit, offset: page * limit })))
      const paged: RecordJson[] = []
      for (let cursor: string | null | undefined = null; cursor !== undefined;) {
        const { body } = await ask({ limit, cursor })
        paged.push(...body.data)
        cursor = body.pagination.next_cursor ?? undefined
      }
      expect(pages.flatMap(({ body }) => idsOf(body.data))).toEqual(idsOf(whole.body.data))
      expect(idsOf(paged)).toEqual(idsOf(whole.body.data))
      expect(whole.body.pagination).toEqual({ total: whole.body.data.length })
    })
    await fc.assert(property, { numRuns: Math.ceil(RUNS / 10), seed: 2 })
  }, 600_000)
})
