import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { codeOf, recordIdOf, type ShownBatchResult } from '#testing/answer-shapes'
import { attributeInput } from '#testing/attributes'
import { getObject } from '#engine/data-model/find'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const things = '/v2/objects/things'
beforeAll(async () => {
  await service.request('POST', '/v2/objects', {
    data: { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' },
  })
  for (const attribute of [
    { api_slug: 'code', is_unique: true },
    { api_slug: 'mails', type: 'email-address', is_unique: true, is_multiselect: true },
    { api_slug: 'note' },
    {
      api_slug: 'others',
      type: 'record-reference',
      is_multiselect: true,
      config: { record_reference: { allowed_objects: ['things'] } },
    },
  ]) {
    await service.request('POST', `${things}/attributes`, { data: attributeInput(attribute) })
  }
})
beforeEach(() => service.events())

async function batch(operations: readonly object[], query = '') {
  const { status, body } = await service.request('POST', `${things}/records/batch${query}`, { data: { operations } })
  expect([status, body.message]).toEqual([200, undefined])
  return body.data
}
const create = (values: object) => ({ op: 'create', values })
const update = (record_id: string | undefined, values: object) => ({ op: 'update', record_id, values })
const remove = (record_id: string | undefined) => ({ op: 'delete', record_id })
const upsert = (values: object, matching_attribute = 'code') => ({ op: 'upsert', matching_attribute, values })
const codesOf = (results: readonly ShownBatchResult[]) => results.map(codeOf)
const idOf = recordIdOf
const created = async (...values: object[]): Promise<string[]> => (await batch(values.map(create))).results.map(idOf)

/** A statement writes one row of the outbox, which has all its events. */
async function outboxRows(): Promise<number> {
  const [workspace] = await service.db.sql`select number from relata.workspaces`
  const [counted] = await service.db.sql.unsafe(`select count(*)::int as rows from w_${workspace?.number}.outbox`)
  return counted?.rows
}

describe('POST /v2/objects/{object}/records/batch', () => {
  test('200 and updates of different records share a statement, also when some are refused or change nothing', async () => {
    const ids = await created({ note: '1' }, { note: '2' }, { note: '3' }, { note: '4' })
    await service.events()
    const { results } = await batch([
      update(ids[0], { note: 'first' }),
      update(ids[1], { note: 5 }),
      update(ids[2], { note: '3' }),
      update(crypto.randomUUID(), { note: 'x' }),
      update(ids[3], { code: 'other', mails: ['1@a.com'] }),
    ])
    expect(codesOf(results)).toEqual([200, 'validation_type', 200, 'not_found', 200])
    expect(results[2].data.values.note[0].value).toBe('3')
    expect(results[4].data.values.note[0].value).toBe('4')
    expect(await outboxRows()).toBe(1)
    expect((await service.events()).length).toBe(3)
  })

  test('200 and a unique value goes from one record to the next', async () => {
    const [a, b, c] = await created({ code: 'a' }, { code: 'b' }, { code: 'c' })
    await service.events()
    const { results } = await batch([update(a, { code: 'c' }), update(b, { code: 'z' }), update(c, { code: 'b' })])
    expect(codesOf(results)).toEqual(['uniqueness_conflict', 200, 200])
    expect(results[0].error.conflicting_record_ids).toEqual([c])
    expect(await outboxRows()).toBe(1)
    const { results: upserted } = await batch([upsert({ code: 'z', note: 'b' }), upsert({ code: 'b', note: 'c' })])
    expect(upserted.map(idOf)).toEqual([b, c])
  })

  test('200 and upserts create and update with one statement each', async () => {
    const ids = await created({ mails: ['old@a.com'] }, { mails: ['older@a.com', 'oldest@a.com'] })
    await service.events()
    const { results } = await batch([
      upsert({ mails: ['new@a.com'] }, 'mails'),
      upsert({ mails: ['old@a.com', 'more@a.com'], note: 'found' }, 'mails'),
      upsert({ mails: ['newer@a.com'] }, 'mails'),
      upsert({ mails: ['older@a.com'], note: 'found too' }, 'mails'),
    ])
    expect(codesOf(results)).toEqual([200, 200, 200, 200])
    expect([idOf(results[1]), idOf(results[3])]).toEqual(ids)
    expect(await outboxRows()).toBe(2)
    const { results: again } = await batch([
      upsert({ mails: ['old@a.com', 'new@a.com'] }, 'mails'),
      upsert({ mails: ['oldest@a.com'] }, 'mails'),
      upsert({ mails: ['older@a.com'] }, 'mails'),
      upsert({ mails: ['newer@a.com'] }, 'mails'),
      upsert({ mails: ['newer@a.com'], note: 'twice' }, 'mails'),
    ])
    expect(codesOf(again)).toEqual(['multiple_match_results', 200, 200, 200, 200])
    expect(again.slice(1).map(idOf)).toEqual([ids[1], ids[1], idOf(results[2]), idOf(results[2])])
  })

  test('200 and deletions of different records share statements, also when some are refused', async () => {
    const ids = await created({ code: 'd1' }, { code: 'd2' }, { code: 'd3' })
    await service.events()
    const absent = crypto.randomUUID()
    const { results } = await batch([...ids, absent, 'no id', ids[1]].map(remove))
    expect(codesOf(results)).toEqual([200, 200, 200, 'not_found', 'validation_type', 'not_found'])
    expect(await outboxRows()).toBe(1)
    expect((await service.events()).map(({ id }) => id.record_id)).toEqual(ids)
    expect(codesOf((await batch([create({ code: 'd1' })])).results)).toEqual([200])
    const { body } = await service.request('POST', `${things}/records/${ids[0]}/restore`)
    expect(body.code).toBe('uniqueness_conflict')
    expect((await service.request('POST', `${things}/records/${ids[1]}/restore`)).status).toBe(200)
  })

  test('200 and records whose lists refer to deleted records are updated by one statement', async () => {
    const ids = await created({ note: 'target' }, { note: 'target' }, { note: 'target' })
    const referring = await created(...Array.from({ length: 5 }, () => ({ note: 'with list', others: ids })))
    await batch(ids.slice(0, 2).map(remove))
    const { body } = await service.request('POST', `${things}/records/query`, { filter: { note: 'with list' } })
    const left = body.data.map(({ values }: { values: { others: { target_record_id: string }[] } }) =>
      values.others.map(({ target_record_id }) => target_record_id),
    )
    expect(left).toEqual(Array.from({ length: 5 }, () => ids.slice(2)))
    const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'things')
    // Each statement of a transaction has a number.
    const [row] = await service.db.sql.unsafe<{ rows: number; statements: number }[]>(
      `select count(*)::int as rows, count(distinct (xmin::text, cmin::text))::int as statements from ${table} where id = any($1::uuid[])`,
      [referring],
    )
    expect(row).toEqual({ rows: 5, statements: 1 })
  })

  test('200 for concurrent batches that delete overlapping records in opposite orders: each is deleted once', async () => {
    const ids = await created(...Array.from({ length: 60 }, () => ({ note: 'before' })))
    await service.events()
    const answers = await Promise.all([
      batch(ids.map(remove)),
      service.request('POST', `${things}/records/batch`, {
        data: { operations: ids.slice(20, 40).map(remove), atomic: true },
      }),
      batch(ids.toReversed().map(remove)),
      service.request('DELETE', `${things}/records/${ids[30]}`),
    ])
    expect(answers.flatMap((answer) => ('status' in answer ? [answer.status] : []))).not.toContain(503)
    expect((await service.events()).map(({ id }) => id.record_id).toSorted()).toEqual(ids.toSorted())
    const { body } = await service.request('POST', `${things}/records/query`, { filter: { note: 'before' } })
    expect(body.data).toEqual([])
  })

  test('200 for concurrent batches that update the same records in opposite orders', async () => {
    const ids = await created(...Array.from({ length: 40 }, () => ({ note: 'before' })))
    const updates = (note: string) => ids.map((id, index) => update(id, { note: `${note} ${index}` }))
    const answers = await Promise.all([
      batch(updates('one')),
      batch(updates('two').toReversed()),
      batch(updates('three'), '?return=ids'),
      service.request('PATCH', `${things}/records/${ids[7]}`, { data: { values: { note: 'alone' } } }),
    ])
    expect(answers.slice(0, 3).map((answer) => 'succeeded' in answer && answer.succeeded)).toEqual([40, 40, 40])
    const path = `${things}/records/${ids[7]}/attributes/note/values?show_historic=true`
    const { body } = await service.request('GET', path)
    expect(body.data.map(({ value }: { value: string }) => value).toSorted()).toEqual([
      'alone',
      'before',
      'one 7',
      'three 7',
      'two 7',
    ])
  })

  test('200 for concurrent batches that upsert the same new records: each is created once', async () => {
    const upserts = Array.from({ length: 20 }, (_, index) => upsert({ code: `both ${index}` }))
    const [one, two] = await Promise.all([batch(upserts), batch(upserts.toReversed())])
    expect(one.results.map(idOf)).toEqual(two.results.map(idOf).toReversed())
  })
})
