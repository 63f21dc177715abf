/**
 * The forms of values in a body, and the order in which a write is checked.
 * See docs/reference/values.md (Writing values, The order of checks).
 */

import { describe, expect, test } from 'bun:test'
import { EVERY_ATTRIBUTE, makeAttribute, makeObject } from '../../support/fixtures/model'
import { createRecord, expectRefusal, pathsIn, recordIdOf } from '../../support/fixtures/value-cases'
import { service } from './service'

const EXAMPLES: Readonly<Record<string, unknown>> = {
  text: 'x',
  number: 1,
  checkbox: true,
  currency: 1,
  date: '2023-01-01',
  timestamp: '2023-01-01T00:00:00Z',
  rating: 1,
  location: 'London, UK',
  status: 'Doing',
  select: 'Low',
  selects: 'Red',
  domain: 'a.com',
  domains: 'b.com',
  email: 'a@a.com',
  emails: 'b@a.com',
  phone: '+12125551234',
  phones: '+12125551235',
  members: 'admin@relata.local',
  references: { target_object: 'people', email_addresses: ['ada@relata.dev'] },
}

const examples = EVERY_ATTRIBUTE.filter(({ api_slug }) => api_slug in EXAMPLES)
const singles = examples.filter((attribute) => !attribute.is_multiselect).map(({ api_slug }) => api_slug)
const multiples = examples.filter((attribute) => attribute.is_multiselect).map(({ api_slug }) => api_slug)

const everything = (values: unknown) => createRecord(service().request, 'everything', values)

/** Creates a record with the values `before` and writes `values` to it. */
async function write(method: 'PATCH' | 'PUT', before: unknown, values: unknown) {
  const id = recordIdOf(await everything(before))
  return service().request(method, `/v2/objects/everything/records/${id}`, { data: { values } })
}

describe('a single-select attribute', () => {
  test.each(singles)('%s: 200 for a value without and within an array, 400 for two values', async (slug) => {
    for (const send of [EXAMPLES[slug], [EXAMPLES[slug]]]) {
      expect((await everything({ [slug]: send })).body.data?.values[slug]).toHaveLength(1)
    }
    const refused = await everything({ [slug]: [EXAMPLES[slug], EXAMPLES[slug]] })
    expectRefusal(refused, 400, 'validation_type', ['Body payload validation error.'])
    expect(pathsIn(refused)).toContainEqual(['data', 'values', slug])
  })

  const cannotBeNull = new Set(['checkbox', 'currency'])
  test.each(singles.flatMap((slug) => (['PATCH', 'PUT'] as const).map((method) => [method, slug] as const)))(
    '%s %s: [] clears the attribute, and so does null except for checkbox and currency; an absent attribute stays',
    async (method, slug) => {
      const before = { [slug]: EXAMPLES[slug] }
      expect((await write(method, before, { [slug]: [] })).body.data.values[slug]).toEqual([])
      const absent = slug === 'text' ? { number: 1 } : { text: 'other' }
      expect((await write(method, before, absent)).body.data.values[slug]).toHaveLength(1)
      const answer = await write(method, before, { [slug]: null })
      if (cannotBeNull.has(slug)) expectRefusal(answer, 400, 'validation_type')
      else expect(answer.body.data?.values[slug]).toEqual([])
      expectRefusal(await write(method, before, { [slug]: [null] }), 400, 'validation_type')
    },
  )
})

describe('a multiselect attribute', () => {
  test.each(multiples)('%s: 200 for values in an array, 400 for a value without one', async (slug) => {
    const created = await everything({ [slug]: [EXAMPLES[slug]] })
    expect(created.body.data.values[slug]).toHaveLength(1)
    const refused = await everything({ [slug]: EXAMPLES[slug] })
    expectRefusal(refused, 400, 'validation_type')
    expect(pathsIn(refused)).toContainEqual(['data', 'values', slug])
    await service().request('DELETE', `/v2/objects/everything/records/${recordIdOf(created)}`)
  })

  test.each(multiples)(
    '%s: PUT clears it for [] and null; PATCH changes nothing for [] and refuses null',
    async (slug) => {
      const before = { [slug]: [EXAMPLES[slug]] }
      const cases = [
        { method: 'PUT', send: [], length: 0 },
        { method: 'PUT', send: null, length: 0 },
        { method: 'PATCH', send: [], length: 1 },
        { method: 'PATCH', send: null, length: undefined },
      ] as const
      for (const { method, send, length } of cases) {
        const id = recordIdOf(await everything(before))
        const path = `/v2/objects/everything/records/${id}`
        const answer = await service().request(method, path, { data: { values: { [slug]: send } } })
        if (length === undefined) expectRefusal(answer, 400, 'validation_type')
        else expect(answer.body.data?.values[slug]).toHaveLength(length)
        await service().request('DELETE', path)
      }
    },
  )

  test('400 for more than 1000 values', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => `d${index}.com`)
    const refused = await everything({ domains: many })
    expectRefusal(refused, 400, 'validation_type')
    expect(pathsIn(refused)).toContainEqual(['data', 'values', 'domains'])
    expect((await everything({ domains: many.slice(1) })).body.data.values.domains).toHaveLength(1000)
  })
})

describe('the keys of values', () => {
  test('200 for slugs and ids, 400 for both of one attribute', async () => {
    const { request } = service()
    const { body } = await request('GET', '/v2/objects/everything/attributes/text')
    const id = body.data.id.attribute_id
    const created = await everything({ [id]: 'by id', number: 1 })
    expect(created.body.data.values).toMatchObject({ text: [{ value: 'by id' }], number: [{ value: 1 }] })
    expect(created.body.data.values[id]).toBeUndefined()
    expectRefusal(await everything({ [id]: 'x', text: 'y' }), 400, 'validation_type')
  })

  test.each(['nothing', '__proto__x', 'constructor', 'toString', '01890a5d-ac96-774b-bcce-b302099a8057', ''])(
    '400 for %j, which is no attribute',
    async (key) => {
      const words = ['Cannot find attribute with slug/ID', `"${key}"`]
      expectRefusal(await everything({ [key]: 'x' }), 400, 'value_not_found', words)
    },
  )

  test('400 for __proto__', async () => {
    const body = '{"data":{"values":{"__proto__":"x"}}}'
    const answer = await service().request('POST', '/v2/objects/everything/records', body)
    expectRefusal(answer, 400, 'value_not_found', ['"__proto__"'])
  })

  test.each(['record_id', 'created_at', 'created_by', 'updated_at'])('400 for read-only %s', async (slug) => {
    expectRefusal(await everything({ [slug]: 'x' }), 400, 'immutable_value', [slug])
  })
})

describe('the order of checks', () => {
  /** Each body fails at this step and at all later ones. */
  const LATER = { emails: ['taken@relata.dev'], member: 'nobody@relata.dev', number: 'x' }
  const STEPS = [
    {
      step: 'target',
      object: 'nothing',
      values: { nothing: 1, record_id: 'x', ...LATER },
      status: 404,
      code: 'not_found',
    },
    { step: 'known keys', values: { record_id: 'x', ...LATER, nothing: 1 }, status: 400, code: 'value_not_found' },
    { step: 'writable', values: { ...LATER, record_id: 'x' }, status: 400, code: 'immutable_value' },
    { step: 'shape', values: LATER, status: 400, code: 'validation_type' },
    { step: 'resolution', values: { ...LATER, number: 1 }, status: 400, code: 'value_not_found' },
    { step: 'required', values: { ...LATER, number: 1, member: [] }, status: 400, code: 'missing_value' },
    {
      step: 'uniqueness',
      values: { ...LATER, number: 1, member: [], must: 'x' },
      status: 400,
      code: 'uniqueness_conflict',
    },
  ] as const

  test.each(STEPS)('$step: $code', async (step) => {
    const { request } = service()
    await prepare()
    expectRefusal(
      await createRecord(request, 'object' in step ? step.object : 'ordered', step.values),
      step.status,
      step.code,
    )
  })

  let prepared: Promise<void> | undefined
  const prepare = () =>
    (prepared ??= (async () => {
      const { request } = service()
      const wanted = new Set(['emails', 'member', 'number'])
      await makeObject(
        request,
        'ordered',
        EVERY_ATTRIBUTE.filter(({ api_slug }) => wanted.has(api_slug)),
      )
      await makeAttribute(request, 'ordered', { api_slug: 'must', type: 'text', is_required: true })
      recordIdOf(await createRecord(request, 'ordered', { must: 'be', emails: ['taken@relata.dev'] }))
    })())

  test('400 for the form of the body comes before 404 for an unknown record', async () => {
    const path = '/v2/objects/everything/records/01890a5d-ac96-774b-bcce-b302099a8057'
    expectRefusal(await service().request('PATCH', path, { data: {} }), 400, 'validation_type', ['Required'])
    expectRefusal(await service().request('PATCH', path, { data: { values: { nothing: 1 } } }), 404, 'not_found')
  })

  test('400 for one of many values, and none is stored', async () => {
    const { request } = service()
    const id = recordIdOf(await everything({ text: 'before', selects: ['Red'] }))
    const path = `/v2/objects/everything/records/${id}`
    const before = (await request('GET', path)).body
    const refused = await request('PUT', path, {
      data: { values: { text: 'after', selects: ['Blue'], status: 'None' } },
    })
    expectRefusal(refused, 400, 'value_not_found')
    expect((await request('GET', path)).body).toEqual(before)
  })
})
