/** What changes of the data model, and what happens to records, mean for computed attributes. */

import { beforeEach, describe, expect, test } from 'bun:test'
import { attributeClient, attributeInput } from '#testing/attributes'
import { useTestService } from '#testing/use-service'
import { formulaWorker } from '#engine/formulas/fill'
import { getAttribute, getObject } from '#engine/data-model/find'
import { deletedObjectWorker } from '#api/entities/erase-deleted'
import { runWorker } from '#testing/workers'

const service = useTestService({ objectQuota: 100 })
const api = attributeClient(service)

let slug = ''

beforeEach(async () => {
  slug = await api.object()
  await create({ api_slug: 'count', type: 'number' })
  await create({ api_slug: 'stage', type: 'select', config: { options: ['Open', 'Won'] } })
})

async function create(members: Record<string, unknown>, object = slug): Promise<string> {
  const { status, body } = await api.create(object, attributeInput(members))
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.data.id.attribute_id
}

const formula = (text: string, members: Record<string, unknown> = {}) =>
  create({ type: 'number', computed: { formula: text }, ...members })

const shown = async (attribute: string) => (await api.get(slug, attribute)).body.data.computed.formula

const path = (rest = '') => `/v2/objects/${slug}/records${rest}`

async function valueOf(id: string, attribute: string) {
  const [value] = (await api.values(slug, id))[attribute]
  return value?.value
}

describe('changes of the formula', () => {
  test('200, and the values follow', async () => {
    await formula('count + 1', { api_slug: 'next' })
    const id = await api.record(slug, { count: 1 })
    const etag = (await service.request('GET', path(`/${id}`))).headers.get('etag')
    const { status, body } = await api.update(slug, 'next', { computed: { formula: 'count + 10' } })
    expect([status, body.data.computed]).toEqual([
      200,
      { formula: 'count + 10', tracked: false, is_stored: true, is_complete: true },
    ])
    expect(await valueOf(id, 'next')).toBe(11)
    expect((await service.request('GET', path(`/${id}`))).headers.get('etag')).toBe(etag)
  })

  test('400 for another type, for settings, for a cycle with its path, and for an attribute that is not computed', async () => {
    await formula('count + 1', { api_slug: 'a' })
    await formula('a + 1', { api_slug: 'b' })
    await formula('b + a', { api_slug: 'c' })
    const messageOf = async (attribute: string, change: unknown) => {
      const { status, body } = await api.update(slug, attribute, change)
      return `${status} ${body.validation_errors[0].path.join('.')} ${body.validation_errors[0].message}`
    }
    expect(await messageOf('a', { computed: { formula: "'x'" } })).toBe(
      '400 data.type The formula has a value of type text',
    )
    expect(await messageOf('a', { computed: { formula: 'c' } })).toBe(
      '400 data.computed.formula The formula depends on itself: a → c → a',
    )
    expect(await messageOf('a', { computed: { formula: 'a' } })).toBe(
      '400 data.computed.formula The formula depends on itself: a → a',
    )
    expect(await messageOf('a', { is_unique: true })).toBe('400 data.is_unique Must be false for a computed attribute')
    expect(await messageOf('count', { computed: { formula: '1' } })).toBe(
      '400 data.computed "count" is not a computed attribute',
    )
  })

  test('formulas over formulas follow, whatever their order', async () => {
    await formula('count + 1', { api_slug: 'a' })
    await formula('a * 2', { api_slug: 'b' })
    const id = await api.record(slug, { count: 1 })
    expect(await valueOf(id, 'b')).toBe(4)
    await formula('count * 100', { api_slug: 'z' })
    await api.update(slug, 'a', { computed: { formula: 'z + 1' } })
    expect(await valueOf(id, 'b')).toBe(202)
    await service.request('PATCH', path(`/${id}`), { data: { values: { count: 2 } } })
    expect(await valueOf(id, 'b')).toBe(402)
  })
})

describe('changes of other attributes', () => {
  test('the formula shows new slugs, with quotes where they need them', async () => {
    await formula('count + "count"', { api_slug: 'twice' })
    const id = await api.record(slug, { count: 1 })
    await api.update(slug, 'count', { api_slug: 'amount' })
    expect(await shown('twice')).toBe('amount + "amount"')
    await api.update(slug, 'amount', { api_slug: 'order' })
    expect(await shown('twice')).toBe('"order" + "order"')
    await api.update(slug, 'order', { api_slug: 'net-value' })
    expect(await shown('twice')).toBe('"net-value" + "net-value"')
    await service.request('PATCH', path(`/${id}`), { data: { values: { 'net-value': 4 } } })
    expect(await valueOf(id, 'twice')).toBe(8)
    const text = await shown('twice')
    expect((await api.update(slug, 'twice', { computed: { formula: text } })).status).toBe(200)
  })

  test('409 for archiving and deleting an attribute that formulas name', async () => {
    await formula('count', { api_slug: 'one' })
    await formula('count + one', { api_slug: 'two' })
    for (const refused of [await api.update(slug, 'count', { is_archived: true }), await api.remove(slug, 'count')]) {
      expect(refused.status).toBe(409)
      expect(refused.body).toMatchObject({
        code: 'attribute_in_use',
        message: 'Computed attributes name the attribute "count": "one", "two". Change or delete them first.',
        computed_attributes: ['one', 'two'],
      })
    }
    expect((await api.remove(slug, 'two')).status).toBe(200)
    expect((await api.remove(slug, 'one')).status).toBe(200)
    await api.record(slug, { count: 1 })
    expect((await api.remove(slug, 'count')).status).toBe(200)
    await api.record(slug, {})
  })

  test('titles of options follow: a new one, a renamed one', async () => {
    await formula("case stage when 'Won' then 1 when 'Lost' then -1 else 0 end", { api_slug: 'score' })
    const won = await api.record(slug, { stage: 'Won' })
    expect(await valueOf(won, 'score')).toBe(1)
    const options = `/v2/objects/${slug}/attributes/stage/options`
    await service.request('POST', options, { data: { title: 'Lost' } })
    const lost = await api.record(slug, { stage: 'Lost' })
    expect(await valueOf(lost, 'score')).toBe(-1)
    await service.request('PATCH', `${options}/Won`, { data: { title: 'Closed' } })
    expect(await valueOf(won, 'score')).toBe(0)
  })

  test('an archived formula has its values when it comes back', async () => {
    await formula('count', { api_slug: 'same' })
    const id = await api.record(slug, { count: 1 })
    await api.update(slug, 'same', { is_archived: true })
    expect(await api.values(slug, id)).not.toHaveProperty('same')
    await service.request('PATCH', path(`/${id}`), { data: { values: { count: 2 } } })
    await api.update(slug, 'same', { is_archived: false })
    expect(await valueOf(id, 'same')).toBe(2)
  })
})

interface Found {
  readonly id: { readonly record_id: string }
  readonly values: Record<string, { value: number }[]>
}

describe('records', () => {
  test('batches, upserts, merges, the trash and restorations have true values', async () => {
    await create({ api_slug: 'key', type: 'text', is_unique: true })
    await formula('count * 2', { api_slug: 'twice' })
    const operations = [1, 2].map((count) => ({ op: 'create', values: { count, key: `k${count}` } }))
    const batch = await service.request('POST', path('/batch'), { data: { operations } })
    expect(batch.status).toBe(200)
    const { body: upserted } = await service.request('PUT', `${path()}?matching_attribute=key`, {
      data: { values: { key: 'k1', count: 5 } },
    })
    expect(upserted.data.values.twice[0].value).toBe(10)
    const { body } = await service.request('POST', path('/query'), {
      sorts: [{ attribute: 'twice', direction: 'asc' }],
    })
    expect(body.data.map(({ values }: Found) => values.twice?.[0]?.value)).toEqual([4, 10])
    const [first, second] = body.data.map(({ id }: Found) => id.record_id)
    const upsert = await service.request('PUT', `${path()}?matching_attribute=twice`, {
      data: { values: { count: 1 } },
    })
    expect(upsert.status).toBe(400)
    await service.request('DELETE', path(`/${first}`))
    const restored = await service.request('POST', path(`/${first}/restore`), {})
    expect([restored.status, await valueOf(first, 'twice')]).toEqual([200, 4])
    const merged = await service.request('POST', path('/merge'), {
      data: { primary_record_id: first, secondary_record_id: second },
    })
    expect(merged.status).toBe(200)
    expect(await valueOf(merged.body.data.new_record_id, 'twice')).toBe(4)
  })

  test('events name the attribute that was written, and no computed one', async () => {
    const twice = await formula('count * 2', { api_slug: 'twice' })
    const id = await api.record(slug, { count: 1 })
    await service.request('PATCH', path(`/${id}`), { data: { values: { count: 2 } } })
    const events = await service.events()
    const texts = JSON.stringify(events.filter(({ event_type }) => event_type === 'record.updated'))
    expect(texts).toContain(id)
    expect(texts).not.toContain(twice)
  })
})

describe('deletion of the object for good', () => {
  test('leaves no function', async () => {
    await formula('count', { api_slug: 'same' })
    const { id, table } = getObject(await service.appContext.models.reload(service.workspaceId), slug)
    const name = `${table.split('"').at(-2)}_formulas`
    const functions = () => service.db.sql`select proname from pg_proc where proname = ${name}`
    expect(await functions()).toHaveLength(1)
    for (const path of [slug, `${id}?permanent=true`])
      expect((await service.request('DELETE', `/v2/objects/${path}`)).status).toBe(200)
    await runWorker(
      deletedObjectWorker(() => Promise.resolve()),
      service.appContext,
    )
    expect(await functions()).toHaveLength(0)
  })
})

describe('large tables', () => {
  test('a worker computes the rows behind the first page', async () => {
    const model = await service.appContext.models.reload(service.workspaceId)
    const { table, attributes } = getObject(model, slug)
    const count = attributes.find(({ api_slug }) => api_slug === 'count')
    await service.db.sql.unsafe(
      `insert into ${table} (id, created_at, created_by, updated_at, updated_by, a_${count?.number}_value)
       select gen_random_uuid(), now(), 0, now(), 0, n from generate_series(1, 5000) n`,
    )
    await formula('count + 1', { api_slug: 'next' })
    const isComplete = async () => (await api.get(slug, 'next')).body.data.computed.is_complete
    const next = getAttribute(getObject(await service.appContext.models.reload(service.workspaceId), slug), 'next')
    const missing = async () => {
      const [row] = await service.db.sql.unsafe(
        `select count(*)::int as n, min(version) as low, max(version) as high from ${table} where a_${next.number}_value is null`,
      )
      return row?.n
    }
    expect([await isComplete(), await missing()]).toEqual([false, 3000])
    expect((await api.get(slug, 'next')).body.data.computed.progress).toEqual({ computed: 2000, total: null })
    await runWorker(
      formulaWorker(() => Promise.resolve()),
      service.appContext,
    )
    await service.appContext.models.reload(service.workspaceId)
    expect([await isComplete(), await missing()]).toEqual([true, 0])
    const [row] = await service.db.sql.unsafe(`select max(version) as version from ${table}`)
    expect(row?.version).toBe(1)
  })
})
