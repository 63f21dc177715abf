import { describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'
import { TYPE_NAMES, type TypeName } from '#vocabulary/data-model'

interface ValidationError {
  readonly path: readonly string[]
  readonly message: string
}

/** Only the service creates attributes of these types. */
const NOT_CREATED: readonly TypeName[] = ['interaction', 'personal-name']

const service = useTestService()
const api = attributeClient(service)

describe('POST /v2/objects/{object}/attributes', () => {
  test('200 with the requested attribute, after all others', async () => {
    const input = attributeInput({ title: 'Höhe', description: 'In metres', type: 'number', is_required: true })
    const { status, body } = await api.create('deals', input)
    expect(status).toBe(200)
    const { config: _, ...members } = input
    expect(body.data).toMatchObject({
      ...members,
      is_system_attribute: false,
      is_writable: true,
      is_archived: false,
      is_default_value_enabled: true,
      default_value: null,
      relationship: null,
      config: {
        currency: { default_currency_code: null, display_type: null },
        record_reference: { allowed_object_ids: null },
      },
    })
    expect((await api.list('deals')).at(-1)).toEqual(body.data)
    expect((await api.get('deals', body.data.id.attribute_id)).body).toEqual(body)
  })

  test.each(TYPE_NAMES.filter((type) => !NOT_CREATED.includes(type)))('200 for the type %s', async (type) => {
    const { status, body } = await api.create('workspaces', attributeInput({ type }))
    expect(status).toBe(200)
    expect(body.data.type).toBe(type)
  })

  test.each(NOT_CREATED)('400 for the type %s, which cannot be created', async (type) => {
    const { status, body } = await api.create('deals', attributeInput({ type }))
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(body.validation_errors[0].path).toEqual(['data', 'type'])
  })

  test('400 listing all types for an unknown one', async () => {
    const { status, body } = await api.create('deals', attributeInput({ type: 'formula' }))
    expect(status).toBe(400)
    expect(body.validation_errors[0]).toMatchObject({ code: 'invalid_option', path: ['data', 'type'] })
    expect(body.validation_errors[0].options).toHaveLength(17)
  })

  test('400 naming every missing required member', async () => {
    const { status, body } = await service.request('POST', '/v2/objects/deals/attributes', { data: {} })
    expect(status).toBe(400)
    const required = 'title description api_slug type is_required is_unique is_multiselect config'.split(' ')
    expect(body.validation_errors.map(({ path }: ValidationError) => path[1]).sort()).toEqual(required.sort())
    expect(new Set(body.validation_errors.map(({ message }: ValidationError) => message))).toEqual(
      new Set(['Required']),
    )
  })

  test.each(['Upper', '1st', 'with space', '', 'a'.repeat(64)])('400 for the slug %p', async (api_slug) => {
    const { status, body } = await api.create('deals', attributeInput({ api_slug }))
    expect(status).toBe(400)
    expect(body.validation_errors[0].path).toEqual(['data', 'api_slug'])
  })

  test('409 for the slug of another attribute, also of a system attribute or an archived one', async () => {
    const input = attributeInput()
    await api.create('deals', input)
    expect((await api.create('deals', input)).body.code).toBe('slug_conflict')
    expect((await api.create('deals', attributeInput({ api_slug: 'stage' }))).status).toBe(409)
    await api.update('deals', input.api_slug, { is_archived: true })
    expect((await api.create('deals', input)).status).toBe(409)
    expect((await api.create('users', input)).status).toBe(200)
  })

  test('200 for exactly one of several concurrent requests with one slug, 409 for the others', async () => {
    const input = attributeInput()
    const answers = await Promise.all(Array.from({ length: 4 }, () => api.create('users', input)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  test.each(['select', 'actor-reference', 'record-reference', 'domain', 'email-address', 'phone-number'])(
    '200 for a multiselect %s',
    async (type) => {
      const { status, body } = await api.create('users', attributeInput({ type, is_multiselect: true }))
      expect([status, body.data?.is_multiselect]).toEqual([200, true])
    },
  )

  test.each(['text', 'number', 'checkbox', 'currency', 'date', 'timestamp', 'rating', 'status', 'location'])(
    '400 for a multiselect %s',
    async (type) => {
      const { status, body } = await api.create('users', attributeInput({ type, is_multiselect: true }))
      expect([status, body.code]).toEqual([400, 'validation_type'])
      expect(body.validation_errors[0].path).toEqual(['data', 'is_multiselect'])
    },
  )

  test.each(['text', 'number', 'domain', 'email-address', 'phone-number', 'timestamp'])(
    '200 for a unique %s',
    async (type) => {
      const { status, body } = await api.create('users', attributeInput({ type, is_unique: true }))
      expect([status, body.data?.is_unique]).toEqual([200, true])
    },
  )

  test.each(['checkbox', 'currency', 'rating', 'status', 'select', 'location', 'record-reference', 'actor-reference'])(
    '400 for a unique %s',
    async (type) => {
      const { status, body } = await api.create('users', attributeInput({ type, is_unique: true }))
      expect([status, body.code]).toEqual([400, 'validation_type'])
      const types = 'text, number, timestamp, domain, email-address, phone-number'
      expect(body.message).toContain(`Cannot set attribute as unique. Types that can be unique: ${types}`)
    },
  )

  test.each(['people', 'companies'])('400 on %s for default value and status', async (object) => {
    const withDefault = { type: 'number', default_value: { type: 'static', template: [1] } }
    expect((await api.create(object, attributeInput(withDefault))).body.code).toBe('validation_type')
    expect((await api.create(object, attributeInput({ type: 'status' }))).body.code).toBe('validation_type')
    expect((await api.create(object, attributeInput())).status).toBe(200)
  })

  test('404 for an object or a list that does not exist', async () => {
    expect((await api.create('nothing', attributeInput())).status).toBe(404)
    const { status, body } = await service.request('POST', '/v2/lists/nothing/attributes', { data: attributeInput() })
    expect([status, body.message]).toEqual([404, 'List with slug/ID "nothing" not found.'])
  })
})

describe('config', () => {
  test('200 for currency: dollars by default, both members required, other members ignored', async () => {
    const dollars = await api.create('deals', attributeInput({ type: 'currency' }))
    expect(dollars.body.data.config.currency).toEqual({ default_currency_code: 'USD', display_type: 'symbol' })
    const currency = { default_currency_code: 'EUR', display_type: 'code' }
    const config = { currency, record_reference: { allowed_objects: ['nothing'] } }
    const euros = await api.create('deals', attributeInput({ type: 'currency', config }))
    expect(euros.body.data.config).toEqual({ currency, record_reference: { allowed_object_ids: null } })
  })

  test.each([
    [{ default_currency_code: 'EUR' }, 'display_type'],
    [{ display_type: 'code' }, 'default_currency_code'],
    [{ default_currency_code: 'XXX', display_type: 'code' }, 'default_currency_code'],
    [{ default_currency_code: 'EUR', display_type: 'loud' }, 'display_type'],
  ])('400 for the currency %j', async (currency, member) => {
    const { status, body } = await api.create('deals', attributeInput({ type: 'currency', config: { currency } }))
    expect(status).toBe(400)
    expect(body.validation_errors[0].path).toEqual(['data', 'config', 'currency', member])
  })

  test('200 for the thousands separators of a number, which can change; 400 for others', async () => {
    const plain = await api.create('deals', attributeInput({ type: 'number' }))
    expect(plain.body.data.config).not.toHaveProperty('number')
    const config = { number: { thousands_separators: 'never' } }
    const { body } = await api.create('deals', attributeInput({ type: 'number', config }))
    expect(body.data.config.number).toEqual(config.number)
    const always = { number: { thousands_separators: 'always' } }
    const changed = await api.update('deals', body.data.api_slug, { config: always })
    expect(changed.body.data.config.number).toEqual(always.number)
    for (const number of [{}, null, 'never', { thousands_separators: 'sometimes' }, { thousands_separators: true }])
      expect((await api.create('deals', attributeInput({ type: 'number', config: { number } }))).status).toBe(400)
    const text = await api.create('deals', attributeInput({ type: 'text', config: { number: 7 } }))
    expect(text.body.data.config).not.toHaveProperty('number')
  })

  const titlesOf = async (slug: string, kind: 'options' | 'statuses') =>
    (await service.request('GET', `/v2/objects/deals/attributes/${slug}/${kind}`)).body.data

  test('200 for options of a select, in their order, one of which is the default value', async () => {
    const config = { options: [' Small ', { title: 'Large', color: 'blue', celebration_enabled: true }] }
    const default_value = { type: 'static', template: ['Large'] }
    const { status, body } = await api.create('deals', attributeInput({ type: 'select', config, default_value }))
    expect(status).toBe(200)
    const options = await titlesOf(body.data.api_slug, 'options')
    expect(options).toMatchObject([{ title: 'Small' }, { title: 'Large', color: 'blue' }])
    expect(body.data.default_value.template).toMatchObject([{ option: options[1].id.option_id }])
    const further = { data: { title: 'Huge' } }
    await service.request('POST', `/v2/objects/deals/attributes/${body.data.api_slug}/options`, further)
    expect((await titlesOf(body.data.api_slug, 'options')).map(({ title }: { title: string }) => title)).toEqual([
      'Small',
      'Large',
      'Huge',
    ])
  })

  test('200 for statuses, with one event for all of it', async () => {
    await service.events()
    const won = { title: 'Won', celebration_enabled: true, target_time_in_status: 'P1D' }
    const input = attributeInput({ type: 'status', config: { options: ['Open', won] } })
    const { body } = await api.create('deals', input)
    expect(await titlesOf(body.data.api_slug, 'statuses')).toMatchObject([{ title: 'Open' }, won])
    expect((await service.events()).map(({ event_type }) => event_type)).toEqual(['object-attribute.created'])
    const filter = { [input.api_slug]: 'Won' }
    expect((await service.request('POST', '/v2/objects/deals/records/query', { filter })).status).toBe(200)
  })

  test.each([
    ['no array', 'Small', 400, ['data', 'config', 'options']],
    ['an empty title', ['Small', ' '], 400, ['data', 'config', 'options', 1, 'title']],
    ['another kind', [5], 400, ['data', 'config', 'options', 0]],
    ['an unknown color', [{ title: 'x', color: 'beige' }], 400, ['data', 'config', 'options', 0, 'color']],
    ['a title twice', ['Small', 'small'], 409, undefined],
    ['more than 1000', Array.from({ length: 1001 }, (_, at) => `${at}`), 400, ['data', 'config', 'options']],
  ])('400 or 409 for options with %s, and nothing is created', async (_, options, status, path) => {
    const input = attributeInput({ type: 'select', config: { options } })
    const answer = await api.create('deals', input)
    expect([answer.status, answer.body.validation_errors?.[0].path]).toEqual([status, path])
    expect((await api.get('deals', input.api_slug)).status).toBe(404)
  })

  test('200 naming options of a change as ignored', async () => {
    const { body } = await api.create('deals', attributeInput({ type: 'select' }))
    const changed = await api.update('deals', body.data.api_slug, { title: 'x', config: { options: ['Small'] } })
    expect(changed.headers.get('Relata-Ignored')).toBe('/data/config/options')
  })

  test('200 for any config of another type, which is ignored', async () => {
    const config = { currency: { default_currency_code: 'nothing' }, record_reference: 7, options: 7 }
    expect((await api.create('deals', attributeInput({ config }))).status).toBe(200)
  })

  test('200 for record_reference: any object, or those named by slug, id or old alias', async () => {
    const any = await api.create('deals', attributeInput({ type: 'record-reference' }))
    expect(any.body.data.config.record_reference.allowed_object_ids).toBeNull()
    const people = await service.request('GET', '/v2/objects/people')
    const companies = await service.request('GET', '/v2/objects/companies')
    const ids = [people.body.data.id.object_id, companies.body.data.id.object_id]
    const config = { record_reference: { allowed_objects: ['person', ids[0], 'companies'] } }
    const some = await api.create('deals', attributeInput({ type: 'record-reference', config }))
    expect(some.body.data.config.record_reference.allowed_object_ids).toEqual(ids)
  })

  test.each([
    [{ allowed_objects: [] }, 'validation_type'],
    [{}, 'validation_type'],
    [{ allowed_objects: ['nothing'] }, 'value_not_found'],
  ])('400 for the reference %j', async (record_reference, code) => {
    const input = attributeInput({ type: 'record-reference', config: { record_reference } })
    const { status, body } = await api.create('deals', input)
    expect([status, body.code]).toEqual([400, code])
  })
})
