/** The preview of a formula, and computed attributes of lists and activities. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
const lists = listClient(service)

let object = ''

beforeAll(async () => {
  object = await api.object()
  for (const [api_slug, type] of [
    ['count', 'number'],
    ['title', 'text'],
  ] as const)
    await api.create(object, attributeInput({ api_slug, type }))
})

const preview = (path: string, data: unknown, key?: string) =>
  service.request('POST', `/v2/${path}/attributes/preview`, { data }, key === undefined ? {} : { key })

describe('POST …/attributes/preview', () => {
  test('200 with the types and the values of the ten newest records', async () => {
    const before = await preview(`objects/${object}`, { formula: '10 / count' })
    expect(before.body.data).toEqual({
      types: ['number', 'currency', 'rating'],
      is_multiselect: false,
      is_stored: true,
      sample: [],
    })
    const ids: string[] = []
    for (const count of [100, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]) ids.push(await api.record(object, { count }))
    const { status, body } = await preview(`objects/${object}`, { formula: '10 / count' })
    expect(status).toBe(200)
    expect(body.data.sample.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1).toReversed())
    const values = body.data.sample.map(({ value }: { value: unknown }) => value)
    expect([values[0], values[1], values.at(-1)]).toEqual([null, 10 / 9, 10])
    const rated = await preview(`objects/${object}`, { formula: '10 / count', type: 'rating' })
    expect(rated.body.data.sample.at(-1).value).toBeNull()
    expect((await api.get(object, 'preview')).status).toBe(404)
  })

  test('400 with the position for a formula that is refused, and for a type that does not fit', async () => {
    const refused = await preview(`objects/${object}`, { formula: 'coun + 1' })
    expect(refused.body.validation_errors).toEqual([
      {
        code: 'invalid',
        path: ['data', 'formula'],
        message: 'column "coun" does not exist. Perhaps you meant "count".',
        position: 1,
      },
    ])
    const wrong = await preview(`objects/${object}`, { formula: 'title', type: 'number' })
    expect([wrong.status, wrong.body.validation_errors[0].path]).toEqual([400, ['data', 'type']])
    expect((await preview('objects/nothing', { formula: '1' })).status).toBe(404)
    expect((await preview(`objects/${object}`, {})).status).toBe(400)
  })

  test('400 for a formula that takes too long for one of the records, also when it is saved', async () => {
    const slow = await api.object()
    await api.create(slow, attributeInput({ api_slug: 'title', type: 'text' }))
    await api.record(slow, { title: 'x'.repeat(500_000) })
    const formula = "length(regexp_replace(repeat(title, 20), '(x|y|z|x)', 'ab', 'g'))"
    const message = 'The formula takes longer than 250 ms for a record.'
    const { status, body } = await preview(`objects/${slow}`, { formula })
    expect([status, body.validation_errors?.[0].message]).toEqual([400, message])
    const saved = await api.create(slow, attributeInput({ type: 'number', computed: { formula } }))
    expect([saved.status, saved.body.validation_errors?.[0].message]).toEqual([400, message])
  })

  test('403 without the scope of records', async () => {
    const key = await service.keyWith(['object_configuration:read-write'])
    expect((await preview(`objects/${object}`, { formula: '1' }, key)).status).toBe(403)
  })
})

describe('computed attributes of lists and activities', () => {
  test('entries', async () => {
    const list = await lists.listWith({ amount: { type: 'currency' }, chance: { type: 'number' } })
    const computed = { formula: 'amount * chance / 100' }
    await lists.attribute(list, 'weighted', { type: 'currency', computed })
    const { body } = await lists.create(list, await lists.record(), { amount: 200, chance: 25 })
    expect(body.data.entry_values.weighted[0].currency_value).toBe(50)
    const { status, body: sampled } = await preview(`lists/${list}`, { formula: 'weighted * 2' })
    expect([status, sampled.data.sample[0].value]).toEqual([200, 100])
    const query = await service.request('POST', '/v2/sql', { sql: `select weighted from lists.${list}` })
    expect(query.body.data.rows).toEqual([{ weighted: 50 }])
  })

  test('records of activities', async () => {
    const path = '/v2/activities/phone_calls'
    const data = attributeInput({
      api_slug: 'is_outbound',
      type: 'checkbox',
      computed: { formula: "direction = 'Outbound'" },
    })
    expect((await service.request('POST', `${path}/attributes`, { data })).status).toBe(200)
    const values = { direction: 'Outbound', timestamp: '2026-03-01T10:00:00Z' }
    const { body } = await service.request('POST', `${path}/records`, { data: { values } })
    expect(body.data.values.is_outbound[0].value).toBe(true)
    const { status, body: sampled } = await preview('activities/phone_calls', { formula: 'not is_outbound' })
    expect([status, sampled.data.sample[0].value]).toEqual([200, false])
  })

  test('interactions, names and options of people', async () => {
    const formula =
      "coalesce(name.last_name, '') || coalesce(last_interaction.interaction_type, '-') || cardinality(email_addresses)"
    await api.create('people', attributeInput({ api_slug: 'summary', computed: { formula } }))
    const id = await api.record('people', { name: 'Lovelace, Ada', email_addresses: ['a@b.com', 'c@b.com'] })
    expect((await api.values('people', id)).summary[0].value).toBe('Lovelace-2')
    for (const [text, message] of [
      [
        'last_interaction is null',
        'Name a field of "last_interaction". Its fields are interaction_type, interacted_at.',
      ],
      [
        'last_interaction.owner_actor_id',
        'field "owner_actor_id" of column "last_interaction" does not exist. Its fields are interaction_type, interacted_at.',
      ],
      [
        'name.lastname',
        'field "lastname" of column "name" does not exist. Its fields are first_name, last_name, full_name.',
      ],
      ['company', 'A formula cannot name "company", which is an attribute of type record-reference.'],
    ]) {
      const { body } = await preview('objects/people', { formula: text })
      expect(body.validation_errors[0].message).toBe(message)
    }
  })
})
