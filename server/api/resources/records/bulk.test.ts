import { beforeAll, describe, expect, test } from 'bun:test'
import { recordIdOf, type ShownRecord, type ShownValue } from '#testing/answer-shapes'
import { attributeInput } from '#testing/attributes'
import { jobsOf } from '#testing/jobs'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const jobs = jobsOf(service)
const records = '/v2/objects/things/records'
beforeAll(async () => {
  await service.request('POST', '/v2/objects', {
    data: { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' },
  })
  for (const attribute of [
    { api_slug: 'code', is_unique: true },
    { api_slug: 'set' },
    { api_slug: 'note' },
    { api_slug: 'amount', type: 'number', is_required: false },
    { api_slug: 'tags', type: 'select', is_multiselect: true },
    { api_slug: 'next', type: 'record-reference', config: { record_reference: { allowed_objects: ['things'] } } },
  ]) {
    const { status, body } = await service.request('POST', '/v2/objects/things/attributes', {
      data: attributeInput(attribute),
    })
    expect([status, body.message]).toEqual([200, undefined])
  }
  for (const title of ['Red', 'Blue'])
    await service.request('POST', '/v2/objects/things/attributes/tags/options', { data: { title } })
})

const send = (data: unknown, { query = '', headers = {} } = {}) =>
  service.request('POST', `${records}/bulk${query}`, { data }, { headers })

/** Creates records in a set of their own. Returns their ids. */
async function seed(set: string, count: number, values: object = {}): Promise<string[]> {
  const operations = Array.from({ length: count }, () => ({ op: 'create', values: { set, ...values } }))
  const { status, body } = await service.request('POST', `${records}/batch?return=ids`, { data: { operations } })
  expect([status, body.data?.failed]).toEqual([200, 0])
  return body.data.results.map(recordIdOf)
}

const find = async (filter: object) => (await service.request('POST', `${records}/query`, { filter })).body.data
const show = async (id: string) => (await service.request('GET', `${records}/${id}`)).body.data
const eventTypes = async () => (await service.events()).map(({ event_type }) => event_type)

describe('POST /v2/objects/{object}/records/bulk', () => {
  test('202 and the job updates all records of the filter and no others, with the events of single updates', async () => {
    await seed('update', 120)
    const [other = ''] = await seed('other', 1)
    await service.events()
    const { status, body } = await send({
      filter: { set: 'update' },
      operation: { op: 'update', values: { note: 'new' } },
    })
    expect(status).toBe(202)
    expect(body.data).toMatchObject({
      status: 'running',
      operation: 'update',
      total: 120,
      done: 0,
      failed: 0,
      errors: [],
    })
    await jobs.runAll()
    expect(await jobs.show(body.data.id.job_id)).toMatchObject({
      status: 'completed',
      total: 120,
      done: 120,
      failed: 0,
      skipped: 0,
      errors: [],
      failure: null,
      ended_at: expect.any(String),
    })
    expect(await find({ set: 'update', note: 'new' })).toHaveLength(120)
    expect((await show(other)).values.note).toEqual([])
    expect(await eventTypes()).toEqual(Array.from({ length: 120 }, () => 'record.updated'))
  })

  test('the actor is the one that created the job, and the values have a history', async () => {
    const [id = ''] = await seed('actor', 1, { note: 'old' })
    await jobs.complete(records, { set: 'actor' }, { op: 'update', values: { note: 'new' } })
    const { body } = await service.request('GET', `${records}/${id}/attributes/note/values?show_historic=true`)
    expect(body.data.map(({ value }: ShownValue) => value)).toEqual(['old', 'new'])
    const single = await service.request('PATCH', `${records}/${id}`, { data: { values: { note: 'single' } } })
    expect(body.data[1].created_by_actor).toEqual(single.body.data.values.note[0].created_by_actor)
  })

  test('an update that makes records stop matching skips no others', async () => {
    await seed('moving', 130)
    const job = await jobs.complete(records, { set: 'moving' }, { op: 'update', values: { set: 'moved' } })
    expect(job).toMatchObject({ status: 'completed', total: 130, done: 130, skipped: 0 })
    expect(await find({ set: 'moving' })).toEqual([])
    expect(await find({ set: 'moved' })).toHaveLength(130)
  })

  test('records that were created after the job are not part of it', async () => {
    await seed('fixed', 2)
    const id = await jobs.create(records, { set: 'fixed' }, { op: 'update', values: { note: 'new' } })
    await seed('fixed', 2)
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ total: 2, done: 2 })
    expect(await find({ set: 'fixed', note: 'new' })).toHaveLength(2)
  })

  test('a record that no longer matches when its turn comes stays as it is, and is counted as skipped', async () => {
    const [left = ''] = await seed('left', 3)
    const id = await jobs.create(records, { set: 'left' }, { op: 'update', values: { note: 'new' } })
    await service.request('PATCH', `${records}/${left}`, { data: { values: { set: 'gone' } } })
    await jobs.runAll()
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', total: 3, done: 2, failed: 0, skipped: 1 })
    expect((await show(left)).values.note).toEqual([])
  })

  test('deletes with the events of single deletions, and ends references', async () => {
    const [target = ''] = await seed('deleted', 60)
    const next = [{ target_object: 'things', target_record_id: target }]
    const [referring = ''] = await seed('referring', 1, { next })
    await service.events()
    const job = await jobs.complete(records, { set: 'deleted' }, { op: 'delete' })
    expect(job).toMatchObject({ status: 'completed', operation: 'delete', total: 60, done: 60 })
    expect(await find({ set: 'deleted' })).toEqual([])
    expect((await show(referring)).values.next).toEqual([])
    expect((await eventTypes()).filter((type) => type === 'record.deleted')).toHaveLength(60)
  })

  test('mode says whether values of a multiselect are added or replaced', async () => {
    await seed('modes', 2, { tags: ['Red'] })
    const tagsOf = async () =>
      (await find({ set: 'modes' })).map(({ values }: ShownRecord) => values.tags?.map(({ option }) => option?.title))
    await jobs.complete(records, { set: 'modes' }, { op: 'update', values: { tags: ['Blue'] } })
    expect(await tagsOf()).toEqual([
      ['Blue', 'Red'],
      ['Blue', 'Red'],
    ])
    await jobs.complete(records, { set: 'modes' }, { op: 'update', values: { tags: ['Blue'] }, mode: 'overwrite' })
    expect(await tagsOf()).toEqual([['Blue'], ['Blue']])
  })

  test('failures of single records are in errors, the first 100, and the others are written', async () => {
    await seed('unique', 105)
    const values = { code: 'the only one', note: 'new' }
    const job = await jobs.complete(records, { set: 'unique' }, { op: 'update', values })
    expect(job).toMatchObject({ status: 'completed', total: 105, done: 1, failed: 104 })
    expect(job.errors).toHaveLength(100)
    expect(job.errors[0]).toMatchObject({
      record_id: expect.any(String),
      error: { status_code: 400, code: 'uniqueness_conflict' },
    })
    expect(await find({ set: 'unique', note: 'new' })).toHaveLength(1)
  })

  test('{} matches everything', async () => {
    const total = (await find({})).length
    const job = await jobs.complete(records, {}, { op: 'update', values: { amount: 7 } })
    expect(job).toMatchObject({ total, done: total })
    expect(await find({ amount: 7 })).toHaveLength(total)
  })

  test('attributes may be renamed before the job runs', async () => {
    await seed('renamed', 1)
    const id = await jobs.create(records, { set: 'renamed' }, { op: 'update', values: { note: 'x' } })
    const rename = (from: string, to: string) =>
      service.request('PATCH', `/v2/objects/things/attributes/${from}`, { data: { api_slug: to } })
    await rename('set', 'set_2')
    await rename('note', 'note_2')
    await jobs.runAll()
    await rename('set_2', 'set')
    await rename('note_2', 'note')
    expect(await jobs.show(id)).toMatchObject({ status: 'completed', done: 1 })
  })

  test.each<[string, object, string]>([
    ['a value of another type', { op: 'update', values: { amount: 'x' } }, 'validation_type'],
    ['an unknown attribute', { op: 'update', values: { unknown: 1 } }, 'value_not_found'],
    ['an unknown option', { op: 'update', values: { tags: ['Green'] } }, 'value_not_found'],
    ['a read-only attribute', { op: 'update', values: { created_at: '2026-01-01' } }, 'immutable_value'],
    ['a record that does not exist', { op: 'update', values: { next: [crypto.randomUUID()] } }, 'value_not_found'],
    ['no values', { op: 'update' }, 'validation_type'],
    ['values of entries', { op: 'update', entry_values: { note: 'x' } }, 'validation_type'],
    ['an unknown mode', { op: 'update', values: {}, mode: 'replace' }, 'validation_type'],
    ['an unknown operation', { op: 'create', values: {} }, 'validation_type'],
  ])('400 for %s, and no job', async (_, operation, code) => {
    const jobsBefore = (await service.request('GET', '/v2/jobs?limit=200')).body.data.length
    const { status, body } = await send({ filter: {}, operation })
    expect([status, body.code]).toEqual([400, code])
    expect((await service.request('GET', '/v2/jobs?limit=200')).body.data).toHaveLength(jobsBefore)
  })

  test.each<[string, unknown, string]>([
    ['an unknown attribute', { unknown: 'x' }, 'unknown_filter_attribute_slug'],
    ['an unknown operator', { note: { $is: 'x' } }, 'invalid_filter_operator'],
    ['a filter that is no object', 'x', 'validation_type'],
    ['no filter', undefined, 'validation_type'],
  ])('400 for a filter with %s', async (_, filter, code) => {
    const { status, body } = await send({ filter, operation: { op: 'delete' } })
    expect([status, body.code]).toEqual([400, code])
  })

  test('404 for an unknown object', async () => {
    const data = { filter: {}, operation: { op: 'delete' } }
    const { status, body } = await service.request('POST', '/v2/objects/unknown/records/bulk', { data })
    expect([status, body.code]).toEqual([404, 'not_found'])
  })

  test('a dry run answers with the total and creates no job', async () => {
    await seed('dry', 3)
    const { status, body, headers } = await send(
      { filter: { set: 'dry' }, operation: { op: 'delete' } },
      { query: '?dry_run=true' },
    )
    expect([status, body.data.total, headers.get('Dry-Run')]).toEqual([202, 3, 'true'])
    expect((await service.request('GET', `/v2/jobs/${body.data.id.job_id}`)).status).toBe(404)
    await jobs.runAll()
    expect(await find({ set: 'dry' })).toHaveLength(3)
  })

  test('a retry with the same Idempotency-Key gets the same job', async () => {
    await seed('retried', 1)
    const headers = { 'Idempotency-Key': 'bulk' }
    const data = { filter: { set: 'retried' }, operation: { op: 'delete' } }
    const first = await send(data, { headers })
    const second = await send(data, { headers })
    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.body).toEqual(first.body)
    await jobs.runAll()
    expect(await jobs.show(first.body.data.id.job_id)).toMatchObject({ status: 'completed', done: 1 })
  })
})
