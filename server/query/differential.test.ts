/**
 * Random data, random queries: what the service answers against what a plain evaluator makes of the API's own JSON.
 * QUERY_RUNS sets how many queries are tried.
 */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { testService, type TestService } from '../testing/service'
import { type Filter, matches, type RecordJson, type Sort, sorted, type Types } from './testing/evaluator'
import { COLORS, createRecord, createThings, STATES } from './testing/things'

const RUNS = Number(process.env.QUERY_RUNS ?? 300)
const THINGS = 40

let service: TestService
let world: Map<string, RecordJson>
let things: RecordJson[]

/** Few words of few letters, so that queries find something. */
const word = fc.stringMatching(/^[aAbB%_\\é]{1,4}$/)
const host = fc.constantFrom('a.com', 'b.com', 'x.a.com', 'a.co.uk')
const mail = fc.tuple(fc.constantFrom('a', 'b', 'ab'), host).map(([local, at]) => `${local}@${at}`)
const phone = fc.constantFrom('+14155550100', '+14155550101', '+442079460018', '+442079460019')
const day = fc.constantFrom('2023-12-31', '2024-01-01', '2024-02-29')
const moment = fc
  .tuple(day, fc.constantFrom('000000000', '000000001', '123456789', '123456000'))
  .map(([date, nanos]) => `${date}T12:00:00.${nanos}Z`)
const amount = fc.constantFrom(-2, 0, 0.5, 1, 3)
const country = fc.constantFrom('US', 'FR', null)

const some = <T>(values: fc.Arbitrary<T>) => fc.uniqueArray(values, { minLength: 1, maxLength: 3 })
const place = fc.record({
  line_1: fc.constant(null),
  line_2: fc.constant(null),
  line_3: fc.constant(null),
  line_4: fc.constant(null),
  locality: fc.option(word),
  region: fc.option(word),
  postcode: fc.constant(null),
  country_code: country,
  latitude: fc.constant(null),
  longitude: fc.constant(null),
})

const thing = fc.record(
  {
    name: word,
    amount,
    stars: fc.constantFrom(0, 1, 2.5),
    price: amount,
    done: fc.boolean(),
    day,
    moment,
    site: host,
    sites: some(host),
    mail,
    phone,
    phones: some(phone),
    place,
    color: fc.constantFrom(...COLORS),
    colors: some(fc.constantFrom(...COLORS)),
    state: fc.constantFrom(...STATES),
  },
  { requiredKeys: [] },
)

const TYPES: Types = {
  name: 'text',
  amount: 'number',
  stars: 'rating',
  price: 'currency',
  done: 'checkbox',
  day: 'date',
  moment: 'timestamp',
  site: 'domain',
  sites: 'domain',
  mail: 'email-address',
  phone: 'phone-number',
  phones: 'phone-number',
  place: 'location',
  color: 'select',
  colors: 'select',
  state: 'status',
  parent: 'record-reference',
  record_id: 'text',
}

beforeAll(async () => {
  service = await testService()
  const { request } = service
  await createThings(request)
  const ids: string[] = []
  for (const [index, values] of fc.sample(thing, { numRuns: THINGS, seed: 7 }).entries()) {
    const parent = index % 3 === 1 ? { parent: ids[index >> 1] } : {}
    ids.push(await createRecord(request, 'things', { ...withoutEmptyPlace(values), ...parent }))
  }
  things = (await request('POST', '/v2/objects/things/records/query', {})).body.data
  world = new Map(things.map((each) => [each.id.record_id, each]))
}, 120_000)
afterAll(() => service.close())

const withoutEmptyPlace = <T extends { place?: object }>({ place, ...rest }: T) =>
  place && Object.values(place).some((member) => member !== null) ? { ...rest, place } : rest

const oneOf = (operators: string[], operand: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom(...operators), operand, { minKeys: 1, maxKeys: 2 })

const present = fc.constant({ $not_empty: true })
const RANGE = ['$eq', '$lt', '$lte', '$gt', '$gte']
const PARTS = ['$eq', '$contains', '$starts_with', '$ends_with']

const range = (operand: fc.Arbitrary<unknown>) => fc.oneof(operand, oneOf(RANGE, operand), present)
const parts = (operand: fc.Arbitrary<unknown>, part: fc.Arbitrary<unknown> = operand) =>
  fc.oneof(
    operand,
    oneOf(PARTS.slice(1), part),
    fc.record({ $eq: operand }),
    fc.record({ $in: fc.array(operand, { maxLength: 4 }) }),
    present,
  )
const fields = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(members, { requiredKeys: [] }).filter((made) => Object.keys(made).length > 0)

const hostPart = fc.constantFrom('a', '.com', 'x.', 'A.C', 'co.uk', 'z')
const title = (titles: string[]) =>
  fc.oneof(fc.constantFrom(...titles), fc.record({ $in: fc.array(fc.constantFrom(...titles)) }), present)

const CONSTRAINTS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: parts(word),
  amount: range(amount),
  stars: range(fc.constantFrom(0, 1, 2.5)),
  price: range(amount),
  done: fc.oneof(fc.boolean(), fc.record({ $eq: fc.boolean() }), present),
  day: range(day),
  moment: range(moment),
  site: fc.oneof(parts(host, hostPart), fields({ root_domain: parts(host, hostPart), domain: parts(host, hostPart) })),
  sites: fc.oneof(
    parts(host, hostPart),
    fields({ root_domain: fc.constantFrom('a.com', 'b.com', 'a.co.uk'), domain: parts(host, hostPart) }),
  ),
  mail: fc.oneof(
    parts(mail, hostPart),
    fields({
      email_domain: host,
      email_root_domain: host,
      email_local_specifier: oneOf(PARTS, fc.constantFrom('a', 'b', 'ab')),
    }),
  ),
  phone: parts(phone, fc.constantFrom('+1', '+44', '0100', '55', '19')),
  phones: fc.oneof(
    parts(phone, fc.constantFrom('+1', '+44', '0100', '55')),
    fields({ country_code: fc.constantFrom('US', 'GB'), phone_number: oneOf(PARTS, phone) }),
  ),
  place: fc.oneof(
    present,
    fields({
      locality: fc.oneof(word, oneOf(PARTS, word), present),
      region: fc.oneof(word, present),
      country_code: fc.constantFrom('US', 'FR'),
    }),
  ),
  color: title(COLORS),
  colors: title(COLORS),
  state: title(STATES),
  parent: present,
}

const condition: fc.Arbitrary<Filter> = fc
  .constantFrom(...Object.keys(CONSTRAINTS))
  .chain((slug) => (CONSTRAINTS[slug] ?? present).map((constraint) => ({ [slug]: constraint })))

const path: fc.Arbitrary<Filter> = fc.tuple(fc.integer({ min: 0, max: 3 }), condition).map(([steps, last]) => {
  const [[slug, constraints] = ['', {}]] = Object.entries(last)
  return { path: [...Array.from({ length: steps }, () => ['things', 'parent']), ['things', slug]], constraints }
})

const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    condition,
    path,
    fc.record({ $and: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ $or: fc.array(tie('filter'), { maxLength: 3 }) }),
    fc.record({ $not: tie('filter') }),
    fc.tuple(condition, tie('filter')).map(([one, other]) => ({ ...one, ...other })),
  ),
}))

const SORTABLE: Readonly<Record<string, readonly string[]>> = {
  name: ['value'],
  amount: [],
  stars: [],
  price: [],
  done: [],
  day: [],
  moment: [],
  sites: ['root_domain'],
  mail: ['email_domain'],
  phones: ['country_code'],
  place: ['locality', 'region', 'country_code'],
  color: [],
  colors: [],
  state: [],
  record_id: [],
}

const sort: fc.Arbitrary<Sort> = fc.constantFrom(...Object.keys(SORTABLE)).chain((attribute) => {
  const names = SORTABLE[attribute] ?? []
  const field =
    names.length === 0
      ? fc.constant(undefined)
      : attribute === 'place'
        ? fc.constantFrom(...names)
        : fc.option(fc.constantFrom(...names), { nil: undefined })
  return fc.record({
    attribute: fc.constant(attribute),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    field,
  })
})

const idsOf = (records: readonly RecordJson[]) => records.map(({ id }) => id.record_id)

describe('POST /v2/objects/{object}/records/query', () => {
  test('200 with what the specification says, for any filter and sorts', async () => {
    const found = new Set<number>()
    const property = fc.asyncProperty(filter, fc.array(sort, { maxLength: 3 }), async (filter, sorts) => {
      const { status, body } = await service.request('POST', '/v2/objects/things/records/query', { filter, sorts })
      const expected = sorted(
        things.filter((each) => matches(each, filter, world, TYPES)),
        sorts,
        [...COLORS, ...STATES],
      )
      found.add(expected.length)
      expect([status, idsOf(body.data ?? [])]).toEqual([200, idsOf(expected)])
    })
    await fc.assert(property, { numRuns: RUNS })
    // Queries that find everything or nothing would prove little.
    expect(found.size).toBeGreaterThan(Math.min(10, RUNS / 20))
  }, 600_000)

  test('200 with the whole in pages, by offset and by cursor', async () => {
    const property = fc.asyncProperty(
      filter,
      fc.array(sort, { maxLength: 3 }),
      fc.integer({ min: 7, max: 20 }),
      async (filter, sorts, limit) => {
        const ask = (more: object) =>
          service.request('POST', '/v2/objects/things/records/query', { filter, sorts, ...more })
        const whole = await ask({ include_count: true })
        const pages = await Promise.all([0, 1, 2, 3, 4, 5].map((page) => ask({ limit, offset: page * limit })))
        const walked: RecordJson[] = []
        for (let cursor: string | null | undefined = null; cursor !== undefined;) {
          const { body } = await ask({ limit, cursor })
          walked.push(...body.data)
          cursor = body.pagination.next_cursor ?? undefined
        }
        expect(pages.flatMap(({ body }) => idsOf(body.data))).toEqual(idsOf(whole.body.data))
        expect(idsOf(walked)).toEqual(idsOf(whole.body.data))
        expect(whole.body.pagination).toEqual({ total: whole.body.data.length })
      },
    )
    await fc.assert(property, { numRuns: Math.ceil(RUNS / 10) })
  }, 600_000)
})
