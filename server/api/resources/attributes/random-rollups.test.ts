/**
 * Random look-ups, rollups and writes. When the workers have caught up, each stored value is compared with what a query of `/v2/sql` makes of the
 * records, and the history of tracked ones has no overlapping periods. In between, processes die with work that they have taken. `RELATA_ATTACK_SEED` takes another choice.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { attributeClient, attributeInput } from '#testing/attributes'
import { compiledService, type CompiledService } from '#testing/compiled-sql'
import { jobsOf } from '#testing/jobs'
import { rollupsOf } from '#testing/rollups'

const seed = Number(process.env.RELATA_ATTACK_SEED ?? 1)
const STEPS = 60

let sql: CompiledService
let api: ReturnType<typeof attributeClient>
let rollups: ReturnType<typeof rollupsOf>
beforeAll(async () => {
  sql = await compiledService()
  api = attributeClient(sql.service)
  rollups = rollupsOf(sql.service)
})
afterAll(() => sql.service.close())

interface Model {
  /** Records to which those of `child` refer. */
  readonly parent: string
  readonly child: string
  /** A list of the parents. */
  readonly list: string
}

/** The ways from a parent `p` to others: the definition, and the `from` of the query. */
const THROUGH = {
  one: ({ child }: Model) => [`${child}.one`, `${child} c where c.one.entity_instance_id = p.record_id`],
  many: ({ child }: Model) => [
    `${child}.many`,
    `${child} c where exists (select 1 from unnest(c.many) r where r.entity_instance_id = p.record_id)`,
  ],
  pair: ({ child }: Model) => [
    `${child}.pair`,
    `${child} c where exists (select 1 from unnest(p.pairs) r where r.entity_instance_id = c.record_id)`,
  ],
  self: ({ parent }: Model) => [`${parent}.boss`, `${parent} c where c.boss.entity_instance_id = p.record_id`],
  list: ({ list }: Model) => [list, `lists.${list} c where c.parent_record.entity_instance_id = p.record_id`],
} as const

const FILTERS = [
  [undefined, 'true'],
  [{ kind: 'Won' }, "c.kind = 'Won'"],
  [{ n: { $gt: 0 } }, 'c.n > 0'],
  [
    { $or: [{ kind: { $in: ['Lost', 'Open'] } }, { yes: true }] },
    "c.kind in ('Lost', 'Open') or coalesce(c.yes, false)",
  ],
  [{ $not: { t: { $contains: 'a' } } }, "c.t is null or c.t not ilike '%a%'"],
] as const

const FUNCTIONS = [
  ['count', undefined, 'number', 'count(*)'],
  ['sum', 'n', 'number', 'sum(c.n)'],
  ['average', 'price', 'currency', 'round(avg(c.price), 4)'],
  ['min', 'twice', 'number', 'min(c.twice)'],
  ['max', 'price', 'number', 'max(c.price)'],
  ['earliest', 'day', 'date', 'min(c.day)'],
  ['latest', 'created_at', 'timestamp', 'max(c.created_at)'],
  [
    'list',
    't',
    'text',
    "(select string_agg(x, ', ' order by x) from (select distinct c.t as x from FROM and c.t is not null) d)",
  ],
  [
    'list',
    'kind',
    'text',
    "(select string_agg(x, ', ' order by x) from (select distinct c.kind as x from FROM and c.kind is not null) d)",
  ],
] as const

interface Definition {
  readonly object: string
  readonly slug: string
  /** Of the value, of the row `p`. */
  readonly expected: string
}

const COMMON = { n: 'number', price: 'currency', t: 'text', day: 'date', yes: 'checkbox', kind: 'select' } as const

async function define(path: string, api_slug: string, type: string, members: object = {}): Promise<void> {
  const config = type === 'select' ? { options: ['Open', 'Won', 'Lost'] } : {}
  const data = attributeInput({ api_slug, type, config, ...members })
  const { status, body } = await sql.service.request('POST', `/v2/${path}/attributes`, { data })
  if (status !== 200) throw new Error(`${path}.${api_slug}: ${JSON.stringify(body)}`)
}

async function makeModel(): Promise<Model> {
  const [parent, child] = [await api.object(), await api.object()]
  const list = await sql.lists.list({ parent_object: parent })
  for (const path of [`objects/${parent}`, `objects/${child}`, `lists/${list}`]) {
    for (const [slug, type] of Object.entries(COMMON)) await define(path, slug, type)
    await define(path, 'twice', 'number', { computed: { formula: 'n * 2' } })
  }
  const config = { record_reference: { allowed_objects: [parent] } }
  await define(`objects/${child}`, 'one', 'record-reference', { config })
  await define(`objects/${child}`, 'many', 'record-reference', { config, is_multiselect: true })
  const relationship = { object: parent, title: 'Pairs', api_slug: 'pairs', is_multiselect: true }
  await define(`objects/${child}`, 'pair', 'record-reference', { config, is_multiselect: true, relationship })
  await define(`objects/${parent}`, 'boss', 'record-reference', { config })
  return { parent, child, list }
}

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T // the index is in range

/** Rollups of each way, and what is made of these: formulas, look-ups and rollups of look-ups. */
async function makeDefinitions(model: Model, round: number): Promise<Definition[]> {
  const { parent, child, list } = model
  const definitions: Definition[] = []
  const choices = fc.sample(fc.tuple(fc.nat(99), fc.nat(99)), { seed: seed * 100 + round, numRuns: 8 })
  for (const [index, way] of Object.values(THROUGH).entries()) {
    const [through = '', from = ''] = way(model)
    const [at = 0, filterAt = 0] = choices[index] ?? []
    const [name, of, type, aggregate] = pick(FUNCTIONS, at)
    const [filter, condition] = pick(FILTERS, filterAt)
    const slug = `r${round}_${index}`
    await define(`objects/${parent}`, slug, type, {
      computed: {
        rollup: { through, function: name, ...(of && { of }), ...(filter && { filter }) },
        tracked: index % 2 === 0,
      },
    })
    const source = `${from} and (${condition})`
    const expected = aggregate.includes('FROM')
      ? aggregate.replace('FROM', source)
      : `(select ${aggregate} from ${source})`
    definitions.push({ object: parent, slug, expected })
  }
  const [through = '', from = ''] = THROUGH.one(model)
  const sum = `(select sum(c.twice) from ${from})`
  await define(`objects/${parent}`, `s${round}`, 'number', {
    computed: { rollup: { through, function: 'sum', of: 'twice' } },
  })
  await define(`objects/${parent}`, `f${round}`, 'number', {
    // In a database that Citus distributes, formulas are not tracked.
    computed: { formula: `coalesce(s${round}, 0) + 1`, tracked: !sql.service.db.isDistributed },
  })
  definitions.push({ object: parent, slug: `f${round}`, expected: `coalesce(${sum}, 0) + 1` })
  const ofOne = (value: string) => `(select ${value} from ${parent} p where p.record_id = q.one.entity_instance_id)`
  await define(`objects/${child}`, `l${round}`, 'number', { computed: { lookup: ['one', `f${round}`], tracked: true } })
  definitions.push({ object: child, slug: `l${round}`, expected: ofOne(`coalesce(${sum}, 0) + 1`) })
  await define(`objects/${child}`, `k${round}`, 'select', { computed: { lookup: ['one', 'kind'] } })
  definitions.push({ object: child, slug: `k${round}`, expected: ofOne('p.kind') })
  await define(`lists/${list}`, `t${round}`, 'text', { computed: { lookup: ['parent_record', 't'], tracked: true } })
  definitions.push({
    object: `lists.${list}`,
    slug: `t${round}`,
    expected: `(select p.t from ${parent} p where p.record_id = q.parent_record.entity_instance_id)`,
  })
  return definitions
}

/** Compares all values. Returns how many there are. */
async function compare(definitions: readonly Definition[]): Promise<number> {
  let values = 0
  for (const { object, slug, expected } of definitions) {
    const name = expected.includes('q.') ? 'q' : 'p'
    const rows = await sql.rows(
      `select ${name}.${slug}::text as stored, (${expected})::text as expected from ${object} ${name}`,
    )
    for (const { stored, expected: right } of rows) {
      expect([object, slug, comparable(stored)]).toEqual([object, slug, comparable(right)])
      if (right !== null) values++
    }
  }
  return values
}

/** The tracked values, whose periods follow each other: pairs that overlap, and ended values. */
async function readHistory({ parent, child, list }: Model): Promise<{ overlapping: number; ended: number }> {
  const model = await sql.service.appContext.models.reload(sql.service.workspaceId)
  const tracked = model.entityTypes
    .filter(({ api_slug }) => [parent, child, list].includes(api_slug))
    .flatMap(({ attributes }) => attributes.filter(({ computed, has_history }) => computed && has_history))
  const [row] = await sql.service.db.sql.unsafe<{ overlapping: number; ended: number }[]>(
    `with own as (select * from ${model.schema}.history where attribute = any($1::int[]))
     select (select count(*)::int from own) as ended, (
       select count(*)::int from own one join own other using (entity_id, attribute)
       where one.sequence < other.sequence and one.active_until > other.active_from and one.active_from < other.active_until) as overlapping`,
    [`{${tracked.map(({ number }) => number).join(',')}}`],
  )
  return row ?? { overlapping: 0, ended: 0 }
}

/** The value of a text in a form in which 1.5 and 1.50 are equal. */
const comparable = (text: unknown): unknown =>
  typeof text === 'string' && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text

const values = fc.record({
  n: fc.constantFrom(null, 0, 1, -2.5, 7),
  price: fc.constantFrom([], 0, 1.5, '12345.6789'),
  t: fc.constantFrom(null, 'a', 'b', 'ab, c'),
  day: fc.constantFrom(null, '2026-02-28', '0001-01-01'),
  yes: fc.boolean(),
  kind: fc.constantFrom([], 'Open', 'Won', 'Lost'),
})

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'create', 'create', 'create', 'update', 'update', 'move', 'move', 'move', 'delete', 'restore', 'merge', 'batch', 'bulk',
      'entry', 'entry', 'unlist', 'purge', 'die', 'work',
    ), // prettier-ignore
    ofParent: fc.boolean(),
    values,
    at: fc.nat(1000),
    other: fc.nat(1000),
  }),
  { minLength: STEPS, maxLength: STEPS },
)

/** A process takes all work and is killed. Its leases end. */
async function die(): Promise<void> {
  await sql.service.events()
  await sql.service.db.sql`
    update relata.rollup_refreshes set due_at = now(), leased_by = gen_random_uuid(), attempts = attempts + 1`
}

test(`every value is that of its definition, with seed ${seed}`, async () => {
  const model = await makeModel()
  const { parent, child, list } = model
  const definitions = await makeDefinitions(model, 0)
  const [run = []] = fc.sample(steps, { seed, numRuns: 1 })
  const live: Record<string, string[]> = { [parent]: [], [child]: [] }
  const trashed: [string, string][] = []
  const entries: string[] = []
  const send = (method: string, path: string, data?: unknown) => sql.service.request(method, `/v2/${path}`, data)
  const remove = (object: string, id: string) => live[object]?.splice(live[object].indexOf(id), 1)
  const referencesOf = (object: string, at: number, other: number) => {
    const parents = live[parent] ?? []
    const [one, two] = [parents[at % parents.length], parents[other % parents.length]]
    if (one === undefined || two === undefined) return {}
    return object === parent ? { boss: one } : { one, many: [...new Set([one, two])], pair: [two] }
  }
  const seeds = fc.sample(values, { seed, numRuns: 18 })
  for (const [index, written] of seeds.entries()) {
    const object = index < 6 ? parent : child
    const references = index < 3 ? {} : referencesOf(object, index, index + 1)
    const { body } = await send('POST', `objects/${object}/records`, {
      data: { values: { ...written, ...references } },
    })
    if (!body.data) throw new Error(JSON.stringify([written, references, body]))
    live[object]?.push(body.data.id.record_id)
  }
  for (const { kind, ofParent, values: written, at, other } of run) {
    const object = ofParent ? parent : child
    const ids = live[object] ?? []
    const id = ids[at % Math.max(1, ids.length)]
    const path = `objects/${object}/records`
    if (kind === 'create' || id === undefined) {
      const { body } = await send('POST', path, {
        data: { values: { ...written, ...referencesOf(object, at, other) } },
      })
      if (body.data) ids.push(body.data.id.record_id)
    } else if (kind === 'update') await send('PATCH', `${path}/${id}`, { data: { values: written } })
    else if (kind === 'move')
      await send('PUT', `${path}/${id}`, { data: { values: referencesOf(object, at + 1, other) } })
    else if (kind === 'delete' || kind === 'purge') {
      await send('DELETE', `${path}/${id}${kind === 'purge' ? '?permanent=true' : ''}`)
      remove(object, id)
      if (kind === 'delete') trashed.push([object, id])
    } else if (kind === 'restore') {
      const [of, last] = trashed.splice(other % Math.max(1, trashed.length), 1)[0] ?? []
      if (
        of !== undefined &&
        last !== undefined &&
        (await send('POST', `objects/${of}/records/${last}/restore`)).status === 200
      )
        live[of]?.push(last)
    } else if (kind === 'merge') {
      const second = ids[(at + 1) % ids.length]
      const merge = { primary_record_id: id, secondary_record_id: second }
      const { status, body } = await send('POST', `${path}/merge`, { data: merge })
      if (status !== 200 || second === undefined) continue
      for (const gone of [id, second]) {
        remove(object, gone)
        trashed.push([object, gone])
      }
      ids.push(body.data.new_record_id)
    } else if (kind === 'batch')
      await sql.service.request('POST', `/v2/${path}/batch`, {
        data: {
          operations: [0, 1, 2].map((each) => ({
            op: 'update',
            record_id: ids[(at + each) % ids.length],
            values: written,
          })),
        },
      })
    else if (kind === 'bulk')
      await jobsOf(sql.service).complete(`/v2/${path}`, { yes: true }, { op: 'update', values: written })
    else if (kind === 'entry') {
      const [record] = live[parent] ?? []
      if (record === undefined) continue
      const entry = {
        parent_object: parent,
        parent_record_id: pick(live[parent] ?? [record], at),
        entry_values: written,
      }
      const { body } = await send('POST', `lists/${list}/entries`, { data: entry })
      if (body.data) entries.push(body.data.id.entry_id)
    } else if (kind === 'unlist') {
      const [entry] = entries.splice(other % Math.max(1, entries.length), 1)
      if (entry !== undefined) await send('DELETE', `lists/${list}/entries/${entry}`)
    } else if (kind === 'die') await die()
    else await rollups.work()
  }
  await sql.service.request('GET', `/v2/objects/${parent}`)
  definitions.push(...(await makeDefinitions(model, 1)))
  await rollups.work()
  expect(await compare(definitions)).toBeGreaterThan(30)
  const { overlapping, ended } = await readHistory(model)
  expect(overlapping).toBe(0)
  expect(ended).toBeGreaterThan(1)
})
