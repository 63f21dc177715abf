import { beforeAll, describe, expect, test } from 'bun:test'
import { useTestService } from '#testing/use-service'

const service = useTestService()
/** Sides of each kind of relationship between two custom objects, and within one. */
beforeAll(async () => {
  for (const noun of ['Ship', 'Port']) {
    const slug = `${noun.toLowerCase()}s`
    await service.request('POST', '/v2/objects', {
      data: { api_slug: slug, singular_noun: noun, plural_noun: `${noun}s` },
    })
  }
  await relate('ships', 'home', false, 'ports', 'flagship', false)
  await relate('ships', 'berth', false, 'ports', 'berthed', true)
  await relate('ships', 'agents', true, 'ports', 'agent_of', false)
  await relate('ships', 'calls', true, 'ports', 'called_by', true)
  await relate('ships', 'tows', false, 'ships', 'towed_by', false)
})

const relate = (
  object: string,
  api_slug: string,
  many: boolean,
  other: string,
  otherSlug: string,
  otherMany: boolean,
) =>
  service.request('POST', `/v2/objects/${object}/attributes`, {
    data: {
      title: api_slug,
      description: null,
      api_slug,
      type: 'record-reference',
      is_required: false,
      is_unique: false,
      is_multiselect: many,
      config: { record_reference: { allowed_objects: [other] } },
      relationship: { object: other, title: otherSlug, api_slug: otherSlug, is_multiselect: otherMany },
    },
  })

const create = async (object: string, values: object = {}): Promise<string> =>
  (await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })).body.data.id.record_id
const write = (method: 'PATCH' | 'PUT', object: string, id: string, values: object) =>
  service.request(method, `/v2/objects/${object}/records/${id}`, { data: { values } })
const read = async (
  object: string,
  id: string,
  attribute: string,
): Promise<{ target_record_id: string; created_by_actor: { type: string } }[]> =>
  (await service.request('GET', `/v2/objects/${object}/records/${id}`)).body.data.values[attribute]
const targets = async (object: string, id: string, attribute: string) =>
  (await read(object, id, attribute)).map(({ target_record_id }) => target_record_id)
const actors = async (object: string, id: string, attribute: string) =>
  (await read(object, id, attribute)).map(({ created_by_actor }) => created_by_actor.type)

describe('a relationship', () => {
  test('shows the actor of the write on the written side, and the system on the other', async () => {
    const port = await create('ports')
    const ship = await create('ships', { berth: port })
    expect(await actors('ships', ship, 'berth')).toEqual(['api-token'])
    expect(await actors('ports', port, 'berthed')).toEqual(['system'])
    const other = await create('ships')
    await write('PATCH', 'ports', port, { berthed: [other] })
    expect(await actors('ships', other, 'berth')).toEqual(['system'])
    expect(await actors('ports', port, 'berthed')).toEqual(['api-token', 'system'])
  })
})

describe('one to many', () => {
  test('a value is added in front of the other side, and removed from its earlier record', async () => {
    const [first, second] = [await create('ports'), await create('ports')]
    const [a, b] = [await create('ships', { berth: first }), await create('ships', { berth: first })]
    expect(await targets('ports', first, 'berthed')).toEqual([b, a])
    await write('PATCH', 'ships', a, { berth: second })
    expect(await targets('ports', first, 'berthed')).toEqual([b])
    expect(await targets('ports', second, 'berthed')).toEqual([a])
  })

  test('writing the side with several values moves its members from their earlier records', async () => {
    const [first, second] = [await create('ports'), await create('ports')]
    const [a, b, c] = [await create('ships', { berth: first }), await create('ships'), await create('ships')]
    await write('PUT', 'ports', second, { berthed: [c, a, b] })
    expect(await targets('ports', second, 'berthed')).toEqual([c, a, b])
    expect(await targets('ports', first, 'berthed')).toEqual([])
    await write('PUT', 'ports', second, { berthed: [b, c] })
    expect(await targets('ports', second, 'berthed')).toEqual([b, c])
    expect(await targets('ships', a, 'berth')).toEqual([])
    await write('PATCH', 'ports', second, { berthed: [a, b] })
    expect(await targets('ports', second, 'berthed')).toEqual([a, b, c])
  })

  test('a new record has the values of the request in their order', async () => {
    const ships = [await create('ships'), await create('ships'), await create('ships')]
    const port = await create('ports', { berthed: ships })
    expect(await targets('ports', port, 'berthed')).toEqual(ships)
  })
})

describe('many to one, where the other side stores the reference', () => {
  test('each added record is removed from its earlier record', async () => {
    const port = await create('ports')
    const [first, second] = [await create('ships', { agents: [port] }), await create('ships')]
    await write('PATCH', 'ships', second, { agents: [port] })
    expect(await targets('ships', first, 'agents')).toEqual([])
    expect(await targets('ports', port, 'agent_of')).toEqual([second])
  })
})

describe('one to one', () => {
  test('both earlier partners lose their references', async () => {
    const [p, q] = [await create('ports'), await create('ports')]
    const [a, b] = [await create('ships', { home: p }), await create('ships', { home: q })]
    await write('PATCH', 'ships', a, { home: q })
    expect(await targets('ports', p, 'flagship')).toEqual([])
    expect(await targets('ports', q, 'flagship')).toEqual([a])
    expect(await targets('ships', b, 'home')).toEqual([])
  })

  test('both earlier partners lose their references when the other side is written', async () => {
    const [p, q] = [await create('ports'), await create('ports')]
    const [a, b] = [await create('ships', { home: p }), await create('ships', { home: q })]
    await write('PUT', 'ports', p, { flagship: b })
    expect(await targets('ships', a, 'home')).toEqual([])
    expect(await targets('ships', b, 'home')).toEqual([p])
    expect(await targets('ports', q, 'flagship')).toEqual([])
  })

  test('within one object, and of a record with itself', async () => {
    const [a, b] = [await create('ships'), await create('ships')]
    await write('PATCH', 'ships', a, { tows: b })
    expect(await targets('ships', b, 'towed_by')).toEqual([a])
    await write('PATCH', 'ships', b, { tows: b })
    expect(await targets('ships', b, 'towed_by')).toEqual([b])
    expect(await targets('ships', a, 'tows')).toEqual([])
  })

  test('concurrent writes leave one partner', async () => {
    const port = await create('ports')
    const ships = await Promise.all(Array.from({ length: 6 }, () => create('ships')))
    const answers = await Promise.all(ships.map((ship) => write('PATCH', 'ships', ship, { home: port })))
    expect(answers.map(({ status }) => status)).toEqual(ships.map(() => 200))
    const [winner, ...others] = await targets('ports', port, 'flagship')
    expect(others).toEqual([])
    for (const ship of ships) expect(await targets('ships', ship, 'home')).toEqual(ship === winner ? [port] : [])
  })
})

describe('many to many', () => {
  test('writing either side changes both', async () => {
    const [p, q] = [await create('ports'), await create('ports')]
    const [a, b] = [await create('ships', { calls: [p, q] }), await create('ships')]
    await write('PATCH', 'ports', p, { called_by: [b] })
    expect(await targets('ports', p, 'called_by')).toEqual([b, a])
    expect(await targets('ships', b, 'calls')).toEqual([p])
    await write('PUT', 'ports', p, { called_by: [b] })
    expect(await targets('ships', a, 'calls')).toEqual([q])
  })

  test('both sides have a history', async () => {
    const port = await create('ports')
    const ship = await create('ships', { calls: [port] })
    await write('PUT', 'ships', ship, { calls: [] })
    const { body } = await service.request(
      'GET',
      `/v2/objects/ports/records/${port}/attributes/called_by/values?show_historic=true`,
    )
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({ target_record_id: ship, created_by_actor: { type: 'system' } })
  })
})
