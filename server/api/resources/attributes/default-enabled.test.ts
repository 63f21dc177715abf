/** `is_default_value_enabled`, which is true on every required attribute. See docs/reference/objects-and-attributes.md (Attributes, Default values). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
let object: string
beforeAll(async () => {
  object = await api.object()
})

const fixed = (value: string) => ({ type: 'static', template: [value] })

/** Creates an attribute and returns its slug. */
async function made(members: Record<string, unknown>): Promise<string> {
  const { status, body } = await api.create(object, attributeInput(members))
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.api_slug
}

const enabled = (is_default_value_enabled: boolean, default_value: unknown = null) =>
  expect.objectContaining({ is_default_value_enabled, default_value })

/** Returns the values of an attribute in a record that was created without values. */
async function valueOfNew(of: string, slug: string): Promise<string[]> {
  const values = await api.values(of, await api.record(of, {}))
  return values[slug].map(({ value }: { value: string }) => value)
}

describe('POST …/attributes', () => {
  test.each([
    [{ is_required: true }, true],
    [{ is_required: true, is_default_value_enabled: true }, true],
    [{ is_required: false }, false],
    [{ is_default_value_enabled: false }, false],
    [{ is_default_value_enabled: true }, true],
  ])('200 for %j', async (members, expected) => {
    const slug = await made(members)
    expect((await api.get(object, slug)).body.data).toEqual(enabled(expected))
    await api.remove(object, slug)
  })

  test('400 for a required attribute with is_default_value_enabled: false', async () => {
    const list = await listClient(service).list()
    for (const owner of [`/v2/objects/${object}`, '/v2/objects/people', `/v2/lists/${list}`]) {
      const data = attributeInput({ is_required: true, is_default_value_enabled: false })
      const { status, body } = await service.request('POST', `${owner}/attributes`, { data })
      expect([status, body.code]).toEqual([400, 'validation_type'])
      expect(body.validation_errors).toMatchObject([{ code: 'invalid', path: ['data', 'is_default_value_enabled'] }])
    }
  })

  test.each([[1], ['true'], [null]])('400 for %j', async (is_default_value_enabled) => {
    const { status, body } = await api.create(object, attributeInput({ is_default_value_enabled }))
    expect([status, body.validation_errors[0].path]).toEqual([400, ['data', 'is_default_value_enabled']])
  })

  test('200 with a default value that new records do not get while it is not enabled', async () => {
    const of = await api.object()
    const { body } = await api.create(
      of,
      attributeInput({ default_value: fixed('Usual'), is_default_value_enabled: false }),
    )
    const { api_slug } = body.data
    expect(body.data).toMatchObject({ is_default_value_enabled: false, default_value: { type: 'static' } })
    expect(await valueOfNew(of, api_slug)).toEqual([])
    await api.update(of, api_slug, { is_default_value_enabled: true })
    expect(await valueOfNew(of, api_slug)).toEqual(['Usual'])
    await api.update(of, api_slug, { is_default_value_enabled: false })
    expect(await valueOfNew(of, api_slug)).toEqual([])
    expect((await api.update(of, api_slug, { is_required: true })).body.data.is_default_value_enabled).toBe(true)
    expect(await valueOfNew(of, api_slug)).toEqual(['Usual'])
  })
})

describe('PATCH …/attributes/{attribute}', () => {
  test('200 with true while the attribute is required, and with the earlier value after that', async () => {
    const slug = await made({ is_default_value_enabled: false })
    expect((await api.update(object, slug, { is_required: true })).body.data).toEqual(enabled(true))
    expect((await api.update(object, slug, { is_required: false })).body.data).toEqual(enabled(false))
  })

  test.each([
    [{ is_required: true }, { is_default_value_enabled: false }],
    [{ is_required: false }, { is_required: true, is_default_value_enabled: false }],
    [{ is_required: true }, { title: 'T', default_value: null, is_default_value_enabled: false }],
  ])('400 when it is %j for %j, and nothing changes', async (members, change) => {
    const slug = await made(members)
    const before = (await api.get(object, slug)).body.data
    const { status, body } = await api.update(object, slug, change)
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.validation_errors).toMatchObject([{ code: 'invalid', path: ['data', 'is_default_value_enabled'] }])
    expect((await api.get(object, slug)).body.data).toEqual(before)
    await api.remove(object, slug)
  })

  test('200 for one request that makes it optional and disables its default value', async () => {
    const slug = await made({ is_required: true })
    const change = { is_required: false, is_default_value_enabled: false }
    expect((await api.update(object, slug, change)).body.data).toEqual(enabled(false))
  })

  test('200 for a default value, which enables itself, and for null, which disables it', async () => {
    const slug = await made({})
    expect((await api.update(object, slug, { default_value: fixed('x') })).body.data.is_default_value_enabled).toBe(
      true,
    )
    expect((await api.update(object, slug, { default_value: null })).body.data).toEqual(enabled(false))
  })
})
