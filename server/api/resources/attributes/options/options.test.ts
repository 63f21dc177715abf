import { beforeAll, describe, expect, test } from 'bun:test'
import { titleOf } from '#testing/answer-shapes'
import { attributeClient, attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
let object: string
beforeAll(async () => {
  object = await api.object()
})

const KINDS = [
  { type: 'select', segment: 'options', idMember: 'option_id', noun: 'select option' },
  { type: 'status', segment: 'statuses', idMember: 'status_id', noun: 'status option' },
] as const

/** Creates an attribute of a type. Returns functions that send requests to paths below it. */
async function options({ type, segment }: Pick<(typeof KINDS)[number], 'type' | 'segment'>) {
  const { body } = await api.create(object, attributeInput({ type }))
  const { api_slug } = body.data
  const path = `/v2/objects/${object}/attributes/${api_slug}/${segment}`
  return {
    api_slug,
    id: body.data.id,
    create: (data: unknown) => service.request('POST', path, { data }),
    update: (name: string, data: unknown) => service.request('PATCH', `${path}/${encodeURIComponent(name)}`, { data }),
    titles: async (query = '') => (await service.request('GET', path + query)).body.data.map(titleOf),
  }
}

describe.each(KINDS)('the $segment of a $type attribute', (kind) => {
  const { segment, idMember, noun } = kind

  test('200 for new options, in order of creation, with trimmed titles', async () => {
    const { create, titles, id } = await options(kind)
    const { status, body } = await create({ title: '  One ' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ title: 'One', is_archived: false, id: { ...id, [idMember]: expect.any(String) } })
    await create({ title: 'Zwei & 2/3 🎉' })
    await create({ title: 'A' })
    expect(await titles()).toEqual(['One', 'Zwei & 2/3 🎉', 'A'])
    expect(await titles('?limit=1&offset=1')).toEqual(['Zwei & 2/3 🎉'])
  })

  test('200 for changes by id and by title in the URL', async () => {
    const { create, update, titles } = await options(kind)
    const { body } = await create({ title: 'Zwei & 2/3 🎉' })
    const renamed = await update('Zwei & 2/3 🎉', { title: ' Zwo ' })
    expect(renamed.body.data).toEqual({ ...body.data, title: 'Zwo' })
    expect((await update(body.data.id[idMember], { title: 'ZWO' })).body.data.title).toBe('ZWO')
    expect(await titles()).toEqual(['ZWO'])
  })

  test('200 for archiving: the option is not listed, stays readable in values, and cannot be written', async () => {
    const { create, update, titles, api_slug } = await options(kind)
    await create({ title: 'Kept' })
    await create({ title: 'Old' })
    const id = await api.record(object, { [api_slug]: 'Old' })
    expect((await update('Old', { is_archived: true })).body.data.is_archived).toBe(true)
    expect(await titles()).toEqual(['Kept'])
    expect(await titles('?show_archived=true')).toEqual(['Kept', 'Old'])
    const [value] = (await api.values(object, id))[api_slug]
    expect(value[kind.type === 'select' ? 'option' : 'status']).toMatchObject({ title: 'Old', is_archived: true })
    const data = { values: { [api_slug]: 'Old' } }
    const refused = await service.request('POST', `/v2/objects/${object}/records`, { data })
    expect([refused.status, refused.body.code, refused.body.valid_options]).toEqual([400, 'value_not_found', ['Kept']])
    await update('Old', { is_archived: false })
    expect(await titles()).toEqual(['Kept', 'Old'])
  })

  test('409 for the title of another option, in any case and also archived; 200 for its own title', async () => {
    const { create, update } = await options(kind)
    await create({ title: 'Straße' })
    await create({ title: 'Other' })
    await update('Straße', { is_archived: true })
    const taken = await create({ title: ' STRAßE ' })
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_conflict'])
    expect(taken.body.message).toContain(
      `There is already another ${kind.type === 'select' ? noun : 'status'} with the title`,
    )
    expect((await update('Other', { title: 'straße' })).status).toBe(409)
    expect((await update('Other', { title: 'other' })).status).toBe(200)
  })

  test('200 for exactly one of several concurrent requests with one title', async () => {
    const { create } = await options(kind)
    const answers = await Promise.all(Array.from({ length: 4 }, () => create({ title: 'Same' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  test.each([[''], ['   '], ['x'.repeat(256)], [7], [null], [undefined]])('400 for the title %p', async (title) => {
    const { create, update } = await options(kind)
    await create({ title: 'There' })
    const { status, body } = await create({ title })
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.validation_errors[0].path).toEqual(['data', 'title'])
    if (title !== undefined) expect((await update('There', { title })).status).toBe(400)
  })

  test('200 for a title of 255 characters', async () => {
    const { create } = await options(kind)
    expect((await create({ title: 'x'.repeat(255) })).status).toBe(200)
  })

  test('200 for a color, which values show, too; 400 for other colors', async () => {
    const { create, update, api_slug } = await options(kind)
    const { body: plain } = await create({ title: 'Plain' })
    expect(plain.data).not.toHaveProperty('color')
    const { body } = await create({ title: 'Grape', color: 'purple' })
    expect(body.data.color).toBe('purple')
    const id = await api.record(object, { [api_slug]: 'Grape' })
    const [value] = (await api.values(object, id))[api_slug]
    expect((value.option ?? value.status).color).toBe('purple')
    expect((await update('Grape', { color: 'pink' })).body.data.color).toBe('pink')
    expect((await update('Grape', { color: null })).body.data).not.toHaveProperty('color')
    for (const color of ['#ff0000', '', 1, ['pink']]) {
      expect((await create({ title: 'Other', color })).status).toBe(400)
      expect((await update('Grape', { color })).status).toBe(400)
    }
  })

  test('400 for changes of an option that does not exist, and for empty payloads', async () => {
    const { create, update } = await options(kind)
    await create({ title: 'There' })
    const unknown = await update('Nowhere', { title: 'x' })
    expect([unknown.status, unknown.body.code]).toEqual([400, 'value_not_found'])
    expect(unknown.body.message).toContain(`${noun} title "Nowhere"`)
    expect(unknown.body.valid_options).toEqual(['There'])
    for (const data of [{}, { unknown: 1 }])
      expect((await update('There', data)).body.message).toContain('empty payload')
  })

  test('400 for writing and 404 for reading options of another type', async () => {
    const other = attributeInput({ type: 'text' })
    await api.create(object, other)
    const path = `/v2/objects/${object}/attributes/${other.api_slug}/${segment}`
    const write = await service.request('POST', path, { data: { title: 'x' } })
    expect([write.status, write.body.code]).toEqual([400, 'validation_type'])
    expect(write.body.message).toContain(`not a ${kind.type} attribute`)
    expect((await service.request('GET', path)).body).toMatchObject({ status_code: 404, code: 'not_found' })
  })
})

describe('the options of a status attribute', () => {
  test('200 with an empty list, of objects and of lists', async () => {
    const list = await listClient(service).list()
    for (const owner of [`/v2/objects/${object}`, `/v2/lists/${list}`]) {
      const { body } = await service.request('POST', `${owner}/attributes`, {
        data: attributeInput({ type: 'status' }),
      })
      const path = `${owner}/attributes/${body.data.api_slug}`
      await service.request('POST', `${path}/statuses`, { data: { title: 'There' } })
      const { status, body: listed } = await service.request('GET', `${path}/options`)
      expect([status, listed]).toEqual([200, { data: [] }])
    }
  })

  test('400 for writing them, 404 for the statuses of a select attribute', async () => {
    const stage = '/v2/objects/deals/attributes/stage'
    const written = await service.request('POST', `${stage}/options`, { data: { title: 'x' } })
    expect([written.status, written.body.code]).toEqual([400, 'validation_type'])
    expect(written.body.message).toContain('not a select attribute')
    const statuses = await service.request('GET', '/v2/objects/companies/attributes/categories/statuses')
    expect([statuses.status, statuses.body.code]).toEqual([404, 'not_found'])
  })
})

describe('statuses', () => {
  test('200 with celebration and target time', async () => {
    const { create, update } = await options({ type: 'status', segment: 'statuses' })
    const plain = await create({ title: 'Plain' })
    expect(plain.body.data).toMatchObject({ celebration_enabled: false, target_time_in_status: null })
    const { body } = await create({ title: 'Won', celebration_enabled: true, target_time_in_status: 'P2DT0.5H' })
    expect(body.data).toMatchObject({ celebration_enabled: true, target_time_in_status: 'P2DT0.5H' })
    const { body: changed } = await update('Won', { celebration_enabled: false, target_time_in_status: null })
    expect(changed.data).toMatchObject({ title: 'Won', celebration_enabled: false, target_time_in_status: null })
  })

  test.each(['P', 'PT', '-P1D', '+P1D', 'P1H', '1 day', 'P1DT', 'XP1D'])('400 for the target time %s', async (time) => {
    const { create, update } = await options({ type: 'status', segment: 'statuses' })
    const { status, body } = await create({ title: 'Slow', target_time_in_status: time })
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.validation_errors[0].path).toEqual(['data', 'target_time_in_status'])
    await create({ title: 'Slow' })
    expect((await update('Slow', { target_time_in_status: time })).status).toBe(400)
  })

  test('200 for select options, which ignore both members', async () => {
    const { create, update } = await options({ type: 'select', segment: 'options' })
    const { body } = await create({ title: 'Won', celebration_enabled: true })
    expect(body.data).not.toHaveProperty('celebration_enabled')
    expect((await update('Won', { celebration_enabled: true })).body.message).toContain('empty payload')
  })
})

describe('options of system attributes', () => {
  test('200 for writable ones', async () => {
    const stage = '/v2/objects/deals/attributes/stage/statuses'
    expect((await service.request('POST', stage, { data: { title: 'Negotiation' } })).status).toBe(200)
    expect((await service.request('PATCH', `${stage}/Lost`, { data: { is_archived: true } })).status).toBe(200)
    const categories = '/v2/objects/companies/attributes/categories/options'
    expect((await service.request('POST', categories, { data: { title: 'Zoology' } })).status).toBe(200)
  })

  test('400 for those that the service fills', async () => {
    const path = '/v2/objects/people/attributes/strongest_connection_strength/options'
    for (const [method, where] of [
      ['POST', path],
      ['PATCH', `${path}/Weak`],
    ] as const) {
      const { status, body } = await service.request(method, where, { data: { title: 'Weaker' } })
      expect([status, body.code]).toEqual([400, 'system_edit_unauthorized'])
    }
  })
})
