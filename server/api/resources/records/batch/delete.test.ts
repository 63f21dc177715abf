/** Records that a batch deletes together are deleted, kept in the trash and restored as if single requests had deleted them. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { commentClient, onEntry, onRecord } from '#testing/comments'
import { fileClient } from '#testing/files'
import { listClient } from '#testing/lists'
import { makeObjects, SLUGS } from '#testing/random-batches'
import { testService, type TestService } from '#testing/service'
import { taskClient } from '#testing/tasks'
import { reference, trashClient } from '#testing/trash'

const FIRST = 1_700_000_000_000_000
const SHIPS = 9
const ships = '/v2/objects/ship/records'

interface Side {
  readonly service: TestService
  readonly ships: string[]
}

describe('records that refer to each other', () => {
  let sides: readonly [Side, Side]
  beforeAll(async () => {
    sides = [await startSide(), await startSide()]
  })
  afterAll(() => Promise.all(sides.map(({ service }) => service.close())))

  test.each([1, 2, 3, 4, 5, 6])('plan %d', async (seed) => {
    const [plan] = fc.sample(plans, { seed, numRuns: 1 })
    if (plan === undefined) throw new Error('There is no plan.')
    const [together, alone] = sides
    for (const side of sides) await build(side, seed, plan)
    for (const { service } of sides) service.setNow(FIRST + seed * 1_000_000_000 + 1_000_000)
    const operations = plan.deleted.map((number) => ({ op: 'delete', record_id: together.ships[number] }))
    const { body } = await together.service.request('POST', `${ships}/batch`, { data: { operations, atomic: true } })
    expect(body.data.succeeded).toBe(plan.deleted.length)
    for (const number of plan.deleted) await alone.service.request('DELETE', `${ships}/${alone.ships[number]}`)
    expect(await eventsOf(together)).toEqual(await eventsOf(alone))
    expect(await trashOf(together)).toEqual(await trashOf(alone))
    expect(await valuesOf(together)).toEqual(await valuesOf(alone))
    for (const [at, number] of plan.restored.entries()) {
      for (const { service, ships: ids } of sides) {
        service.setNow(FIRST + seed * 1_000_000_000 + (at + 2) * 1_000_000)
        expect((await service.request('POST', `${ships}/${ids[number]}/restore`)).status).toBe(200)
      }
      expect(await valuesOf(together)).toEqual(await valuesOf(alone))
    }
  })

  async function startSide(): Promise<Side> {
    const service = await testService()
    service.setNow(FIRST)
    await makeObjects(service)
    return { service, ships: [] }
  }
})

interface Plan {
  /** The numbers of the ships that each ship refers to. */
  readonly references: readonly Readonly<Record<'next' | 'leader' | 'convoy' | 'twin', readonly number[]>>[]
  readonly deleted: readonly number[]
  /** The same numbers in another order. */
  readonly restored: readonly number[]
}

const numbers = Array.from({ length: SHIPS }, (_, number) => number)
const one = fc.array(fc.constantFrom(...numbers), { maxLength: 1 })
const plans: fc.Arbitrary<Plan> = fc
  .record({
    references: fc.array(
      fc.record({
        next: one,
        leader: one,
        twin: one,
        convoy: fc.uniqueArray(fc.constantFrom(...numbers), { maxLength: 4 }),
      }),
      { minLength: SHIPS, maxLength: SHIPS },
    ),
    deleted: fc.shuffledSubarray(numbers, { minLength: 4, maxLength: 7 }),
    order: fc.shuffledSubarray(numbers, { minLength: SHIPS }),
  })
  .map(({ order, ...plan }) => ({ ...plan, restored: order.filter((number) => plan.deleted.includes(number)) }))

/** Creates new ships, and changes some of their values, so that there is a history. */
async function build(side: Side, seed: number, { references }: Plan): Promise<void> {
  const { service } = side
  service.setNow(FIRST + seed * 1_000_000_000)
  side.ships.length = 0
  for (const number of numbers) {
    const values = { code: `${seed} ${number}`, note: 'before' }
    const { body } = await service.request('POST', ships, { data: { values } })
    side.ships.push(body.data.id.record_id)
  }
  for (const [number, targets] of references.entries()) {
    service.setNow(FIRST + seed * 1_000_000_000 + (number + 1) * 1000)
    const toValues = (targets: readonly number[]) =>
      targets.map((target) => reference('ship', side.ships[target] ?? ''))
    const values = Object.fromEntries(Object.entries(targets).map(([slug, own]) => [slug, toValues(own)]))
    const data = { values: { ...values, note: `after ${number}` } }
    const { status, body } = await service.request('PUT', `${ships}/${side.ships[number]}`, { data })
    expect([status, body.message]).toEqual([200, undefined])
  }
  await service.events()
}

/** With the number of each ship instead of its id, and other ids left out. */
function withNumbers<T>(side: Side, value: T): T {
  let text = JSON.stringify(value)
  side.ships.forEach((id, number) => (text = text.replaceAll(id, `ship ${number}`)))
  return JSON.parse(text.replaceAll(UUID, 'id'))
}
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

async function eventsOf(side: Side): Promise<unknown> {
  const { body } = await side.service.request('GET', '/v2/objects/ship/attributes')
  const slugs = new Map<string, string>()
  for (const { id, api_slug } of body.data) slugs.set(id.attribute_id, api_slug)
  const shown = (await side.service.events()).map(({ event_type, id, actor }) => [
    id.record_id,
    event_type,
    slugs.get(id.attribute_id ?? ''),
    actor?.type,
  ])
  // Those of several records that one deletion changes have no order.
  return withNumbers(side, shown)
    .map((event) => JSON.stringify(event))
    .toSorted()
}

/** What the trash has of each ship, without versions and the order of insertion. */
async function trashOf(side: Side): Promise<unknown> {
  const { service } = side
  const [workspace] = await service.db.sql`select number from relata.workspaces`
  const schema = `w_${workspace?.number}`
  const parts = await service.db.sql.unsafe(`
    select record_id, kind, attribute, jsonb_agg(item - 'sequence' order by (item - 'sequence')::text) as items
    from ${schema}.trash_parts, jsonb_array_elements(content::jsonb) item group by record_id, kind, attribute`)
  const rows = await service.db.sql.unsafe(
    `
    select id, deleted_at, expires_at, (content::jsonb - 'version')::text as content from ${schema}.trash where id = any($1::uuid[])`,
    [
      side.ships as never, // an array is a parameter of this type
    ],
  )
  const ofShips = parts.filter(({ record_id }) => side.ships.includes(record_id))
  return withNumbers(
    side,
    [...ofShips, ...rows].map((row) => JSON.stringify(row)),
  ).toSorted()
}

/** The values and the history of every ship that exists. Values of one period have no order in the history. */
async function valuesOf(side: Side): Promise<unknown> {
  const all: { status: number; values: unknown; histories: unknown[][] }[] = []
  for (const id of side.ships) {
    const { status, body } = await side.service.request('GET', `${ships}/${id}`)
    const histories: unknown[][] = []
    for (const slug of status === 200 ? SLUGS : []) {
      const path = `${ships}/${id}/attributes/${slug}/values?show_historic=true`
      histories.push((await side.service.request('GET', path)).body.data)
    }
    all.push({ status, values: body.data?.values, histories })
  }
  return withNumbers(side, all).map(({ histories, ...rest }) => ({
    ...rest,
    histories: histories.map((values) => values.map((value) => JSON.stringify(value)).toSorted()),
  }))
}

test('entries, notes, files, comments and tasks are kept with their own record', async () => {
  const service = await testService()
  try {
    const [comments, files, lists] = [commentClient(service), fileClient(service), listClient(service)]
    const trash = trashClient(service)
    const list = await lists.list()
    await lists.attribute(list, 'note')
    const data = async (path: string) => (await service.request('GET', path)).body.data
    const people: string[] = []
    for (const name of ['Ada', 'Grace']) {
      const id = await trash.create('people', { name })
      people.push(id)
      const note = { parent_object: 'people', parent_record_id: id, title: name, format: 'plaintext', content: name }
      await service.request('POST', '/v2/notes', { data: note })
      await files.file(id, { name, content: name })
      const entry = await lists.entry(list, id, { note: name })
      await lists.update('PUT', list, entry, { note: `changed ${name}` })
      await lists.upsert(list, id, { note: `again ${name}` })
      await comments.comment(onRecord(id), { content: name })
      await comments.comment(onEntry(list, entry), { content: `Entry of ${name}` })
      await lists.remove(list, await lists.entry(list, id))
      await taskClient(service).task({ linked_records: [{ target_object: 'people', target_record_id: id }] })
    }
    const read = () =>
      Promise.all(
        people.flatMap((id) => [
          data(`/v2/notes?parent_object=people&parent_record_id=${id}`),
          data(`/v2/files?object=people&record_id=${id}`),
          data(`/v2/threads?object=people&record_id=${id}`),
          data(`/v2/objects/people/records/${id}/entries`),
          data(`/v2/tasks?linked_object=people&linked_record_id=${id}`),
          data(`/v2/objects/people/records/${id}/activity`),
        ]),
      )
    const before = await read()
    expect(before.map((each) => each.length > 0)).not.toContain(false)
    const operations = people.map((record_id) => ({ op: 'delete', record_id }))
    const { body } = await service.request('POST', '/v2/objects/people/records/batch', { data: { operations } })
    expect(body.data.succeeded).toBe(2)
    expect(await data(`/v2/notes?parent_object=people&parent_record_id=${people[0]}`)).toEqual([])
    for (const id of people) expect((await trash.restore('people', id)).status).toBe(200)
    expect(await read()).toEqual(before)
    // Without a trash for them, nothing of the records is left.
    for (const id of people) await trash.remove('people', id)
    for (const id of people) expect((await trash.purge('people', id)).status).toBe(200)
    const [left] = await service.db.sql`select count(*)::int as count from relata.blobs where references_count > 0`
    expect(left?.count).toBe(0)
  } finally {
    await service.close()
  }
})
