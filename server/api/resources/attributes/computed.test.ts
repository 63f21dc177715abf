import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)

const computed = (formula: string, members: Record<string, unknown> = {}) =>
  attributeInput({ computed: { formula }, ...members })

/** Creates an attribute and returns its slug. */
async function create(object: string, members: Record<string, unknown>): Promise<string> {
  const { status, body } = await api.create(object, attributeInput(members))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.api_slug
}

async function createComputed(object: string, formula: string, members: Record<string, unknown> = {}): Promise<string> {
  return create(object, { computed: { formula }, ...members })
}

/** An object with attributes of the types that formulas read. */
async function object(): Promise<string> {
  const slug = await api.object()
  for (const [api_slug, type] of [
    ['price', 'currency'],
    ['count', 'number'],
    ['title', 'text'],
    ['begins', 'date'],
    ['is_open', 'checkbox'],
  ])
    await create(slug, { api_slug, type })
  await create(slug, { api_slug: 'stage', type: 'select', config: { options: ['Open', "Won'"] } })
  return slug
}

let shared: string

beforeAll(async () => {
  shared = await object()
})

const valueOf = async (slug: string, id: string, attribute: string) => {
  const [value] = (await api.values(slug, id))[attribute]
  return value === undefined ? undefined : (value.value ?? value.currency_value)
}

describe('POST …/attributes with a formula', () => {
  test('200 with a read-only attribute whose values follow the others', async () => {
    const slug = await object()
    const before = await api.record(slug, { price: 10, count: 3 })
    const { status, body } = await api.create(slug, computed('price * count', { type: 'currency', api_slug: 'total' }))
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      type: 'currency',
      is_writable: false,
      is_system_attribute: true,
      is_required: false,
      is_unique: false,
      computed: { formula: 'price * count', is_complete: true },
    })
    expect((await api.get(slug, 'total')).body).toEqual(body)
    expect(await valueOf(slug, before, 'total')).toBe(30)
    const id = await api.record(slug, { price: 2.5, count: 2 })
    expect((await api.values(slug, id)).total).toMatchObject([
      { currency_value: 5, currency_code: 'USD', created_by_actor: { type: 'system' }, attribute_type: 'currency' },
    ])
    const { body: updated } = await service.request('PATCH', `/v2/objects/${slug}/records/${id}`, {
      data: { values: { count: 4 } },
    })
    expect(updated.data.values.total[0].currency_value).toBe(10)
    await service.request('PATCH', `/v2/objects/${slug}/records/${id}`, { data: { values: { count: [] } } })
    expect((await api.values(slug, id)).total).toEqual([])
  })

  test.each([
    ['1 / count', { count: 0 }, 'number', undefined],
    ['sqrt(count)', { count: -1 }, 'number', undefined],
    ['count * 1e308 * 1e308', { count: 2 }, 'number', undefined],
    ['title::int', { title: 'no number' }, 'number', undefined],
    ['title::int', { title: '12' }, 'number', 12],
    ['count * -0.0', { count: 1 }, 'number', 0],
    ["'NaN'::float8", {}, 'number', undefined],
    ["'infinity'::float8 + count", { count: 1 }, 'number', undefined],
    ['count', { count: 7 }, 'rating', undefined],
    ['count / 2', { count: 7 }, 'rating', 3.5],
    ['count / 3', { count: 1 }, 'currency', 0.3333],
    ['count', { count: 1e27 }, 'currency', undefined],
    ["'NaN'::numeric", {}, 'currency', undefined],
    ['begins + 1', { begins: '9999-12-31' }, 'date', undefined],
    ['begins + 1', { begins: '2026-02-28' }, 'date', '2026-03-01'],
    ["'-infinity'::date", {}, 'date', undefined],
    ['make_date(count::int, 1, 1)', { count: -5 }, 'date', undefined],
    ["begins + interval '1 hour'", { begins: '2026-02-28' }, 'timestamp', '2026-02-28T01:00:00.000000000Z'],
    ["nullif(title, 'x') || ''", { title: 'x' }, 'text', undefined],
    ['substring(title from 1 for -1)', { title: 'x' }, 'text', undefined],
    ['left(title, 0)', { title: 'x' }, 'text', undefined],
    ['upper(title) -- loud', { title: "quiet; $$ ' \\" }, 'text', "QUIET; $$ ' \\"],
    ["'a''b$relata$' || title", { title: 'c' }, 'text', "a'b$relata$c"],
    ["case when stage = 'Won''' then 'yes' else 'no' end", { stage: "Won'" }, 'text', 'yes'],
    ['count > 3 and not is_open', { count: 4, is_open: false }, 'checkbox', true],
    ['coalesce(is_open, false)', {}, 'checkbox', false],
    ['chr(count::int)', { count: 0 }, 'text', undefined],
  ] as const)('%s of %p as %s is %p', async (formula, values, type, expected) => {
    const name = await createComputed(shared, formula, { type })
    expect(await valueOf(shared, await api.record(shared, values), name)).toBe(expected as never)
  })

  test.each([
    ['pricee * 2', 'column "pricee" does not exist. Perhaps you meant "price".', 1],
    ['price * (count', 'syntax error at end of input', 14],
    ['', 'The formula is empty.', undefined],
    ['1) from x where (1', 'A formula is one expression.', undefined],
    ['1), (2', 'A formula is one expression.', undefined],
    ['1 as b', 'syntax error at or near "as"', 3],
    ['(select 1)', 'A formula cannot contain a query.', 1],
    ['sum(count)', 'sum needs several records; a formula has the attributes of one.', 1],
    ['rank() over ()', 'rank needs several records; a formula has the attributes of one.', 1],
    ['unnest(array[1])', 'unnest returns several rows; a formula has one value.', 1],
    ['pg_sleep(1)', 'function pg_sleep is not available', 1],
    ['count + $1', 'there is no parameter $1', 9],
    ["begins > 'today'", 'A formula reads the clock with current_date or now().', 10],
    ["date 'tomorrow'", 'A formula reads the clock with current_date or now().', 6],
    ['clock_timestamp()', 'clock_timestamp has another result at each call.', 1],
    ['repeat(repeat(title, 1000), 1000)', 'A formula can call repeat, lpad or rpad once only.', 8],
    ['random()', 'random has another result at each call.', 1],
    [
      'price + title',
      'operator does not exist: numeric + text. No operator matches the given name and argument types. You might need to add explicit type casts.',
      7,
    ],
    ['1 / 0', 'division by zero', undefined],
    [
      "begins - begins + interval '1 day'",
      'operator does not exist: integer + interval. No operator matches the given name and argument types. You might need to add explicit type casts.',
      17,
    ],
    [
      "interval '1 day'",
      'The formula has a result of type interval, which no attribute has. extract(epoch from …) gives its seconds; a difference of two dates is a number of days.',
      undefined,
    ],
    ['*', 'syntax error at or near "*"', 1],
    ['h.count', 'column "h" does not exist', 1],
    ['created_by', 'A formula cannot name "created_by", which is an attribute of type actor-reference.', 1],
    ['chr(0)', 'null character not permitted', undefined],
  ])('400 for %s', async (formula, message, position) => {
    const { status, body } = await api.create(shared, computed(formula, { type: 'number' }))
    expect([status, body.code]).toEqual([400, 'validation_type'])
    const [error] = body.validation_errors
    expect(error.message).toStartWith(message)
    expect([error.path.join('.'), error.position]).toEqual(['data.computed.formula', position])
  })

  test('400 for a formula with more characters than 4000', async () => {
    const { body } = await api.create(shared, computed(`'${'x'.repeat(4000)}'`))
    expect(body.validation_errors[0]).toMatchObject({
      code: 'too_big',
      path: ['data', 'computed', 'formula'],
      maximum: 4000,
    })
  })

  test('400 for members that a computed attribute cannot have, and for another type than that of the result', async () => {
    const slug = shared
    const wrong = { is_required: true, is_unique: true, is_multiselect: true, type: 'select' }
    const { body } = await api.create(
      slug,
      computed('1', { ...wrong, default_value: { type: 'static', template: [1] } }),
    )
    const paths = body.validation_errors.map(({ path }: { path: string[] }) => path.join('.'))
    expect(paths.toSorted()).toEqual(
      ['default_value', 'is_multiselect', 'is_required', 'is_unique', 'type'].map((member) => `data.${member}`),
    )
    const other = await api.create(slug, computed('title', { type: 'number' }))
    expect(other.body.validation_errors[0]).toMatchObject({
      path: ['data', 'type'],
      message: 'The formula has a value of type text',
    })
  })
})

describe('writes of computed attributes', () => {
  test('400 immutable_value in every kind of write', async () => {
    const slug = await object()
    const name = await createComputed(slug, 'count', { type: 'number' })
    const id = await api.record(slug, { count: 1 })
    const values = { [name]: 2 }
    for (const [method, path] of [
      ['POST', `/v2/objects/${slug}/records`],
      ['PATCH', `/v2/objects/${slug}/records/${id}`],
      ['PUT', `/v2/objects/${slug}/records/${id}`],
    ] as const) {
      const { status, body } = await service.request(method, path, { data: { values } })
      expect([method, status, body.code]).toEqual([method, 400, 'immutable_value'])
    }
  })
})

interface Found {
  readonly values: Record<string, { currency_value: number }[]>
}

describe('queries by computed attributes', () => {
  test('filters, sorts, aggregates, SQL and values', async () => {
    const slug = await object()
    const name = await createComputed(slug, 'price * 2', { type: 'currency', api_slug: 'twice' })
    for (const price of [1, 3, 2]) await api.record(slug, { price })
    const query = async (body: unknown) =>
      (await service.request('POST', `/v2/objects/${slug}/records/query`, body)).body.data
    const found = await query({ filter: { [name]: { $gte: 4 } }, sorts: [{ attribute: name, direction: 'desc' }] })
    expect(found.map(({ values }: Found) => values.twice?.[0]?.currency_value)).toEqual([6, 4])
    const { body } = await service.request('POST', '/v2/sql', { sql: `select sum(twice) as s from ${slug}` })
    expect(body.data.rows ?? body.data).toEqual([{ s: 12 }])
    const aggregates = await service.request('POST', `/v2/objects/${slug}/records/aggregate`, {
      aggregates: [{ function: 'sum', attribute: name }],
    })
    expect(aggregates.status).toBe(200)
    const id = found[0].id.record_id
    const listed = await service.request('GET', `/v2/objects/${slug}/records/${id}/attributes/${name}/values`)
    expect(listed.body.data).toMatchObject([{ currency_value: 6, active_until: null }])
    const historic = `/v2/objects/${slug}/records/${id}/attributes/${name}/values?show_historic=true`
    expect((await service.request('GET', historic)).status).toBe(400)
  })
})
