/** Look-ups and rollups: their definitions, and their values after every way in which records change. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { getAttribute, getObject } from '#engine/data-model/find'
import { targetColumn, targetObjectColumn } from '#engine/storage/layout'
import { readFeeds } from '#crm/feed-worker'
import { refreshRollups, type RollupContext } from '#engine/rollups/refresh'
import { attributeClient, attributeInput } from '#testing/attributes'
import { createTrigger } from '#testing/create-trigger'
import { listClient } from '#testing/lists'
import { rollupsOf } from '#testing/rollups'
import { until } from '#testing/until'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
const rollups = rollupsOf(service)
const lists = listClient(service)

/** An object whose records refer to those of another one, `parent`. */
let parent = ''
let child = ''

beforeAll(async () => {
  parent = await api.object()
  child = await api.object()
  await define(parent, { api_slug: 'industry', type: 'select', config: { options: ['Metal', 'Wood'] } })
  await define(parent, { api_slug: 'title', type: 'text' })
  await define(child, { api_slug: 'title', type: 'text' })
  await define(child, { api_slug: 'amount', type: 'currency' })
  await define(child, { api_slug: 'count', type: 'number' })
  await define(child, { api_slug: 'due', type: 'date' })
  await define(child, { api_slug: 'stage', type: 'select', config: { options: ['Open', 'Won'] } })
  await define(child, { api_slug: 'owner', type: 'actor-reference' })
  await define(child, {
    api_slug: 'parent',
    type: 'record-reference',
    config: { record_reference: { allowed_objects: [parent] } },
  })
  await define(child, {
    api_slug: 'parents',
    type: 'record-reference',
    is_multiselect: true,
    config: { record_reference: { allowed_objects: [parent] } },
  })
})

async function define(object: string, members: Record<string, unknown>): Promise<string> {
  const { status, body } = await api.create(object, attributeInput(members))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.api_slug
}

const rollup = (members: Record<string, unknown>) => ({
  computed: { rollup: { through: `${child}.parent`, ...members } },
})

async function valueOf(object: string, id: string, slug: string): Promise<unknown> {
  const values = (await api.values(object, id))[slug]
  const found = values.map(
    (value: Record<string, { title?: string } | undefined>) =>
      value.value ?? value.currency_value ?? value.option?.title ?? value.full_name,
  )
  return found.length > 1 ? found : found[0]
}

const patch = async (object: string, id: string, values: unknown) => {
  const { status, body } = await service.request('PATCH', `/v2/objects/${object}/records/${id}`, { data: { values } })
  if (status !== 200) throw new Error(JSON.stringify(body))
}

describe('POST …/attributes with a look-up or a rollup', () => {
  test('200 with a read-only attribute, whose values are those of the records', async () => {
    const one = await api.record(parent, { title: 'one', industry: 'Metal' })
    const id = await api.record(child, { title: 'a', amount: 10, parent: one })
    const { status, body } = await api.create(
      child,
      attributeInput({ api_slug: 'industry', type: 'select', computed: { lookup: ['parent', 'industry'] } }),
    )
    expect([status, body.message]).toEqual([200, undefined])
    expect(body.data).toMatchObject({
      is_writable: false,
      is_system_attribute: true,
      computed: { lookup: ['parent', 'industry'], is_complete: true },
    })
    expect(await valueOf(child, id, 'industry')).toBe('Metal')
    const total = await define(parent, { type: 'currency', ...rollup({ function: 'sum', of: 'amount' }) })
    expect(await valueOf(parent, one, total)).toBe(10)
    const { body: values } = await service.request('GET', `/v2/objects/${parent}/records/${one}`)
    expect(values.data.values[total]).toMatchObject([{ created_by_actor: { type: 'system' }, active_until: null }])
  })

  test.each([
    ['count', {}, 'number', 3],
    ['sum', { of: 'amount' }, 'currency', 30.5],
    ['sum', { of: 'count' }, 'number', 0.3],
    ['min', { of: 'count' }, 'number', 0.1],
    ['max', { of: 'amount' }, 'number', 20.5],
    ['average', { of: 'amount' }, 'currency', 15.25],
    ['earliest', { of: 'due' }, 'date', '2026-01-31'],
    ['latest', { of: 'due' }, 'date', '2026-03-01'],
    ['list', { of: 'title' }, 'text', 'a, b'],
    ['list', { of: 'stage' }, 'text', 'Open, Won'],
    ['count', { filter: { stage: 'Won' } }, 'number', 1],
    ['sum', { of: 'amount', filter: { $or: [{ stage: 'Won' }, { amount: { $gt: 15 } }] } }, 'currency', 20.5],
    ['sum', { of: 'amount', filter: { title: 'nothing' } }, 'currency', undefined],
    ['count', { filter: { $not: { stage: { $not_empty: true } } } }, 'number', 1],
  ] as const)('%s of %p as %s is %p', async (name, members, type, expected) => {
    const one = await api.record(parent, {})
    await api.record(child, { title: 'a', amount: 10, count: 0.1, due: '2026-03-01', stage: 'Open', parent: one })
    await api.record(child, { title: 'b', amount: 20.5, count: 0.2, due: '2026-01-31', stage: 'Won', parent: one })
    await api.record(child, { title: 'a', parent: one })
    const slug = await define(parent, { type, ...rollup({ function: name, ...members }) })
    expect(await valueOf(parent, one, slug)).toBe(expected as never)
    await api.remove(parent, slug)
  })

  test('a list has at most 1,000 characters of each value', async () => {
    const one = await api.record(parent, {})
    await api.record(child, { title: 'é'.repeat(1_001), parent: one })
    await api.record(child, { title: 'f', parent: one })
    const slug = await define(parent, rollup({ function: 'list', of: 'title' }))
    expect(await valueOf(parent, one, slug)).toBe(`f, ${'é'.repeat(1_000)}`)
    await api.remove(parent, slug)
  })

  test.each([
    [{ lookup: ['parent'] }, 'data.computed.lookup'],
    [{ lookup: ['paren', 'title'] }, `${'CHILD'} has no attribute "paren". Perhaps you meant "parent".`],
    [{ lookup: ['parent', 'titel'] }, 'PARENT has no attribute "titel". Perhaps you meant "title".'],
    [{ lookup: ['title', 'title'] }, '"title" does not refer to records.'],
    [
      { lookup: ['parents', 'title'] },
      '"parents" has several values. A rollup can list or add up those of their records.',
    ],
    [{ lookup: ['parent', 'record_id'] }, 'A look-up or rollup cannot have the values of "record_id".'],
    [{ lookup: ['parent', 'industry'] }, 'The lookup has a value of type select'],
    [{}, 'Name one of formula, lookup, rollup'],
    [{ formula: '1', lookup: ['parent', 'title'] }, 'Name one of formula, lookup, rollup'],
  ])('400 for %p', async (computed, message) => {
    const { status, body } = await api.create(child, attributeInput({ computed }))
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(JSON.stringify(body.validation_errors).replaceAll('\\"', '"')).toContain(
      message.replace('CHILD', child).replace('PARENT', parent).replace('data.computed.lookup', 'lookup'),
    )
  })

  test.each([
    [{ through: 'nothing', function: 'count' }, 'There is no list "nothing" that the whole workspace has access to.'],
    [{ through: 'nothing.parent', function: 'count' }, 'There is no object or activity "nothing".'],
    [{ through: 'CHILD.paren', function: 'count' }, 'CHILD has no attribute "paren". Perhaps you meant "parent".'],
    [{ through: 'CHILD.title', function: 'count' }, '"CHILD.title" does not refer to records of PARENT.'],
    [{ through: 'people.company', function: 'count' }, '"people.company" does not refer to records of PARENT.'],
    [{ through: 'CHILD.parent', function: 'sum' }, 'Name the attribute that sum reads.'],
    [{ through: 'CHILD.parent', function: 'sum', of: 'title' }, '"title" is no number.'],
    [{ through: 'CHILD.parent', function: 'max', of: 'due' }, 'Of dates and times there are earliest and latest.'],
    [{ through: 'CHILD.parent', function: 'latest', of: 'count' }, '"count" is neither a date nor a time.'],
    [{ through: 'CHILD.parent', function: 'count', of: 'title' }, 'A filter can leave some of them out.'],
    [{ through: 'CHILD.parent', function: 'list', of: 'owner' }, '"owner" has values that are no text.'],
    [{ through: 'CHILD.parent', function: 'list', of: 'title.x' }, '"title" has no fields.'],
    [{ through: 'CHILD.parent', function: 'list', of: 'parent' }, 'cannot have the values of "parent"'],
    [{ through: 'CHILD.parent', function: 'median', of: 'count' }, 'function'],
    [
      { through: 'CHILD.parent', function: 'count', filter: { due: { $relative: { period: 'today' } } } },
      'cannot depend on the time',
    ],
    [
      {
        through: 'CHILD.parent',
        function: 'count',
        filter: {
          path: [
            ['CHILD', 'parent'],
            ['PARENT', 'title'],
          ],
          constraints: 'x',
        },
      },
      'has no paths',
    ],
    [{ through: 'CHILD.parent', function: 'latest', of: 'due' }, 'The rollup has a value of type date'],
  ])('400 for %p', async (given, message) => {
    const named = (text: string) => text.replaceAll('CHILD', child).replaceAll('PARENT', parent)
    const { status, body } = await api.create(
      parent,
      attributeInput({ type: 'number', computed: { rollup: JSON.parse(named(JSON.stringify(given))) } }),
    )
    expect(status).toBe(400)
    expect(JSON.stringify(body.validation_errors).replaceAll('\\"', '"')).toContain(named(message))
  })

  test('400 for an unknown attribute and operand in the filter, as in a query', async () => {
    const refused = async (filter: unknown) =>
      (await api.create(parent, attributeInput({ type: 'number', ...rollup({ function: 'count', filter }) }))).body.code
    expect(await refused({ stag: 'Won' })).toBe('unknown_filter_attribute_slug')
    expect(await refused({ stage: 'Lost' })).toBe('value_not_found')
    expect(await refused({ count: { $between: 1 } })).toBe('invalid_filter_operator')
  })
})

describe('values follow', () => {
  let count = ''
  let sum = ''
  let won = ''
  let several = ''
  let title = ''

  beforeAll(async () => {
    count = await define(parent, { type: 'number', ...rollup({ function: 'count' }) })
    sum = await define(parent, { type: 'currency', ...rollup({ function: 'sum', of: 'amount' }) })
    won = await define(parent, { type: 'number', ...rollup({ function: 'count', filter: { stage: 'Won' } }) })
    several = await define(parent, {
      type: 'number',
      computed: { rollup: { through: `${child}.parents`, function: 'count' } },
    })
    title = await define(child, { computed: { lookup: ['parent', 'title'] } })
  })

  const valuesOf = async (id: string) => {
    await rollups.work()
    return Promise.all([count, sum, won, several].map((slug) => valueOf(parent, id, slug)))
  }

  test('changes of the values, moved references, deletions and restorations', async () => {
    const [one, two] = [await api.record(parent, { title: 'one' }), await api.record(parent, { title: 'two' })]
    const id = await api.record(child, { amount: 5, parent: one, parents: [one, two] })
    expect(await valuesOf(one)).toEqual([1, 5, 0, 1])
    await patch(child, id, { amount: 7, stage: 'Won' })
    expect(await valuesOf(one)).toEqual([1, 7, 1, 1])
    await service.request('PUT', `/v2/objects/${child}/records/${id}`, {
      data: { values: { parent: two, parents: [two] } },
    })
    expect(await valuesOf(one)).toEqual([0, undefined, 0, 0])
    expect(await valuesOf(two)).toEqual([1, 7, 1, 1])
    expect(await valueOf(child, id, title)).toBe('two')
    await service.request('DELETE', `/v2/objects/${child}/records/${id}`)
    expect(await valuesOf(two)).toEqual([0, undefined, 0, 0])
    await service.request('POST', `/v2/objects/${child}/records/${id}/restore`)
    expect(await valuesOf(two)).toEqual([1, 7, 1, 1])
    await service.request('DELETE', `/v2/objects/${parent}/records/${two}`)
    await rollups.work()
    expect(await valueOf(child, id, title)).toBeUndefined()
    await service.request('POST', `/v2/objects/${parent}/records/${two}/restore`)
    expect(await valuesOf(two)).toEqual([1, 7, 1, 1])
    expect(await valueOf(child, id, title)).toBe('two')
    await patch(parent, two, { title: 'second' })
    await rollups.work()
    expect(await valueOf(child, id, title)).toBe('second')
  })

  test('a record in the trash has no text of a record that is deleted for good', async () => {
    const shout = await define(child, { type: 'text', computed: { formula: `upper(${title})` } })
    const [secret, kept] = [await api.record(parent, { title: 'secret' }), await api.record(parent, { title: 'kept' })]
    const [id, other] = [await api.record(child, { parent: secret }), await api.record(child, { parent: kept })]
    await rollups.work()
    const read = async (each: string) => [await valueOf(child, each, title), await valueOf(child, each, shout)]
    expect(await read(id)).toEqual(['secret', 'SECRET'])
    for (const each of [id, other]) await service.request('DELETE', `/v2/objects/${child}/records/${each}`)
    await service.request('DELETE', `/v2/objects/${parent}/records/${secret}?permanent=true`)
    await rollups.work()
    const { schema } = await service.appContext.models.reload(service.workspaceId)
    const rows = await service.db.sql.unsafe(
      `select content::text from ${schema}.trash where content::text ~* 'secret'`,
    )
    expect(rows.length).toBe(0)
    for (const each of [id, other]) await service.request('POST', `/v2/objects/${child}/records/${each}/restore`)
    await rollups.work()
    expect([await read(id), await read(other)]).toEqual([
      [undefined, undefined],
      ['kept', 'KEPT'],
    ])
  })

  test('merges, and what the restoration of an original takes back', async () => {
    const [one, two] = [await api.record(parent, { title: 'one' }), await api.record(parent, { title: 'two' })]
    const [a, b] = [
      await api.record(child, { amount: 1, parent: one }),
      await api.record(child, { amount: 2, parent: two }),
    ]
    expect(await valuesOf(one)).toEqual([1, 1, 0, 0])
    const { status, body } = await service.request('POST', `/v2/objects/${parent}/records/merge`, {
      data: { primary_record_id: one, secondary_record_id: two },
    })
    expect([status, body.message]).toEqual([200, undefined])
    const merged = body.data.new_record_id
    expect(await valuesOf(merged)).toEqual([2, 3, 0, 0])
    expect([await valueOf(child, a, title), await valueOf(child, b, title)]).toEqual(['one', 'one'])
    await service.request('POST', `/v2/objects/${parent}/records/${two}/restore`)
    expect(await valuesOf(two)).toEqual([1, 2, 0, 0])
    expect(await valuesOf(merged)).toEqual([1, 1, 0, 0])
    expect(await valueOf(child, b, title)).toBe('two')
  })

  test('look-ups of rollups, formulas over them, and rollups of these', async () => {
    const weight = await define(child, { type: 'number', computed: { formula: 'coalesce(amount, 0) * 2' } })
    const weights = await define(parent, { type: 'number', ...rollup({ function: 'sum', of: weight }) })
    const half = await define(parent, { type: 'number', computed: { formula: `${weights} / 2` } })
    const back = await define(child, { type: 'number', computed: { lookup: ['parent', half] } })
    const one = await api.record(parent, {})
    const [a, b] = [
      await api.record(child, { amount: 1, parent: one }),
      await api.record(child, { amount: 2, parent: one }),
    ]
    await rollups.work()
    expect([await valueOf(parent, one, half), await valueOf(child, a, back)]).toEqual([3, 3])
    await patch(child, b, { amount: 20 })
    await rollups.work()
    expect([await valueOf(parent, one, half), await valueOf(child, a, back)]).toEqual([21, 21])
    const refused = await api.update(child, weight, { computed: { formula: `amount + ${back}` } })
    expect(refused.body.validation_errors[0].message).toBe(
      `The formula depends on itself: ${[weight, back, `${parent}.${half}`, `${parent}.${weights}`, weight].join(' → ')}`,
    )
    await api.update(child, weight, { computed: { formula: 'coalesce(amount, 0) * 4' } })
    await rollups.refresh()
    expect([await valueOf(parent, one, half), await valueOf(child, a, back)]).toEqual([42, 42])
    for (const [object, slug] of [
      [child, back],
      [parent, half],
      [parent, weights],
      [child, weight],
    ] as const)
      expect((await api.remove(object, slug)).status).toBe(200)
  })
})

describe('lists', () => {
  test('entries have look-ups of their parent record, and records have rollups of their entries', async () => {
    const list = await lists.listWith({ share: { type: 'number' } })
    await lists.attribute(list, 'text', { computed: { lookup: ['parent_record', 'description'] } })
    const shares = await define('people', {
      type: 'number',
      computed: { rollup: { through: list, function: 'sum', of: 'share', filter: { share: { $gt: 1 } } } },
    })
    const person = await lists.record('people', { description: 'Ada' })
    const entry = await lists.entry(list, person, { share: 2 })
    const other = await lists.entry(list, person, { share: 3 })
    await rollups.work()
    const textOf = async () => (await lists.get(list, entry)).body.data.entry_values.text[0]?.value
    expect([await valueOf('people', person, shares), await textOf()]).toEqual([5, 'Ada'])
    await patch('people', person, { description: 'Ada L.' })
    await lists.update('PATCH', list, entry, { share: 1 })
    await rollups.work()
    expect([await valueOf('people', person, shares), await textOf()]).toEqual([3, 'Ada L.'])
    await lists.remove(list, other)
    await rollups.work()
    expect(await valueOf('people', person, shares)).toBeUndefined()

    const refused = await service.request('DELETE', `/v2/lists/${list}`)
    expect([refused.status, refused.body.code, refused.body.computed_attributes]).toEqual([
      409,
      'attribute_in_use',
      [`people.${shares}`],
    ])
    // A list that the workspace has no access to hides what is made of it.
    const hide = {
      workspace_access: null,
      workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
    }
    await service.request('PATCH', `/v2/lists/${list}`, { data: hide })
    expect((await api.get('people', shares)).status).toBe(404)
    expect(shares in (await api.values('people', person))).toBe(false)
    await lists.entry(list, person, { share: 7 })
    await rollups.work()
    await service.request('PATCH', `/v2/lists/${list}`, { data: { workspace_access: 'full-access' } })
    expect(await valueOf('people', person, shares)).toBe(7)
    await api.remove('people', shares)
    expect((await service.request('DELETE', `/v2/lists/${list}`)).status).toBe(200)
  })
})

describe('what a definition names', () => {
  test('409 for archiving or deleting it, and for deleting its object', async () => {
    const note = await define(child, { type: 'text' })
    const notes = await define(parent, rollup({ function: 'list', of: note, filter: { stage: 'Won' } }))
    const refusals = [
      await api.update(child, note, { is_archived: true }),
      await api.remove(child, note),
      await api.remove(child, 'stage'),
      await api.remove(child, 'parent'),
      await service.request('DELETE', `/v2/objects/${child}`),
    ]
    for (const { status, body } of refusals) {
      expect([status, body.code]).toEqual([409, 'attribute_in_use'])
      expect(body.computed_attributes).toContain(`${parent}.${notes}`)
    }
    expect(refusals[1]?.body.message).toContain(
      `Computed attributes name the attribute "${note}": "${parent}.${notes}".`,
    )
    const { status, body } = await api.update(parent, notes, { computed: { formula: '1' } })
    expect([status, body.validation_errors[0].message]).toEqual([400, `"${notes}" is not a formula`])
    const writes = await service.request('POST', `/v2/objects/${parent}/records`, {
      data: { values: { [notes]: 'x' } },
    })
    expect([writes.status, writes.body.code]).toEqual([400, 'immutable_value'])
    await api.remove(parent, notes)
    expect((await api.remove(child, note)).status).toBe(200)
  })

  test('new slugs and titles show in the definition, and values stay right', async () => {
    const one = await api.record(parent, {})
    const text = await define(child, { type: 'text' })
    const level = await define(child, { type: 'select', config: { options: ['Low', 'High'] } })
    const lows = await define(parent, rollup({ function: 'list', of: text, filter: { [level]: { $in: ['Low'] } } }))
    const levels = await define(parent, rollup({ function: 'list', of: level }))
    await api.record(child, { parent: one, [text]: 'x', [level]: 'Low' })
    await api.update(child, text, { api_slug: 'renamed_text' })
    const { body } = await service.request('GET', `/v2/objects/${child}/attributes/${level}/options`)
    const { option_id } = body.data[0].id
    await service.request('PATCH', `/v2/objects/${child}/attributes/${level}/options/${option_id}`, {
      data: { title: 'Lowest' },
    })
    await rollups.work()
    expect([await valueOf(parent, one, lows), await valueOf(parent, one, levels)]).toEqual(['x', 'Lowest'])
    expect((await api.get(parent, lows)).body.data.computed).toEqual({
      rollup: {
        through: `${child}.parent`,
        function: 'list',
        of: 'renamed_text',
        filter: { [level]: { $in: ['Lowest'] } },
      },
      tracked: false,
      is_stored: true,
      is_complete: true,
      computed_at: expect.any(String),
    })
    for (const slug of [lows, levels]) await api.remove(parent, slug)
  })
})

test('values are written without computing formulas that do not name them', async () => {
  const named = await define(parent, rollup({ function: 'list', of: 'title' }))
  const other = await define(parent, rollup({ function: 'list', of: 'stage' }))
  const formula = await define(parent, { computed: { formula: `upper(${named})` } })
  const model = await service.appContext.models.reload(service.workspaceId)
  const [trigger] = await service.db.sql`
    select pg_get_triggerdef(oid) as definition from pg_trigger
    where tgrelid = ${getObject(model, parent).table}::regclass and tgname = 'formulas'`
  const columnOf = (slug: string) => `a_${getAttribute(getObject(model, parent), slug).number}_value`
  expect(String(trigger?.definition)).toMatch(new RegExp(`UPDATE OF version, .*\\b${columnOf(named)}\\b`))
  for (const slug of [other, formula]) expect(String(trigger?.definition)).not.toContain(columnOf(slug))
  for (const slug of [formula, named, other]) await api.remove(parent, slug)
})

describe('many records', () => {
  test('values are old until all are computed, and a killed worker loses nothing', async () => {
    const one = await api.record(parent, { title: 'one' })
    const slug = await api.object()
    await define(slug, {
      api_slug: 'one',
      type: 'record-reference',
      config: { record_reference: { allowed_objects: [parent] } },
    })
    const model = await service.appContext.models.reload(service.workspaceId)
    const [many, reference] = [getObject(model, slug), getAttribute(getObject(model, slug), 'one')]
    await service.db.sql.unsafe(
      `insert into ${many.table} (id, created_at, created_by, updated_at, updated_by,
         ${targetObjectColumn(reference)}, ${targetColumn(reference)})
       select gen_random_uuid(), now(), 0, now(), 0, ${getObject(model, parent).number}, '${one}'
       from generate_series(1, 2700)`,
    )
    const shown = await define(slug, { computed: { lookup: ['one', 'title'] } })
    const stateOf = async (title: string) => {
      const { body } = await service.request('POST', `/v2/objects/${slug}/records/query`, {
        filter: { [shown]: title },
        include_count: true,
        limit: 1,
      })
      return [(await api.get(slug, shown)).body.data.computed.is_complete, body.pagination.total]
    }
    expect(await stateOf('one')).toEqual([false, 1000])
    const progressOf = async () => (await api.get(slug, shown)).body.data.computed.progress
    expect(await progressOf()).toEqual({ computed: 0, total: null })
    const stopping = new AbortController()
    const pauses: number[] = []
    await rollups.refresh(stopping.signal, async (ms) => {
      if (pauses.push(ms) === 2) stopping.abort()
    })
    // No request arrived.
    expect(pauses).toEqual([0, 0])
    expect(await stateOf('one')).toEqual([false, 2000])
    expect(await progressOf()).toEqual({ computed: 2000, total: 2700 })
    await rollups.refresh()
    // The service learns of the new data model by a notification.
    await until(async () => (await stateOf('one'))[0] === true)
    expect(await stateOf('one')).toEqual([true, 2700])
    expect(await progressOf()).toBeUndefined()

    // A record to which many refer. Another change while they are computed begins again.
    await patch(parent, one, { title: 'two' })
    const again = new AbortController()
    await rollups.work(again.signal, async () => again.abort())
    expect(await stateOf('two')).toEqual([true, 1000])
    await patch(parent, one, { title: 'three' })
    await rollups.work()
    expect([await stateOf('two'), await stateOf('three')]).toEqual([
      [true, 0],
      [true, 2700],
    ])

    // A transaction computes pages until its time is over, and one only while requests arrive.
    const pausesOf = async (title: string, context: Partial<RollupContext>) => {
      const found: number[] = []
      await patch(parent, one, { title })
      await service.events()
      await readFeeds(service.appContext)
      const run = { stopping: new AbortController().signal, logFailure: () => {} }
      const pause = async (ms: number) => void found.push(ms)
      await refreshRollups({ context: { ...service.appContext, ...context }, ...run }, { pause, transactionMs: 60_000 })
      expect(await stateOf(title)).toEqual([true, 2700])
      return found
    }
    expect(await pausesOf('four', {})).toEqual([])
    let total = 0
    const requests = {
      get total() {
        return total++
      },
      add() {},
    }
    const waited = await pausesOf('five', { requests })
    expect([waited.length, waited.every((ms) => ms > 0)]).toEqual([2, true])
    const [row] = await service.db.sql.unsafe(`select max(version) as version from ${many.table}`)
    expect(row?.version).toBe(1)
  })
})

test('entities that refer to several changed records are computed in one transaction for twenty of these', async () => {
  const title = await define(child, { computed: { lookup: ['parent', 'title'] } })
  const titles = Array.from({ length: 25 }, (_, index) => `before ${index}`)
  const parents = await Promise.all(titles.map((each) => api.record(parent, { title: each })))
  const children = await Promise.all(parents.map((each) => api.record(child, { parent: each })))
  await rollups.work()
  await Promise.all(parents.map((id, index) => patch(parent, id, { title: `after ${index}` })))
  await rollups.work()
  const shown = await Promise.all(children.map((id) => valueOf(child, id, title)))
  expect(shown).toEqual(parents.map((_, index) => `after ${index}`))
  const model = await service.appContext.models.reload(service.workspaceId)
  const [row] = await service.db.sql.unsafe(
    `select count(distinct xmin::text)::int as transactions from ${getObject(model, child).table} where id = any($1::uuid[])`,
    [`{${children.join(',')}}`],
  )
  expect(row?.transactions).toBe(2)
})

test('`computed_at` is that of the oldest write that the values do not have', async () => {
  const slug = await define(parent, { type: 'number', ...rollup({ function: 'count' }) })
  const readAt = async (): Promise<string> => (await api.get(parent, slug)).body.data.computed.computed_at
  const one = await api.record(parent, {})
  await rollups.work()
  const { body } = await service.request('POST', `/v2/objects/${child}/records`, { data: { values: { parent: one } } })
  const writtenAt = body.data.created_at
  const times = [await readAt()]
  await service.events()
  times.push(await readAt())
  await readFeeds(service.appContext)
  times.push(await readAt())
  expect(times).toEqual([writtenAt, writtenAt, writtenAt])
  await rollups.refresh()
  expect((await readAt()) > writtenAt).toBe(true)
  expect(
    (await api.list(parent)).every(({ computed }: { computed?: object }) => !computed || !('computed_at' in computed)),
  ).toBe(true)
})

test('a record that cannot be computed does not hold up others', async () => {
  const [bad, good] = [await api.record(parent, {}), await api.record(parent, {})]
  const slug = await define(parent, { type: 'number', ...rollup({ function: 'count' }) })
  const model = await service.appContext.models.reload(service.workspaceId)
  await createTrigger(service.db, {
    name: 'refuse_one',
    when: `before update on ${getObject(model, parent).table}`,
    body: `if new.id = '${bad}' then raise exception 'refused'; end if; return new;`,
  })
  for (const one of [bad, good]) await api.record(child, { title: 'a', parent: one })
  const failures: string[] = []
  const run = () =>
    refreshRollups(
      {
        context: service.appContext,
        stopping: new AbortController().signal,
        logFailure: (message) => failures.push(message),
      },
      { pause: async () => {}, transactionMs: 0 },
    )
  await service.events()
  await readFeeds(service.appContext)
  await run()
  expect([failures.length, await valueOf(parent, good, slug)]).toEqual([1, 0])
  // After the lease.
  await service.db.sql`update relata.rollup_refreshes set due_at = now() - interval '1 second'`
  await run()
  expect([failures.length, await valueOf(parent, good, slug), await valueOf(parent, bad, slug)]).toEqual([2, 1, 0])
  await service.db.sql`drop function refuse_one cascade`
  await service.db.sql`update relata.rollup_refreshes set due_at = now() - interval '1 second'`
  await run()
  expect([failures.length, await valueOf(parent, bad, slug)]).toEqual([2, 1])
})
