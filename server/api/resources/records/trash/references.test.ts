/** References of and to records in the trash. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { reference, targetsOf, trashClient } from '#testing/trash'

const service = useTestService()
const trash = trashClient(service)
beforeAll(async () => {
  await addReference('people', 'mentor', 'people')
  await addReference('companies', 'advisors', 'people', true)
  await addPair({ from: 'people', slug: 'desk_of', to: 'companies', reverse: 'desk' })
})

const company = (id: string) => ({ company: reference('companies', id) })
const deal = (people: readonly string[]) =>
  trash.create('deals', {
    name: 'Deal',
    stage: 'Lead',
    owner: service.member.email_address,
    associated_people: people.map((id) => reference('people', id)),
  })

describe('references of the record', () => {
  test('are active since the time at which they were written, on both sides', async () => {
    const acme = await trash.create('companies', { name: 'Acme' })
    const ada = await trash.create('people', company(acme))
    const before = [await trash.values('people', ada), await trash.values('companies', acme)]
    await trash.remove('people', ada)
    expect((await trash.values('companies', acme)).team).toEqual([])
    await service.events()
    await trash.restore('people', ada)
    expect([await trash.values('people', ada), await trash.values('companies', acme)]).toEqual(before)
    expect(await trash.history('people', ada, 'company')).toHaveLength(1)
    expect(await trash.history('companies', acme, 'team')).toHaveLength(1)
    const events = await service.events()
    expect(events.map(({ event_type, id }) => [event_type, id.record_id])).toEqual([
      ['record.created', ada],
      ['record.updated', acme],
    ])
  })

  test('are dropped where the other record was deleted for good', async () => {
    const [acme, mentor] = [await trash.create('companies', { name: 'Acme' }), await trash.create('people')]
    const ada = await trash.create('people', { ...company(acme), mentor: reference('people', mentor) })
    await trash.remove('people', ada)
    await trash.purge('companies', acme)
    await trash.purge('people', mentor)
    const { status, body } = await trash.restore('people', ada)
    expect([status, body.data.values.company, body.data.values.mentor]).toEqual([200, [], []])
    const [ended] = await trash.history('people', ada, 'mentor')
    expect([ended.target_record_id, ended.active_until === null]).toEqual([mentor, false])
  })

  test('are dropped in a one-to-one when another record has the target meanwhile', async () => {
    const acme = await trash.create('companies')
    const [ada, bob] = [
      await trash.create('people', { desk_of: reference('companies', acme) }),
      await trash.create('people'),
    ]
    await trash.remove('people', ada)
    await trash.update('people', bob, { desk_of: reference('companies', acme) })
    expect((await trash.restore('people', ada)).body.data.values.desk_of).toEqual([])
    expect(targetsOf((await trash.values('companies', acme)).desk)).toEqual([bob])
  })

  test('are dropped in a one-to-one when another record had the target as it was deleted', async () => {
    const acme = await trash.create('companies')
    const desk_of = reference('companies', acme)
    const [ada, bob] = [await trash.create('people', { desk_of }), await trash.create('people')]
    await trash.remove('people', ada)
    await trash.update('people', bob, { desk_of })
    await trash.remove('companies', acme)
    await trash.restore('people', ada)
    await service.events()
    expect(targetsOf((await trash.restore('companies', acme)).body.data.values.desk)).toEqual([bob])
    const values = async (id: string) => targetsOf((await trash.values('people', id)).desk_of)
    expect([await values(ada), await values(bob)]).toEqual([[], [acme]])
    const events = await service.events()
    expect(events.map(({ event_type, id }) => [event_type, id.record_id])).toEqual([
      ['record.created', acme],
      ['record.updated', bob],
    ])
  })
})

describe('references to the record', () => {
  test('are active since the time at which they were written, if nothing replaced them', async () => {
    const acme = await trash.create('companies', { name: 'Acme' })
    const created = await trash.create('people', company(acme))
    const updated = await trash.create('people')
    await trash.update('people', updated, company(acme))
    const before = [await trash.values('people', created), await trash.values('people', updated)]
    const team = (await trash.values('companies', acme)).team
    await trash.remove('companies', acme)
    expect((await trash.values('people', created)).company).toEqual([])
    const { body } = await trash.restore('companies', acme)
    expect([await trash.values('people', created), await trash.values('people', updated)]).toEqual(before)
    expect(body.data.values.team).toEqual(team)
    for (const id of [created, updated]) expect(await trash.history('people', id, 'company')).toHaveLength(1)
  })

  test('are not restored where the value was replaced, and begin anew where it was replaced and removed', async () => {
    const [acme, other] = [await trash.create('companies'), await trash.create('companies')]
    const [replaced, emptied] = [
      await trash.create('people', company(acme)),
      await trash.create('people', company(acme)),
    ]
    await trash.remove('companies', acme)
    for (const id of [replaced, emptied]) await trash.update('people', id, company(other))
    await trash.update('people', emptied, { company: null })
    const restored = (await trash.restore('companies', acme)).body.data
    expect(targetsOf((await trash.values('people', replaced)).company)).toEqual([other])
    const [value] = (await trash.values('people', emptied)).company
    expect(value.target_record_id).toBe(acme)
    const history = await trash.history('people', emptied, 'company')
    expect(targetsOf(history)).toEqual([acme, other, acme])
    expect(history[1].active_until <= history[2].active_from).toBe(true)
    expect(targetsOf(restored.values.team)).toEqual([emptied])
  })

  test('return to their place among several values, also where some were added', async () => {
    const people = [await trash.create('people'), await trash.create('people'), await trash.create('people')]
    const [, middle = ''] = people
    const id = await deal(people)
    const before = (await trash.values('deals', id)).associated_people
    await trash.remove('people', middle)
    await service.events()
    await trash.restore('people', middle)
    expect((await trash.values('deals', id)).associated_people).toEqual(before)
    const events = (await service.events()).map(({ event_type, id: event }) => [event_type, event.record_id])
    expect(events).toEqual([
      ['record.created', middle],
      ['record.updated', id],
    ])
  })

  test('of one side, of entries, and of the record to itself', async () => {
    const lists = listClient(service)
    const ada = await trash.create('people')
    await trash.update('people', ada, { mentor: reference('people', ada) })
    const acme = await trash.create('companies', { advisors: [reference('people', ada)] })
    const list = await lists.list({ parent_object: 'companies' })
    const config = { record_reference: { allowed_objects: ['people'] } }
    await lists.attribute(list, 'contact', { type: 'record-reference', config })
    const data = {
      parent_object: 'companies',
      parent_record_id: acme,
      entry_values: { contact: reference('people', ada) },
    }
    const entry = (await service.request('POST', `/v2/lists/${list}/entries`, { data })).body.data.id.entry_id
    await trash.remove('people', ada)
    expect((await trash.values('companies', acme)).advisors).toEqual([])
    await trash.restore('people', ada)
    expect(targetsOf((await trash.values('companies', acme)).advisors)).toEqual([ada])
    expect(targetsOf((await trash.values('people', ada)).mentor)).toEqual([ada])
    expect(targetsOf((await lists.get(list, entry)).body.data.entry_values.contact)).toEqual([ada])
  })

  test('are left out where the other record was deleted for good', async () => {
    const acme = await trash.create('companies')
    const ada = await trash.create('people', company(acme))
    await trash.remove('companies', acme)
    await trash.purge('people', ada)
    expect((await trash.restore('companies', acme)).body.data.values.team).toEqual([])
  })
})

describe('two records that refer to each other, both in the trash', () => {
  const orders = [
    ['companies', 'people'],
    ['people', 'companies'],
  ] as const
  for (const deleted of orders) {
    for (const restored of orders) {
      test(`deleted ${deleted.join(', then ')}, restored ${restored.join(', then ')}`, async () => {
        const acme = await trash.create('companies', { name: 'Acme' })
        const ada = await trash.create('people', company(acme))
        const mentor = { mentor: reference('people', ada) }
        await trash.update('people', ada, mentor)
        await trash.update('companies', acme, { advisors: [reference('people', ada)] })
        const ids = { companies: acme, people: ada }
        const before = [await trash.values('people', ada), await trash.values('companies', acme)]
        for (const object of deleted) await trash.remove(object, ids[object])
        for (const object of restored) expect((await trash.restore(object, ids[object])).status).toBe(200)
        expect([await trash.values('people', ada), await trash.values('companies', acme)]).toEqual(before)
        expect(await trash.history('people', ada, 'company')).toHaveLength(1)
      })
    }
  }
})

async function addReference(object: string, api_slug: string, target: string, is_multiselect = false): Promise<void> {
  const config = { record_reference: { allowed_objects: [target] } }
  const data = attributeInput({ api_slug, type: 'record-reference', is_multiselect, config })
  const { status, body } = await service.request('POST', `/v2/objects/${object}/attributes`, { data })
  if (status !== 200) throw new Error(body.message)
}

/** Adds a one-to-one relationship. */
async function addPair({ from, slug, to, reverse }: Record<'from' | 'slug' | 'to' | 'reverse', string>): Promise<void> {
  const relationship = { object: to, title: reverse, api_slug: reverse, is_multiselect: false }
  const data = attributeInput({ api_slug: slug, type: 'record-reference', relationship })
  const { status, body } = await service.request('POST', `/v2/objects/${from}/attributes`, { data })
  if (status !== 200) throw new Error(body.message)
}
