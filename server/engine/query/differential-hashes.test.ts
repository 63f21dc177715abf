/**
 * Compares queries by equal texts, whose statements compare hashes as well, with the results of an evaluator over the JSON of
 * the API. Several texts have the same hash. QUERY_RUNS sets how many queries are tried.
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { attributeType } from '#engine/attribute-types/registry'
import { getObject } from '#engine/data-model/find'
import { describePropertyIndex } from '#engine/indexes/describe/property-index'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'
import { matches, type RecordJson } from './testing/evaluator'
import { conditionOn, CONSTRAINTS, filterOf, pathOver } from './testing/random-queries'
import { thing, TYPES_OF_THINGS } from './testing/random-things'
import { createThing, createThings } from './testing/things'

const RUNS = Number(process.env.QUERY_RUNS ?? 150)
const THINGS = 30

/** Two texts with the same hash: the second half of each leads PostgreSQL's hash function to the same state. */
const COLLIDING = ['CollisionxofaaaFua0aGa0a', 'Hashessqxxxx6gGa0BqOa3zy'] as const

const service = useTestService()
let things: RecordJson[]
let world: Map<string, RecordJson>
beforeAll(async () => {
  await createThings(service.request)
  const ids: string[] = []
  for (const [index, values] of fc.sample(thing, { numRuns: THINGS, seed: 8 }).entries()) {
    const name = index < 2 ? { name: COLLIDING[index] } : {}
    const parent = index % 3 === 1 ? { parent: ids[index >> 1] } : {}
    ids.push(await createThing(service.request, 'things', { ...values, ...name, ...parent }))
  }
  await makeHashIndexes()
  things = (await service.request('POST', '/v2/objects/things/records/query', {})).body.data
  world = new Map(things.map((each) => [each.id.record_id, each]))
})

/** Creates the indexes over the hashes of all texts, as the index worker does. */
async function makeHashIndexes(): Promise<void> {
  const { appContext, workspaceId, db } = service
  const object = getObject(await appContext.models.reload(workspaceId), 'things')
  for (const attribute of object.attributes) {
    for (const property of Object.values(attributeType(attribute.type).properties)) {
      const index = describePropertyIndex(object, attribute, property, 'exact')
      if (index === undefined || attribute.is_multiselect) continue
      await db.sql.unsafe(`create index if not exists ${index.name} on ${object.table} ${index.definition}`)
      await db.sql`
        insert into relata.indexes (workspace_id, entity_type_id, attribute_id, name, kind, definition, state, first_requested_at,
          last_requested_at)
        values (${workspaceId}, ${object.id}, ${index.attributeId}, ${index.name}, 'exact', ${index.definition}, 'ready', now(), now())
        on conflict do nothing`
    }
  }
  await appContext.models.reload(workspaceId)
}

const ask = async (filter: Record<string, unknown>) => {
  const { status, body } = await service.request('POST', '/v2/objects/things/records/query', { filter })
  return [status, (body.data ?? []).map(({ id }: RecordJson) => id.record_id).sort()]
}
const expected = (filter: Record<string, unknown>) => [
  200,
  things
    .filter((each) => matches(each, filter, world, TYPES_OF_THINGS))
    .map(({ id }) => id.record_id)
    .sort(),
]

const upwards = fc
  .integer({ min: 0, max: 2 })
  .map((steps) => Array.from({ length: steps }, () => ['things', 'parent'] as const))
const filter = filterOf(conditionOn(CONSTRAINTS), pathOver(upwards))

describe('a query by equal texts', () => {
  test('has the result of the evaluator, for any filter', async () => {
    const property = fc.asyncProperty(filter, async (filter) => {
      expect(await ask(filter)).toEqual(expected(filter))
    })
    await fc.assert(property, { numRuns: RUNS, seed: 4 })
  }, 600_000)

  const [one, other] = COLLIDING
  const missing = 'Neither of the two texts'
  test.each([
    ['equality', { name: one }, 1],
    ['the other text of the same hash', { name: other }, 1],
    ['one of several texts', { name: { $in: [one, missing] } }, 1],
    ['both texts of the same hash', { name: { $in: [one, other] } }, 2],
    ['a negation', { $not: { name: one } }, THINGS - 1],
    ['a negation of several texts', { $not: { name: { $in: [one, missing] } } }, THINGS - 1],
    ['both in one condition', { $or: [{ name: one }, { name: other }] }, 2],
    ['a text that no record has', { name: missing }, 0],
  ])('tells texts of the same hash apart: %s', async (_, filter, count) => {
    const [{ isSame } = { isSame: false }] = await service.db.sql<{ isSame: boolean }[]>`
      select hashtextextended(${one}, 0) = hashtextextended(${other}, 0) as "isSame"`
    expect(isSame).toBe(true)
    const [status, ids] = await ask(filter)
    expect([status, ids.length]).toEqual([200, count])
    expect(await ask(filter)).toEqual(expected(filter))
  })

  test('compares hashes', async () => {
    const plans = await plansOf(service, () => ask({ name: { $in: [one, other] } }))
    expect(plans.join('\n')).toContain('hashtextextended')
  })
})
