import { describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)

const related = (object: string, api_slug: string, members: Record<string, unknown> = {}) => {
  const { other_is_multiselect = false, ...rest } = members
  const relationship = { object, title: 'Other side', api_slug, is_multiselect: other_is_multiselect }
  return attributeInput({ type: 'record-reference', relationship, ...rest })
}

const idOf = async (object: string) => (await service.request('GET', `/v2/objects/${object}`)).body.data.id.object_id

describe('POST …/attributes with a relationship', () => {
  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])(
    '200 with both sides, multiselect %p on this side and %p on the other',
    async (is_multiselect, other_is_multiselect) => {
      const [one, two] = [await api.object(), await api.object()]
      const input = related(two, 'back', { is_multiselect, other_is_multiselect, is_required: true })
      const { status, body } = await api.create(one, input)
      expect(status).toBe(200)
      const other = (await api.get(two, 'back')).body.data
      expect(body.data.relationship).toEqual({
        id: other.id,
        object_slug: two,
        title: 'Other side',
        api_slug: 'back',
        is_multiselect: other_is_multiselect,
      })
      expect(other).toMatchObject({
        type: 'record-reference',
        description: null,
        is_required: false,
        is_multiselect: other_is_multiselect,
        relationship: {
          id: body.data.id,
          object_slug: one,
          title: input.title,
          api_slug: input.api_slug,
          is_multiselect,
        },
        created_at: body.data.created_at,
      })
      expect(body.data.config.record_reference.allowed_object_ids).toEqual([await idOf(two)])
      expect(other.config.record_reference.allowed_object_ids).toEqual([await idOf(one)])
    },
  )

  test.each([
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ])(
    'values written on one side are read on the other, multiselect %p on this side and %p on the other',
    async (here, there) => {
      const [one, two] = [await api.object(), await api.object()]
      const { api_slug } = related(two, 'back')
      await api.create(one, {
        ...related(two, 'back', { is_multiselect: here, other_is_multiselect: there }),
        api_slug,
      })
      const target = await api.record(two, {})
      const source = await api.record(one, { [api_slug]: [{ target_object: two, target_record_id: target }] })
      expect((await api.values(two, target)).back[0]).toMatchObject({ target_object: one, target_record_id: source })
      expect((await api.values(one, source))[api_slug][0].target_record_id).toBe(target)
    },
  )

  test('200 for a relationship of an object with itself, with two slugs', async () => {
    const object = await api.object()
    const { status, body } = await api.create(
      object,
      related(object, 'children', { api_slug: 'parent', other_is_multiselect: true }),
    )
    expect(status).toBe(200)
    expect(body.data.relationship).toMatchObject({ object_slug: object, api_slug: 'children', is_multiselect: true })
    expect((await api.create(object, related(object, 'twin', { api_slug: 'twin' }))).status).toBe(409)
  })

  test('200 for a relationship with people, also with exactly that object in allowed_objects', async () => {
    const object = await api.object()
    const config = { record_reference: { allowed_objects: ['person'] } }
    expect((await api.create(object, related('people', `back_${object}`, { config }))).status).toBe(200)
  })

  test('400 or 409 for an invalid relationship, and no attribute is created', async () => {
    const object = await api.object()
    const config = (allowed: string[]) => ({ config: { record_reference: { allowed_objects: allowed } } })
    const cases: [Record<string, unknown>, number, string][] = [
      [related('nothing', 'back'), 400, 'value_not_found'],
      [related('people', 'name'), 409, 'slug_conflict'],
      [related('people', 'Back'), 400, 'validation_type'],
      [related('people', 'back', config(['companies'])), 400, 'validation_type'],
      [related('people', 'back', config(['people', 'companies'])), 400, 'validation_type'],
      [{ ...related('people', 'back'), type: 'text' }, 400, 'validation_type'],
      [{ ...related('people', 'back'), relationship: { object: 'people' } }, 400, 'validation_type'],
      [related('people', 'back', { api_slug: 'record_id' }), 409, 'slug_conflict'],
    ]
    for (const [input, status, code] of cases) {
      const answer = await api.create(object, input)
      expect([answer.status, answer.body.code]).toEqual([status, code])
    }
    expect(await api.list(object)).toHaveLength(3)
    expect((await api.get('people', 'back')).status).toBe(404)
  })
})

describe('changes of a relationship', () => {
  test('200 for archiving and restoring one side, which does the same to the other; slugs change separately', async () => {
    const [one, two] = [await api.object(), await api.object()]
    const { api_slug } = (await api.create(one, related(two, 'back'))).body.data
    expect((await api.update(two, 'back', { is_archived: true })).status).toBe(200)
    expect((await api.get(one, api_slug)).body.data.is_archived).toBe(true)
    await api.update(one, api_slug, { is_archived: false })
    expect((await api.get(two, 'back')).body.data.is_archived).toBe(false)
    await api.update(two, 'back', { api_slug: 'backwards', title: 'Backwards' })
    const { relationship } = (await api.get(one, api_slug)).body.data
    expect(relationship).toMatchObject({ api_slug: 'backwards', title: 'Backwards' })
  })

  test('400 for other allowed objects', async () => {
    const [one, two] = [await api.object(), await api.object()]
    const { api_slug } = (await api.create(one, related(two, 'back'))).body.data
    const allow = (...allowed_objects: string[]) =>
      api.update(one, api_slug, { config: { record_reference: { allowed_objects } } })
    expect((await allow(two)).status).toBe(200)
    expect((await allow('people')).status).toBe(400)
  })

  test('200 for deleting one side, which deletes both', async () => {
    const [one, two] = [await api.object(), await api.object()]
    const { api_slug } = (await api.create(one, related(two, 'back', { is_multiselect: true }))).body.data
    expect((await api.remove(two, 'back')).status).toBe(200)
    expect((await api.get(one, api_slug)).status).toBe(404)
    expect((await api.create(one, related(two, 'back', { api_slug }))).status).toBe(200)
  })
})
