import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { codeOf, recordIdOf, type ShownBatchResult } from '#testing/answer-shapes'
import { attributeInput } from '#testing/attributes'
import { createRateLimiter } from '#api/http/rate-limit/rate-limiter'
import { testService, type TestService } from '#testing/service'

let service: TestService
const things = '/v2/objects/things'
beforeAll(async () => {
  const rates = { read: 0, write: 1000, merge: 0, recording: 0, sql: 0 }
  service = await testService({}, (db, now) => ({ limits: createRateLimiter(db, now, rates) }))
  await service.request('POST', '/v2/objects', {
    data: { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' },
  })
  for (const attribute of [
    { api_slug: 'code', is_unique: true },
    { api_slug: 'note' },
    { api_slug: 'wanted', default_value: { type: 'static', template: [{ value: 'default' }] } },
    { api_slug: 'mails', type: 'email-address', is_multiselect: true, is_unique: true },
    { api_slug: 'next', type: 'record-reference', config: { record_reference: { allowed_objects: ['things'] } } },
  ]) {
    const { status, body } = await service.request('POST', `${things}/attributes`, { data: attributeInput(attribute) })
    expect([status, body.message]).toEqual([200, undefined])
  }
})
afterAll(() => service.close())

interface Options {
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly atomic?: boolean
}

const send = (operations: readonly unknown[], { query = '', headers = {}, ...data }: Options = {}) =>
  service.request('POST', `${things}/records/batch${query}`, { data: { operations, ...data } }, { headers })

async function batch(...operations: readonly object[]) {
  const { status, body } = await send(operations)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data
}
const create = (values: object) => ({ op: 'create', values })
const codesOf = (results: readonly ShownBatchResult[]) => results.map(codeOf)
const idOf = recordIdOf
const count = async () => (await service.request('POST', `${things}/records/query`, { limit: 500 })).body.data.length

describe('POST /v2/objects/{object}/records/batch', () => {
  test('200 with the records of creations in their order, as single requests would answer', async () => {
    const notes = Array.from({ length: 30 }, (_, index) => `note ${index}`)
    await service.events()
    const { results, succeeded, failed } = await batch(...notes.map((note) => create({ note, mails: [] })))
    expect([succeeded, failed]).toEqual([30, 0])
    expect(results.map(({ data }: ShownBatchResult) => data.values.note?.[0]?.value)).toEqual(notes)
    expect(results[7].data.values.wanted[0].value).toBe('default')
    const { body } = await service.request('GET', `${things}/records/${idOf(results[7])}`)
    expect(body.data).toEqual(results[7].data)
    const events = await service.events()
    expect(events.map(({ event_type }) => event_type)).toEqual(notes.map(() => 'record.created'))
  })

  test('200 with the status and the error of a single request for each operation that fails', async () => {
    const { results, succeeded, failed } = await batch(
      create({ note: 'first' }),
      create({ note: 5 }),
      create({ unknown: 'x' }),
      { op: 'create' },
      { op: 'update', record_id: 'x', values: {} },
      { op: 'update', record_id: crypto.randomUUID(), values: {} },
      { op: 'update', record_id: crypto.randomUUID(), values: {}, mode: 'other' },
      { op: 'upsert', values: { code: 'x' } },
      { op: 'upsert', matching_attribute: 'note', values: { note: 'x' } },
      { op: 'delete', record_id: crypto.randomUUID() },
      create({ next: [{ target_object: 'things', target_record_id: crypto.randomUUID() }] }),
      create({ note: 'last' }),
    )
    expect([succeeded, failed]).toEqual([2, 10])
    expect(codesOf(results)).toEqual([
      200,
      'validation_type',
      'value_not_found',
      'validation_type',
      'validation_type',
      'not_found',
      'validation_type',
      'missing_value',
      'matching_attribute_definition_not_unique',
      'not_found',
      'value_not_found',
      200,
    ])
    const single = await service.request('POST', `${things}/records`, { data: { values: { note: 5 } } })
    expect(results[1]).toEqual({ status: 400, error: single.body })
    expect(results[3].error.validation_errors[0].path).toEqual(['data', 'values'])
  })

  test('200 and operations see the effects of earlier ones', async () => {
    const { results } = await batch(create({ code: 'a', note: '1' }), create({ code: 'b' }))
    const [a, b] = results.map(idOf)
    const second = await batch(
      create({ code: 'a' }),
      create({ code: 'c' }),
      create({ code: 'c' }),
      { op: 'update', record_id: a, values: { code: 'd' } },
      create({ code: 'a' }),
      { op: 'upsert', matching_attribute: 'code', values: { code: 'c', note: 'upserted' } },
      { op: 'upsert', matching_attribute: 'code', values: { code: 'e' }, values_on_create: { note: 'new' } },
      { op: 'delete', record_id: b },
      { op: 'update', record_id: b, values: { note: 'x' } },
      create({ code: 'b', next: [{ target_object: 'things', code: [{ value: 'a' }] }] }),
      create({ code: 'f' }),
      create({ code: 'g', next: [{ target_object: 'things', code: [{ value: 'f' }] }] }),
    )
    expect(codesOf(second.results)).toEqual([
      'uniqueness_conflict',
      200,
      'uniqueness_conflict',
      200,
      200,
      200,
      200,
      200,
      'not_found',
      200,
      200,
      200,
    ])
    expect(second.results[0].error.conflicting_record_ids).toEqual([a])
    expect(second.results[2].error.conflicting_record_ids).toEqual([idOf(second.results[1])])
    expect(second.results[7].data).toEqual({ id: results[1].data.id })
    expect(second.results[5].data.values.note[0].value).toBe('upserted')
    expect(second.results[11].data.values.next[0].target_record_id).toBe(idOf(second.results[10]))
  })

  test('200 and updates append or overwrite, also of one record', async () => {
    const { results } = await batch(create({ note: '1' }), create({ mails: ['1@x.com'] }))
    const [one, two] = results.map(idOf)
    const update = (record_id: string | undefined, values: object, mode?: string) => ({
      op: 'update',
      record_id,
      values,
      mode,
    })
    const { results: updated } = await batch(
      update(one, { note: '2' }),
      update(two, { note: '3' }),
      update(one, { note: '4' }),
      update(two, { mails: ['2@x.com'] }),
      update(two, { mails: ['3@x.com'] }, 'overwrite'),
    )
    expect(updated[2].data.values.note[0].value).toBe('4')
    const mailsOf = ({ data }: ShownBatchResult) => data.values.mails?.map(({ email_address }) => email_address)
    expect([mailsOf(updated[3]), mailsOf(updated[4])]).toEqual([['2@x.com', '1@x.com'], ['3@x.com']])
  })

  test('200 when all of a thousand creations conflict, with each other and with a record', async () => {
    await batch(create({ code: 'taken' }))
    const same = Array.from({ length: 500 }, () => create({ code: 'same' }))
    const taken = Array.from({ length: 500 }, () => create({ code: 'taken', note: '\u001e' }))
    const { succeeded, failed } = await batch(
      ...same,
      ...taken.slice(0, 40),
      ...taken.slice(40).map(() => create({ code: 'taken' })),
    )
    expect([succeeded, failed]).toEqual([1, 999])
  })

  test('200 with ids only', async () => {
    const { status, body } = await send([create({ note: 'x' })], { query: '?return=ids' })
    expect([status, Object.keys(body.data.results[0].data)]).toEqual([200, ['id']])
    expect((await send([create({})], { query: '?return=all' })).status).toBe(400)
  })

  test('400 with the failure of an atomic batch, which writes nothing', async () => {
    const before = await count()
    await service.events()
    const answer = await send([create({ note: 'x' }), create({ code: 'atomic' }), create({ code: 'atomic' })], {
      atomic: true,
    })
    expect([answer.status, answer.body.code, answer.body.operation]).toEqual([400, 'uniqueness_conflict', 2])
    const missing = await send([create({}), { op: 'delete', record_id: crypto.randomUUID() }], { atomic: true })
    expect([missing.status, missing.body.code, missing.body.operation]).toEqual([400, 'not_found', 1])
    expect([await count(), await service.events()]).toEqual([before, []])
    const { body } = await send([create({ code: 'at' }), create({ note: 'om' })], { atomic: true })
    expect([body.data.succeeded, await count()]).toEqual([2, before + 2])
  })

  test('a retry with the same idempotency key gets the first answer, also of an atomic batch', async () => {
    for (const atomic of [false, true]) {
      const headers = { 'Idempotency-Key': `batch-${atomic}` }
      const operations = [create({ code: `once ${atomic}` }), create({ note: 'y' })]
      const [first, again] = [await send(operations, { headers, atomic }), await send(operations, { headers, atomic })]
      expect([first.body.data.succeeded, again.body]).toEqual([2, first.body])
      expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    }
  })

  test('two concurrent batches create each unique value once', async () => {
    const operations = Array.from({ length: 50 }, (_, index) => create({ code: `both ${index}` }))
    const [one, two] = await Promise.all([batch(...operations), batch(...operations)])
    expect(one.succeeded + two.succeeded).toBe(50)
  })

  test.each([[[]], [[{ op: 'merge' }]], [[5]], [Array.from({ length: 1001 }, () => create({}))]])(
    '400 for a batch of other operations, %#',
    async (operations: unknown[]) => {
      const { status, body } = await send(operations)
      expect([status, body.code]).toEqual([400, 'validation_type'])
    },
  )

  test('404 for an unknown object, 403 without the scope', async () => {
    const path = '/v2/objects/unknown/records/batch'
    const data = { operations: [create({})] }
    expect((await service.request('POST', path, { data })).status).toBe(404)
    const key = await service.keyWith(['record_permission:read', 'object_configuration:read'])
    expect((await service.request('POST', `${things}/records/batch`, { data }, { key })).status).toBe(403)
  })

  test('a batch counts as one request for 25 operations', async () => {
    service.setNow(service.appContext.now() + 10_000_000)
    const read = async () =>
      (await service.db.sql`select sum(tokens)::float as tokens from relata.request_budgets`)[0]?.tokens
    await batch(create({}))
    const before = await read()
    await batch(...Array.from({ length: 100 }, () => create({})))
    expect(before - (await read())).toBe(3)
    service.setNow()
  })
})
