/**
 * Random data models, formulas and writes. Each stored value is compared with the formula as a query of `/v2/sql` would compute it, which
 * reads the columns of the row in another way than the trigger. `RELATA_ATTACK_SEED` takes another choice.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { attributeClient, attributeInput } from '#testing/attributes'
import { compiledService, type CompiledService } from '#testing/compiled-sql'

const seed = Number(process.env.RELATA_ATTACK_SEED ?? 1)
const FORMULAS = 12
const STEPS = 25

let sql: CompiledService
let api: ReturnType<typeof attributeClient>
beforeAll(async () => {
  sql = await compiledService()
  api = attributeClient(sql.service)
})
afterAll(() => sql.service.close())

const ATTRIBUTES = {
  n: 'number',
  m: 'number',
  price: 'currency',
  stars: 'rating',
  t: 'text',
  u: 'text',
  day: 'date',
  at: 'timestamp',
  yes: 'checkbox',
  kind: 'select',
  domains: 'domain',
} as const

const NUMBERS = [0, 1, -1, 2.5, 1e308, -1e308, 1e-300, 9_007_199_254_740_992, 1e20]
const TEXTS = ['', 'a', "it's", '12', '-3.5', 'x\\y $$ "z"', 'Ünïcode 🎉', '2026-02-30', 'NaN']
const DAYS = ['2026-02-28', '0001-01-01', '9999-12-31', '2000-02-29']
const KINDS = ['Open', "Won'", 'Lost "x"']

const join = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((texts) => texts.join(''))

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Expressions of each type. Many fail for some rows: that is what the test is about. */
const { number, text, truth, day } = fc.letrec<{ number: string; text: string; truth: string; day: string }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('n', 'm', 'price', 'stars', '"n"'),
    fc.constantFrom('0', '2', '0.1', '1e200', '-7'),
    join('(', tie('number'), fc.constantFrom(' + ', ' - ', ' * ', ' / ', ' % ', ' ^ '), tie('number'), ')'),
    join('case when ', tie('truth'), ' then ', tie('number'), ' else ', tie('number'), ' end'),
    join('coalesce(', tie('number'), ', ', tie('number'), ')'),
    join(fc.constantFrom('sqrt', 'ln', 'round', 'abs', 'floor'), '(', tie('number'), ')'),
    join('length(', tie('text'), ')'),
    join('(', tie('text'), ')::numeric'),
    join('extract(year from ', tie('day'), ')'),
    join('(', tie('number'), ' + (current_date - current_date))'),
    fc.constant('cardinality(domains)'),
  ),
  text: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('t', 'u', 'kind', 'domains[1]'),
    fc.constantFrom(...TEXTS).map(literal),
    join('(', tie('text'), ' || ', tie('text'), ')'),
    join(fc.constantFrom('upper', 'reverse', 'btrim'), '(', tie('text'), ')'),
    join('concat(', tie('text'), ", '-', ", tie('number'), ')'),
    join('left(', tie('text'), ', (', tie('number'), ')::int)'),
    join('case kind when ', fc.constantFrom(...KINDS).map(literal), ' then ', tie('text'), ' end'),
  ),
  truth: fc.oneof(
    { maxDepth: 4 },
    fc.constant('yes'),
    join('(', tie('number'), fc.constantFrom(' > ', ' = ', ' <= '), tie('number'), ')'),
    join('(', tie('text'), fc.constantFrom(' = ', ' like ', ' > '), tie('text'), ')'),
    join('(', tie('day'), ' < ', tie('day'), ')'),
    join('(not ', tie('truth'), ' or ', tie('truth'), ')'),
    join('(', tie('text'), ' is null)'),
  ),
  day: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('day', 'at::date'),
    join('(', tie('day'), ' + (', tie('number'), ')::int)'),
    join('(', tie('day'), ' + (now() - current_timestamp))::date'),
    join('make_date((', tie('number'), ')::int, 2, 29)'),
    join('(', tie('text'), ')::date'),
  ),
}))

/** By the type of the attribute: the column that has the value, and how a query makes the value of the result. */
const RESULTS = {
  number: [number, (f: string) => `(${f})::double precision`],
  currency: [number, (f: string) => `round((${f})::numeric, 4)`],
  rating: [number, (f: string) => `(${f})::double precision`],
  text: [text, (f: string) => f],
  checkbox: [truth, (f: string) => f],
  date: [day, (f: string) => f],
} as const

type ResultType = keyof typeof RESULTS
const RESULT_TYPES = Object.keys(RESULTS) as ResultType[] // the members of a literal

/** Whether an attribute of the type has the value. */
function isValue(type: ResultType, value: unknown): boolean {
  if (value === null || value === '') return false
  if (type === 'text') return true
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return false
  if (type === 'rating') return Number(value) >= 0 && Number(value) <= 5
  if (type === 'currency') return Math.abs(Number(value)) < 1e26
  return type !== 'date' || /^\d{4}-\d\d-\d\d$/.test(String(value))
}

const values = fc.record({
  n: fc.constantFrom(null, ...NUMBERS),
  m: fc.constantFrom(null, ...NUMBERS),
  price: fc.constantFrom(0, 1.5, -3, '12345678901.2345'),
  stars: fc.constantFrom(null, 0, 5, 2.5),
  t: fc.constantFrom(null, ...TEXTS),
  u: fc.constantFrom(null, ...TEXTS),
  day: fc.constantFrom(null, ...DAYS),
  at: fc.constantFrom(null, '2026-02-28T23:59:59.999999999Z', '0001-01-01', '9999-12-31T23:59:59Z'),
  yes: fc.boolean(),
  kind: fc.constantFrom([], ...KINDS),
  domains: fc.constantFrom([], ['a.com'], ['b.com', 'c.com']),
})

interface Formula {
  readonly slug: string
  readonly type: ResultType
}

async function compare(object: string, formulas: readonly Formula[]): Promise<number> {
  const { body } = await sql.service.request('POST', `/v2/objects/${object}/records/query`, { limit: 500 })
  let compared = 0
  for (const { slug, type } of formulas) {
    const { formula } = (await api.get(object, slug)).body.data.computed
    const query = `select record_id, ${RESULTS[type][1](`(${formula}\n)`)} as v from ${object}`
    const all = await sql.rows(query).catch(() => undefined)
    for (const { id, values: stored } of body.data) {
      // One row for which the formula fails ends the query for all.
      const rows = all ?? (await sql.rows(`${query} where record_id = '${id.record_id}'`).catch(() => []))
      const expected = rows.find(({ record_id }) => record_id === id.record_id)?.v ?? null
      const [found] = stored[slug]
      const value = found === undefined ? undefined : (found.value ?? found.currency_value)
      expect([slug, formula, id.record_id, value]).toEqual([
        slug,
        formula,
        id.record_id,
        isValue(type, expected) ? normalised(expected) : undefined,
      ])
      compared++
    }
  }
  return compared
}

/** Minus zero is zero. */
const normalised = (value: unknown): unknown => (typeof value === 'number' ? value + 0 : value)

const sample = <T>(arbitrary: fc.Arbitrary<T>, seed: number, numRuns: number): T[] =>
  fc.sample(arbitrary, { seed, numRuns })

async function makeObject(): Promise<string> {
  const object = await api.object()
  for (const [api_slug, type] of Object.entries(ATTRIBUTES)) {
    const config = type === 'select' ? { options: KINDS } : {}
    await sql.attribute(object, api_slug, { type, config, is_multiselect: type === 'domain' })
  }
  return object
}

/** Creates formulas, and leaves out those that PostgreSQL refuses because a constant part of them fails. */
async function makeFormulas(object: string, seed: number): Promise<Formula[]> {
  const formulas: Formula[] = []
  for (const [index, type] of RESULT_TYPES.flatMap((each) => Array<ResultType>(4).fill(each)).entries()) {
    if (formulas.length >= FORMULAS) break
    const [text = ''] = sample(RESULTS[type][0], seed + index, 1)
    const earlier = formulas.find((each) => each.type === 'number')?.slug
    const formula = earlier !== undefined && index % 3 === 0 ? text.replace(/\bn\b/, earlier) : text
    const slug = `f_${index}`
    const tracked = index % 2 === 0 && !/current_date|now/.test(formula)
    const data = attributeInput({ api_slug: slug, type, computed: { formula, tracked } })
    const { status } = await api.create(object, data)
    if (status === 200 && formulas.filter((each) => each.type === type).length < 4) formulas.push({ slug, type })
  }
  return formulas
}

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('create', 'create', 'update', 'update', 'batch', 'delete', 'restore', 'merge', 'option'),
    values,
    other: values,
    at: fc.nat(1000),
  }),
  { minLength: STEPS, maxLength: STEPS },
)

test(`every stored value is that of its formula, with seed ${seed}`, async () => {
  const object = await makeObject()
  const path = `/v2/objects/${object}/records`
  const early = await makeFormulas(object, seed * 1000)
  const [run = []] = sample(steps, seed, 1)
  const live: string[] = []
  const trashed: string[] = []
  const send = (method: string, rest: string, data: unknown) =>
    sql.service.request(method, `${path}${rest}`, data === undefined ? undefined : { data })
  for (const written of sample(values, seed, 8)) {
    const { body } = await send('POST', '', { values: written })
    if (body.data) live.push(body.data.id.record_id)
  }
  for (const { kind, values: written, other, at } of run) {
    const id = live[at % Math.max(1, live.length)]
    if (kind === 'create' || id === undefined) {
      const { body } = await send('POST', '', { values: written })
      if (body.data) live.push(body.data.id.record_id)
    } else if (kind === 'update') await send('PATCH', `/${id}`, { values: written })
    else if (kind === 'batch')
      await send('POST', '/batch', {
        operations: [written, other].map((each, index) => ({
          op: 'update',
          record_id: live[(at + index) % live.length],
          values: each,
        })),
      })
    else if (kind === 'delete') {
      await send('DELETE', `/${id}`, undefined)
      trashed.push(...live.splice(live.indexOf(id), 1))
    } else if (kind === 'restore') {
      const [last] = trashed.splice(-1)
      if (last !== undefined && (await send('POST', `/${last}/restore`, {})).status === 200) live.push(last)
    } else if (kind === 'merge') {
      const second = live[(at + 1) % live.length]
      const { status, body } = await send('POST', '/merge', { primary_record_id: id, secondary_record_id: second })
      if (status !== 200) continue
      for (const gone of [id, second]) if (gone !== undefined) live.splice(live.indexOf(gone), 1)
      live.push(body.data.new_record_id)
    } else {
      const options = `/v2/objects/${object}/attributes/kind/options`
      const { body } = await sql.service.request('GET', options)
      const option = body.data[at % body.data.length]
      const title = option.title.endsWith('!') ? option.title.slice(0, -1) : `${option.title}!`
      await sql.service.request('PATCH', `${options}/${option.id.option_id}`, { data: { title } })
    }
  }
  const late = await makeFormulas(await renamed(object), seed * 1000 + 500)
  const compared = await compare(object, [
    ...early,
    ...late.filter(({ slug }) => early.every((each) => each.slug !== slug)),
  ])
  expect(compared).toBeGreaterThan(FORMULAS * 3)
})

/** Gives an attribute that formulas name another slug, which needs quotes. */
async function renamed(object: string): Promise<string> {
  expect((await api.update(object, 'm', { api_slug: 'order' })).status).toBe(200)
  return object
}
