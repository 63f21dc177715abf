import { describe, expect, test } from 'bun:test'
import type { ShownValue } from '#testing/answer-shapes'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)

const dynamic = (template: string) => ({ type: 'dynamic', template })
const fixed = (...template: unknown[]) => ({ type: 'static', template })

const create = (type: string, default_value: unknown, members: Record<string, unknown> = {}) =>
  api.create('workspaces', attributeInput({ type, default_value, ...members }))

describe('dynamic default values', () => {
  test.each([
    ['actor-reference', 'current-user'],
    ['date', 'P1M'],
    ['date', 'P1Y2M3W4DT5H6M7.5S'],
    ['timestamp', 'PT0S'],
    ['timestamp', 'PT1,5H'],
  ])('200 for %s with %s', async (type, template) => {
    const { status, body } = await create(type, dynamic(template))
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ is_default_value_enabled: true, default_value: dynamic(template) })
  })

  test.each([
    ['actor-reference', 'P1M'],
    ['text', 'current-user'],
    ['number', 'PT0S'],
    ['date', 'current-user'],
    ['date', 'P'],
    ['date', 'PT'],
    ['date', '-P1D'],
    ['date', 'P1H'],
    ['date', '1 month'],
    ['date', 'P9000Y'],
    ['timestamp', 'PT1.5H30M'],
    ['timestamp', `P${'9'.repeat(400)}Y`],
  ])('400 for %s with %s', async (type, template) => {
    const { status, body } = await create(type, dynamic(template))
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.validation_errors[0].path).toEqual(['data', 'default_value', 'template'])
  })
})

describe('static default values', () => {
  test.each([
    ['text', 'hello', { value: 'hello' }],
    ['number', 1.5, { value: 1.5 }],
    ['checkbox', 'true', { value: true }],
    ['currency', '12.5', { currency_value: 12.5, currency_code: 'USD' }],
    ['date', '2024', { value: '2024-01-01' }],
    ['timestamp', '2024-01-02T03:04Z', { value: '2024-01-02T03:04:00.000000000Z' }],
    ['rating', { value: 3 }, { value: 3 }],
    ['domain', 'APP.Example.com', { domain: 'app.example.com', root_domain: 'example.com' }],
  ])('200 for %s, stored as an output value', async (type, value, output) => {
    const { status, body } = await create(type, fixed(value))
    expect(status).toBe(200)
    expect(body.data.default_value).toEqual(fixed({ ...output, attribute_type: type }))
    expect(body.data.is_default_value_enabled).toBe(true)
  })

  test('200 for a member by email address, a record by id and by matching value', async () => {
    const actor = await create('actor-reference', fixed(service.member.email_address))
    expect(actor.body.data.default_value.template[0].referenced_actor_id).toBe(service.member.id)
    const id = await api.record('people', { email_addresses: ['ada@example.com'] })
    const output = { target_object: 'people', target_record_id: id, attribute_type: 'record-reference' }
    const config = { record_reference: { allowed_objects: ['people'] } }
    for (const value of ['ada@example.com', { target_object: 'people', target_record_id: id }]) {
      const { body } = await create('record-reference', fixed(value), { config })
      expect(body.data.default_value.template).toEqual([output])
    }
  })

  test('200 for several values of a multiselect', async () => {
    const { body } = await create('domain', fixed('a.com', { domain: 'b.com' }), { is_multiselect: true })
    expect(body.data.default_value.template.map(({ domain }: ShownValue) => domain)).toEqual(['a.com', 'b.com'])
  })

  test('200 without default for null, an empty template and no values', async () => {
    for (const value of [null, fixed(), fixed('')]) {
      const { body } = await create('text', value)
      expect(body.data).toMatchObject({ default_value: null, is_default_value_enabled: false })
    }
  })

  test.each([
    ['number', ['x'], 'validation_type'],
    ['text', ['a', 'b'], 'validation_type'],
    ['date', ['2023-02-30'], 'validation_type'],
    ['actor-reference', ['nobody@example.com'], 'value_not_found'],
    ['select', ['No such option'], 'value_not_found'],
    ['record-reference', [{ target_object: 'nowhere', target_record_id: Bun.randomUUIDv7() }], 'validation_type'],
    ['record-reference', [{ target_object: 'people', target_record_id: Bun.randomUUIDv7() }], 'value_not_found'],
  ])('400 for %s with %j', async (type, template, code) => {
    const { status, body } = await create(type, fixed(...template))
    expect([status, body.code]).toEqual([400, code])
  })

  test('400 for a default value that is neither static nor dynamic', async () => {
    for (const value of [{ type: 'static' }, { type: 'dynamic' }, { type: 'other', template: [] }, 'x', 7]) {
      expect((await create('text', value)).body.code).toBe('validation_type')
    }
  })
})

describe('PATCH default_value', () => {
  test('200 for options by title, which are shown by id; null disables the default value', async () => {
    const input = attributeInput({ type: 'select' })
    await api.create('deals', input)
    const path = `/v2/objects/deals/attributes/${input.api_slug}`
    const option = await service.request('POST', `${path}/options`, { data: { title: 'Small' } })
    const set = await api.update('deals', input.api_slug, { default_value: fixed('Small') })
    const output = { option: option.body.data.id.option_id, attribute_type: 'select' }
    expect(set.body.data).toMatchObject({ default_value: fixed(output), is_default_value_enabled: true })
    const kept = await api.update('deals', input.api_slug, { title: 'Size' })
    expect(kept.body.data.default_value).toEqual(fixed(output))
    const off = await api.update('deals', input.api_slug, { default_value: null })
    expect(off.body.data).toMatchObject({ default_value: null, is_default_value_enabled: false })
  })

  test('400 on people', async () => {
    const input = attributeInput({ type: 'number' })
    await api.create('people', input)
    expect((await api.update('people', input.api_slug, { default_value: fixed(1) })).status).toBe(400)
    expect((await api.update('people', input.api_slug, { default_value: null })).status).toBe(200)
  })

  test('200 for a default value written back as it was read, and new records have it', async () => {
    const object = await api.object()
    const input = attributeInput({ type: 'currency', default_value: fixed(7) })
    const { body } = await api.create(object, input)
    const again = await api.update(object, input.api_slug, { default_value: body.data.default_value })
    expect(again.body.data.default_value).toEqual(body.data.default_value)
    const values = await api.values(object, await api.record(object, {}))
    expect(values[input.api_slug][0].currency_value).toBe(7)
  })
})
